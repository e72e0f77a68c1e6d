"""A plain model in TransformerLens' layout: one size for all heads, one for all MLPs, and its names of weights.

What a model has too little of is filled with zeros, which change no number. The scale of the scores is in the queries,
as it is in the trace of capax; nothing is divided afterwards.
"""

from typing import Any, Final

import numpy as np

from capax.model.adapt.make_plain import direction
from capax.model.model import Model
from capax.model.parts import Affine, Array, Block, Head, Mlp, Norm
from capax.model.provenance import Record

ACTIVATIONS: Final = {"relu": "relu", "gelu": "gelu", "gelu-tanh": "gelu_new"}


def config_json(model: Model) -> dict[str, Any]:
    """The settings of TransformerLens for a model, as plain data; the dtype is a name."""
    assert model.positions.table is not None
    norm = model.readout.norm
    return {
        "n_layers": len(blocks(model)),
        "d_model": model.width,
        "n_ctx": len(model.positions.table),
        "d_head": head_size(model),
        "n_heads": max((len(block.heads) for block in model.blocks), default=0) or 1,
        "d_mlp": mlp_size(model) or 1,  # never attention only: such models lack hooks in the stream
        "d_vocab": len(model.vocabulary),
        "d_vocab_out": model.readout.map.outputs,
        "act_fn": ACTIVATIONS[next((m.activation for m in mlps(model)), "relu")],
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


def mlps(model: Model) -> list[Mlp]:
    """The MLPs of a model."""
    return [block.mlp for block in model.blocks if isinstance(block.mlp, Mlp)]


def head_size(model: Model) -> int:
    """The dimension that the queries, keys and values of all heads have room in."""
    heads = [h for block in model.blocks for h in block.heads if isinstance(h, Head)]
    return max((max(h.query.outputs, h.value.outputs) for h in heads), default=0) or 1


def mlp_size(model: Model) -> int:
    """The number of units that all MLPs have room in."""
    return max((m.maps[0].outputs for m in mlps(model)), default=0)


def weights(model: Model) -> dict[str, Array]:
    """The weights by the names that HookedTransformer has for them."""
    settings = config_json(model)
    assert model.positions.table is not None
    tensors: dict[str, Array] = {"embed.W_E": model.embedding, "pos_embed.W_pos": model.positions.table}
    for number, block in enumerate(blocks(model)):
        for name, array in _block(block, settings, model.embedding.dtype).items():
            tensors[f"blocks.{number}.{name}"] = array
    tensors |= _norm("ln_final", model.readout.norm, settings)
    tensors |= {"unembed.W_U": model.readout.map.weight, "unembed.b_U": model.readout.map.bias}
    return {name: np.ascontiguousarray(array) for name, array in tensors.items()}


def _block(block: Block, settings: Record, dtype: Any) -> dict[str, Array]:
    tensors = _heads(block, settings, dtype) | _norm("ln1", block.attention_norm, settings)
    d, units = settings["d_model"], settings["d_mlp"]
    reads, bias = np.zeros((d, units), dtype), np.zeros(units, dtype)
    writes, own = np.zeros((units, d), dtype), np.zeros(d, dtype)
    if isinstance(block.mlp, Mlp):
        first, second = block.mlp.maps
        reads[:, : first.outputs], bias[: first.outputs] = first.weight, first.bias
        writes[: first.outputs], own[:] = second.weight, second.bias
    tensors |= {"mlp.W_in": reads, "mlp.b_in": bias, "mlp.W_out": writes, "mlp.b_out": own}
    return tensors | _norm("ln2", block.mlp_norm, settings)


def _heads(block: Block, settings: Record, dtype: Any) -> dict[str, Array]:
    heads, d, k = settings["n_heads"], settings["d_model"], settings["d_head"]
    tensors: dict[str, Array] = {}
    for letter in "QKV":
        tensors[f"attn.W_{letter}"] = np.zeros((heads, d, k), dtype)
        tensors[f"attn.b_{letter}"] = np.zeros((heads, k), dtype)
    tensors["attn.W_O"] = np.zeros((heads, k, d), dtype)
    for number, head in enumerate(block.heads):
        assert isinstance(head, Head)
        for letter, map, factor in (("Q", head.query, head.scale), ("K", head.key, 1), ("V", head.value, 1)):
            scaled = Affine(map.weight * dtype.type(factor), map.bias * dtype.type(factor))
            tensors[f"attn.W_{letter}"][number, :, : map.outputs] = scaled.weight
            tensors[f"attn.b_{letter}"][number, : map.outputs] = scaled.bias
        tensors["attn.W_O"][number, : len(head.output)] = head.output
    tensors["attn.b_O"] = np.asarray(block.bias)
    return tensors


def _norm(name: str, norm: Norm | None, settings: Record) -> dict[str, Array]:
    """A norm; where a model with norms has none before a sublayer that adds nothing, one that changes nothing."""
    kind, d = settings["normalization_type"], settings["d_model"]
    if kind is None:
        return {}
    gain = np.ones(d, settings["dtype"]) if norm is None else norm.gain
    bias = np.zeros(d, settings["dtype"]) if norm is None else norm.bias
    return {f"{name}.w": gain, f"{name}.b": bias} if kind == "LN" else {f"{name}.w": gain}
