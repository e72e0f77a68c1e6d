"""A model of BERT's shape as the configuration and the tensors of the stock classes for labelling tokens.

RoBERTa is BERT but for its positions, which are counted over the tokens that are not padding: padding may stand on
either side of a word. Its table of positions begins after the row of the padding token's id.
"""

from typing import Any

import numpy as np

from capax.model.export.hugging_face.sizes import uniform
from capax.model.export.uniform import padded_embedding, put_map, put_norm
from capax.model.model import Model
from capax.model.parts import Array


def roberta_config_json(model: Model, pad: int, *, causal: bool) -> dict[str, Any]:
    """The configuration of RoBERTa, for a padding token of this id; no position sees a later one if it is causal."""
    config = bert_config_json(model, whole_root=True) | {"model_type": "roberta"}
    config["max_position_embeddings"] += pad + 1
    return config | ({"is_decoder": True, "use_cache": False} if causal else {})


def roberta_tensors(model: Model, rows: int, pad: int) -> dict[str, Array]:
    """The tensors of RoBERTa for labelling tokens, for a padding token of this id."""
    tensors = bert_tensors(model, rows, whole_root=True)
    renamed = {n.replace("bert.", "roberta.", 1) if n.startswith("bert.") else n: t for n, t in tensors.items()}
    table = "roberta.embeddings.position_embeddings.weight"
    return renamed | {table: np.pad(renamed[table], ((pad + 1, 0), (0, 0)))}


def bert_config_json(model: Model, *, whole_root: bool) -> dict[str, Any]:
    """The configuration of BERT's stack of layers; what is not said is left as the class has it."""
    layers = uniform(model, whole_root=whole_root)
    norm = model.blocks[0].attention_norm
    assert norm is not None
    return {
        "model_type": "bert",
        "hidden_size": model.width,
        "num_hidden_layers": len(model.blocks) - 1,
        "num_attention_heads": layers.heads,
        "intermediate_size": layers.hidden,
        "max_position_embeddings": len(layers.table),
        "type_vocab_size": 2,
        "hidden_act": layers.activation,
        "layer_norm_eps": norm.epsilon,
        "hidden_dropout_prob": 0.0,
        "attention_probs_dropout_prob": 0.0,
        "classifier_dropout": 0.0,
    }


def bert_tensors(model: Model, rows: int, *, whole_root: bool) -> dict[str, Array]:
    """The tensors of the class for labelling tokens; the embedding has `rows` rows, the last ones zero.

    The first block of the model has no heads: it holds the norm of the embedding.
    """
    layers = uniform(model, whole_root=whole_root)
    norm = model.blocks[0].attention_norm
    assert norm is not None
    embedding = padded_embedding(model, rows)
    tensors: dict[str, Array] = {
        "bert.embeddings.word_embeddings.weight": embedding,
        "bert.embeddings.position_embeddings.weight": layers.table,
        "bert.embeddings.token_type_embeddings.weight": np.zeros((2, model.width), embedding.dtype),
    }
    put_norm(tensors, "bert.embeddings.LayerNorm", norm)
    for number, block in enumerate(model.blocks[1:]):
        name = f"bert.encoder.layer.{number}"
        one = layers.layer(block, layers.dimension**-0.5)
        for part, map in (("query", one.query), ("key", one.key), ("value", one.value)):
            put_map(tensors, f"{name}.attention.self.{part}", map)
        put_map(tensors, f"{name}.attention.output.dense", one.output)
        put_map(tensors, f"{name}.intermediate.dense", one.first)
        put_map(tensors, f"{name}.output.dense", one.second)
        assert block.attention_norm is not None
        assert block.mlp_norm is not None
        put_norm(tensors, f"{name}.attention.output.LayerNorm", block.attention_norm)
        put_norm(tensors, f"{name}.output.LayerNorm", block.mlp_norm)
    put_map(tensors, "classifier", model.readout.map)
    return tensors
