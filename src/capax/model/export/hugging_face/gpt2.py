"""A model of GPT-2's shape as the configuration and the tensors of the stock GPT-2 classes."""

from typing import Any

import numpy as np

from capax.model.export.hugging_face.heads import (
    ACTIVATION,
    hidden_size,
    mlp_activation,
    mlp_arrays,
    packed_heads,
    padded_embedding,
    put_norm,
    scale_factor,
)
from capax.model.export.hugging_face.sizes import needed, split_of
from capax.model.model import Model
from capax.model.parts import Array


def gpt2_config_json(model: Model) -> dict[str, Any]:
    """The configuration of the stack of layers; what is not said is left as the class has it."""
    split = split_of(model.width, *needed(model))
    assert split is not None
    assert model.readout.norm is not None
    assert model.positions.table is not None
    return {
        "model_type": "gpt2",
        "n_embd": model.width,
        "n_layer": len(model.blocks),
        "n_head": split[0],
        "n_inner": hidden_size(model),
        "n_positions": len(model.positions.table),
        "activation_function": ACTIVATION[mlp_activation(model)],
        "layer_norm_epsilon": model.readout.norm.epsilon,
        "scale_attn_weights": _is_scaled(model, split[1]),
        "resid_pdrop": 0.0,
        "embd_pdrop": 0.0,
        "attn_pdrop": 0.0,
        "summary_first_dropout": 0.0,
        "tie_word_embeddings": False,
    }


def _is_scaled(model: Model, dimension: int) -> bool:
    """Whether every head has the usual scale, which the class then has too."""
    scales = {head.scale for block in model.blocks for head in block.heads}
    return scales == {dimension**-0.5}


def gpt2_tensors(model: Model, rows: int) -> dict[str, Array]:
    """The tensors of the stack of layers; the embedding has `rows` rows, the last ones zero."""
    split = split_of(model.width, *needed(model))
    assert split is not None
    assert model.readout.norm is not None
    assert model.positions.table is not None
    embedding = padded_embedding(model, rows)
    tensors: dict[str, Array] = {"transformer.wte.weight": embedding, "transformer.wpe.weight": model.positions.table}
    usual = split[1] ** -0.5 if _is_scaled(model, split[1]) else 1.0
    hidden = hidden_size(model)
    identity = model.readout.norm
    for number, block in enumerate(model.blocks):
        name = f"transformer.h.{number}"
        q, k, v, output = packed_heads(block, model, split, lambda head: scale_factor(head, usual))
        tensors[f"{name}.attn.c_attn.weight"] = np.concatenate([q.weight, k.weight, v.weight], axis=1)
        tensors[f"{name}.attn.c_attn.bias"] = np.concatenate([q.bias, k.bias, v.bias])
        tensors[f"{name}.attn.c_proj.weight"], tensors[f"{name}.attn.c_proj.bias"] = output, block.bias
        first, second = mlp_arrays(block, model, hidden)
        tensors[f"{name}.mlp.c_fc.weight"], tensors[f"{name}.mlp.c_fc.bias"] = first.weight, first.bias
        tensors[f"{name}.mlp.c_proj.weight"], tensors[f"{name}.mlp.c_proj.bias"] = second.weight, second.bias
        put_norm(tensors, f"{name}.ln_1", block.attention_norm or identity)
        put_norm(tensors, f"{name}.ln_2", block.mlp_norm or identity)
    put_norm(tensors, "transformer.ln_f", model.readout.norm)
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
