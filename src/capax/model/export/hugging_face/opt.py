"""A model with norms before its sublayers as the configuration and the tensors of the stock OPT class.

OPT is GPT-2 but for two things: its positions are counted in the attention mask, so that padding may stand on either
side of a word; and it has no settings for the scale of scores and for what norms add to the variance.
"""

from typing import Any, Final

import numpy as np

from capax.model.export.hugging_face.sizes import uniform
from capax.model.export.uniform import padded_embedding, put_map, put_norm
from capax.model.model import Model
from capax.model.parts import Array

OFFSET: Final = 2
"""The rows of the table of positions before that of the first position; one of them is for padding."""
EPSILON: Final = 1e-5
"""What its norms add to the variance."""


def opt_config_json(model: Model) -> dict[str, Any]:
    """The configuration of the stack of layers; what is not said is left as the class has it."""
    layers = uniform(model, whole_root=True)
    assert model.readout.norm is not None
    assert model.readout.norm.epsilon == EPSILON, "the class has no setting for it"
    return {
        "model_type": "opt",
        "hidden_size": model.width,
        "word_embed_proj_dim": model.width,
        "num_hidden_layers": len(model.blocks),
        "num_attention_heads": layers.heads,
        "ffn_dim": layers.hidden,
        "max_position_embeddings": len(layers.table),
        "activation_function": layers.activation,
        "do_layer_norm_before": True,
        "dropout": 0.0,
        "attention_dropout": 0.0,
        "layerdrop": 0.0,
        "tie_word_embeddings": False,
    }


def opt_tensors(model: Model, rows: int) -> dict[str, Array]:
    """The tensors of the stack of layers; the embedding has `rows` rows, the last ones zero."""
    layers, top = uniform(model, whole_root=True), "model.decoder"
    assert model.readout.norm is not None
    tensors: dict[str, Array] = {
        f"{top}.embed_tokens.weight": padded_embedding(model, rows),
        f"{top}.embed_positions.weight": np.pad(layers.table, ((OFFSET, 0), (0, 0))),
    }
    for number, block in enumerate(model.blocks):
        name = f"{top}.layers.{number}"
        one = layers.layer(block, layers.dimension**-0.5)
        for part, map in (("q", one.query), ("k", one.key), ("v", one.value), ("out", one.output)):
            put_map(tensors, f"{name}.self_attn.{part}_proj", map)
        put_map(tensors, f"{name}.fc1", one.first)
        put_map(tensors, f"{name}.fc2", one.second)
        put_norm(tensors, f"{name}.self_attn_layer_norm", block.attention_norm or model.readout.norm)
        put_norm(tensors, f"{name}.final_layer_norm", block.mlp_norm or model.readout.norm)
    put_norm(tensors, f"{top}.final_layer_norm", model.readout.norm)
    return tensors
