"""A model of GPT-2's shape as the configuration and the tensors of the stock GPT-2 classes."""

from typing import Any

import numpy as np

from capax.model.export.hugging_face.sizes import uniform
from capax.model.export.uniform import UniformModel, padded_embedding, put_norm
from capax.model.model import Model
from capax.model.parts import Affine, Array


def gpt2_config_json(model: Model) -> dict[str, Any]:
    """The configuration of the stack of layers; what is not said is left as the class has it."""
    layers = uniform(model)
    assert model.readout.norm is not None
    return {
        "model_type": "gpt2",
        "n_embd": model.width,
        "n_layer": len(model.blocks),
        "n_head": layers.heads,
        "n_inner": layers.hidden,
        "n_positions": len(layers.table),
        "activation_function": layers.activation,
        "layer_norm_epsilon": model.readout.norm.epsilon,
        "scale_attn_weights": _is_scaled(layers),
        "resid_pdrop": 0.0,
        "embd_pdrop": 0.0,
        "attn_pdrop": 0.0,
        "summary_first_dropout": 0.0,
        "tie_word_embeddings": False,
    }


def _is_scaled(layers: UniformModel) -> bool:
    """Whether every head has the usual scale, which the class then has too."""
    return {head.scale for block in layers.model.blocks for head in block.heads} == {layers.dimension**-0.5}


def gpt2_tensors(model: Model, rows: int) -> dict[str, Array]:
    """The tensors of the stack of layers; the embedding has `rows` rows, the last ones zero."""
    layers, identity = uniform(model), model.readout.norm
    assert identity is not None
    embedding = padded_embedding(model, rows)
    tensors: dict[str, Array] = {"transformer.wte.weight": embedding, "transformer.wpe.weight": layers.table}
    usual = layers.dimension**-0.5 if _is_scaled(layers) else 1.0
    for number, block in enumerate(model.blocks):
        name = f"transformer.h.{number}"
        one = layers.layer(block, usual)
        maps = (one.query, one.key, one.value)
        joined = Affine(np.concatenate([m.weight for m in maps], axis=1), np.concatenate([m.bias for m in maps]))
        parts = {"attn.c_attn": joined, "attn.c_proj": one.output, "mlp.c_fc": one.first, "mlp.c_proj": one.second}
        for part, map in parts.items():
            tensors[f"{name}.{part}.weight"], tensors[f"{name}.{part}.bias"] = map.weight, map.bias
        put_norm(tensors, f"{name}.ln_1", block.attention_norm or identity)
        put_norm(tensors, f"{name}.ln_2", block.mlp_norm or identity)
    put_norm(tensors, "transformer.ln_f", identity)
    return tensors


def lm_head(model: Model, ids: list[int], rows: int, low: float | None) -> Array:
    """The last map of a text generator (rows, width), in which the logit of answer i goes to the row `ids[i]`.

    The class has no bias there. A neutralised model reads the constant of its last norm instead, which also gives all
    other rows the logit `low`; a model with norms of its own has none of both.
    """
    map = model.readout.map
    weight: Array = np.zeros((rows, model.width), map.weight.dtype)
    weight[ids] = map.weight.T
    if low is not None:
        assert not map.weight[0].any(), "nothing else is read from the constant"
        weight[:, 0] = low
        weight[ids, 0] = map.bias
    return weight
