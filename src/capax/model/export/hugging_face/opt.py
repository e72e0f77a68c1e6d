"""A model with norms before its sublayers as the configuration and the tensors of the stock OPT class.

OPT is GPT-2 but for two things: its positions are counted in the attention mask, so that padding may stand on either
side of a word; and it has no settings for the scale of scores and for what norms add to the variance.
"""

from typing import Any, Final

import numpy as np

from capax.model.export.hugging_face.heads import (
    ACTIVATION,
    hidden_size,
    mlp_activation,
    mlp_arrays,
    packed_heads,
    padded_embedding,
    put_map,
    put_norm,
    scale_factor,
)
from capax.model.export.hugging_face.sizes import needed, split_of
from capax.model.model import Model
from capax.model.parts import Affine, Array

OFFSET: Final = 2
"""The rows of the table of positions before that of the first position; one of them is for padding."""
EPSILON: Final = 1e-5
"""What its norms add to the variance."""


def opt_config_json(model: Model) -> dict[str, Any]:
    """The configuration of the stack of layers; what is not said is left as the class has it."""
    split = split_of(model.width, *needed(model), whole_root=True)
    assert split is not None
    assert model.readout.norm is not None
    assert model.readout.norm.epsilon == EPSILON, "the class has no setting for it"
    assert model.positions.table is not None
    return {
        "model_type": "opt",
        "hidden_size": model.width,
        "word_embed_proj_dim": model.width,
        "num_hidden_layers": len(model.blocks),
        "num_attention_heads": split[0],
        "ffn_dim": hidden_size(model),
        "max_position_embeddings": len(model.positions.table),
        "activation_function": ACTIVATION[mlp_activation(model)],
        "do_layer_norm_before": True,
        "dropout": 0.0,
        "attention_dropout": 0.0,
        "layerdrop": 0.0,
        "tie_word_embeddings": False,
    }


def opt_tensors(model: Model, rows: int) -> dict[str, Array]:
    """The tensors of the stack of layers; the embedding has `rows` rows, the last ones zero."""
    split = split_of(model.width, *needed(model), whole_root=True)
    assert split is not None
    assert model.readout.norm is not None
    assert model.positions.table is not None
    embedding = padded_embedding(model, rows)
    top, usual, hidden = "model.decoder", split[1] ** -0.5, hidden_size(model)
    table = np.pad(model.positions.table, ((OFFSET, 0), (0, 0)))
    tensors: dict[str, Array] = {f"{top}.embed_tokens.weight": embedding, f"{top}.embed_positions.weight": table}
    for number, block in enumerate(model.blocks):
        name = f"{top}.layers.{number}"
        q, k, v, output = packed_heads(block, model, split, lambda head: scale_factor(head, usual))
        for part, map in (("q", q), ("k", k), ("v", v), ("out", Affine(output, block.bias))):
            put_map(tensors, f"{name}.self_attn.{part}_proj", map)
        first, second = mlp_arrays(block, model, hidden)
        put_map(tensors, f"{name}.fc1", first)
        put_map(tensors, f"{name}.fc2", second)
        put_norm(tensors, f"{name}.self_attn_layer_norm", block.attention_norm or model.readout.norm)
        put_norm(tensors, f"{name}.final_layer_norm", block.mlp_norm or model.readout.norm)
    put_norm(tensors, f"{top}.final_layer_norm", model.readout.norm)
    return tensors
