"""A plain model in TransformerLens' layout: one size for all heads, one for all MLPs, and its names of weights.

What a model has too little of is filled with zeros, which change no number. The scale of the scores is in the queries,
as it is in the trace of capax; nothing is divided afterwards.
"""

from typing import Any

import numpy as np

from capax.model.adapt.make_plain import direction
from capax.model.export.uniform import UniformModel, needed
from capax.model.model import Model
from capax.model.parts import Array, Block, Norm
from capax.model.provenance import Record


def config_json(model: Model) -> dict[str, Any]:
    """The settings of TransformerLens for a model, as plain data; the dtype is a name."""
    layers, norm = _uniform(model), model.readout.norm
    return {
        "n_layers": len(blocks(model)),
        "d_model": model.width,
        "n_ctx": len(layers.table),
        "d_head": layers.dimension,
        "n_heads": layers.heads,
        "d_mlp": layers.hidden,  # never attention only: such models lack hooks in the stream
        "d_vocab": len(model.vocabulary),
        "d_vocab_out": model.readout.map.outputs,
        "act_fn": layers.activation,
        "attention_dir": "causal" if direction(model) == "causal" else "bidirectional",
        "use_attn_scale": True,
        "attn_scale": 1.0,
        "positional_embedding_type": "standard",
        "normalization_type": None if norm is None else {"layer": "LN", "rms": "RMS"}[norm.kind],
        "eps": 1e-5 if norm is None else norm.epsilon,
        "dtype": model.numbers,
        "default_prepend_bos": False,
        "init_weights": False,
    }


def blocks(model: Model) -> tuple[Block, ...]:
    """The layers of a model; one that does nothing for a model that has none."""
    return model.blocks or (Block((), np.zeros(model.width, model.embedding.dtype)),)


def weights(model: Model) -> dict[str, Array]:
    """The weights by the names that HookedTransformer has for them."""
    settings = config_json(model)
    layers = _uniform(model)
    tensors: dict[str, Array] = {"embed.W_E": model.embedding, "pos_embed.W_pos": layers.table}
    for number, block in enumerate(blocks(model)):
        for name, array in _block(block, layers, settings).items():
            tensors[f"blocks.{number}.{name}"] = array
    tensors |= _norm("ln_final", model.readout.norm, settings)
    tensors |= {"unembed.W_U": model.readout.map.weight, "unembed.b_U": model.readout.map.bias}
    return {name: np.ascontiguousarray(array) for name, array in tensors.items()}


def _uniform(model: Model) -> UniformModel:
    return UniformModel(model, *needed(model))


def _block(block: Block, layers: UniformModel, settings: Record) -> dict[str, Array]:
    one, d, heads, k = layers.layer(block), layers.model.width, layers.heads, layers.dimension
    tensors: dict[str, Array] = {}
    for letter, map in (("Q", one.query), ("K", one.key), ("V", one.value)):
        tensors[f"attn.W_{letter}"] = map.weight.reshape(d, heads, k).swapaxes(0, 1)
        tensors[f"attn.b_{letter}"] = map.bias.reshape(heads, k)
    tensors |= {"attn.W_O": one.output.weight.reshape(heads, k, d), "attn.b_O": one.output.bias}
    tensors |= _norm("ln1", block.attention_norm, settings)
    tensors |= {"mlp.W_in": one.first.weight, "mlp.b_in": one.first.bias}
    tensors |= {"mlp.W_out": one.second.weight, "mlp.b_out": one.second.bias}
    return tensors | _norm("ln2", block.mlp_norm, settings)


def _norm(name: str, norm: Norm | None, settings: Record) -> dict[str, Array]:
    """A norm; where a model with norms has none before a sublayer that adds nothing, one that changes nothing."""
    kind, d = settings["normalization_type"], settings["d_model"]
    if kind is None:
        return {}
    gain = np.ones(d, settings["dtype"]) if norm is None else norm.gain
    bias = np.zeros(d, settings["dtype"]) if norm is None else norm.bias
    return {f"{name}.w": gain, f"{name}.b": bias} if kind == "LN" else {f"{name}.w": gain}
