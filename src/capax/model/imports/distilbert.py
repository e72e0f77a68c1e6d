"""DistilBERT checkpoints of Hugging Face: BERT with other names, and without types of tokens."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np

from capax.model.imports.bert import read_bert
from capax.model.imports.checkpoint import Checkpoint, unfit
from capax.model.io.container import Stored
from capax.model.model import Model
from capax.model.provenance import ImportSource, Provenance

HEADS: Final = ("DistilBertForMaskedLM", "DistilBertForTokenClassification", "DistilBertModel")
SETTINGS: Final = {
    "dim": "hidden_size",
    "n_layers": "num_hidden_layers",
    "n_heads": "num_attention_heads",
    "hidden_dim": "intermediate_size",
    "activation": "hidden_act",
}
PARTS: Final = (
    (".transformer.layer.", ".encoder.layer."),
    (".attention.q_lin.", ".attention.self.query."),
    (".attention.k_lin.", ".attention.self.key."),
    (".attention.v_lin.", ".attention.self.value."),
    (".attention.out_lin.", ".attention.output.dense."),
    (".sa_layer_norm.", ".attention.output.LayerNorm."),
    (".ffn.lin1.", ".intermediate.dense."),
    (".ffn.lin2.", ".output.dense."),
    (".output_layer_norm.", ".output.LayerNorm."),
    ("vocab_transform.", "cls.predictions.transform.dense."),
    ("vocab_layer_norm.", "cls.predictions.transform.LayerNorm."),
    ("vocab_projector.", "cls.predictions.decoder."),
)
"""Parts of the names of tensors here, and in BERT."""
EPSILON: Final = 1e-12
"""What the library adds to the variance, whatever the settings say."""


def read_distilbert(checkpoint: Checkpoint, files: Mapping[str, Any]) -> Model:
    """The model of a DistilBERT checkpoint, read as one of BERT."""
    top = "distilbert." if checkpoint.has("distilbert.embeddings.word_embeddings.weight") else ""
    architecture = checkpoint.architecture("DistilBERT", HEADS, HEADS[-1])
    tensors = {_renamed(name, top): tensor for name, tensor in checkpoint.tensors.items()}
    if len(tensors) < len(checkpoint.tensors):
        raise unfit("two of its tensors would be the same part of a model")
    config = {SETTINGS.get(key, key): value for key, value in checkpoint.config.items()}
    config |= {"model_type": "bert", "type_vocab_size": 1, "layer_norm_eps": EPSILON, "is_decoder": False}
    config["architectures"] = [architecture.replace("DistilBert", "Bert")]
    known = Checkpoint(config, tensors, checkpoint.name)
    zeros = np.zeros((1, known.count("hidden_size")), np.float32)
    tensors["bert.embeddings.token_type_embeddings.weight"] = Stored("F32", zeros.shape, zeros.tobytes())
    if "cls.predictions.decoder.bias" in tensors:  # BERT has it twice
        tensors["cls.predictions.bias"] = tensors["cls.predictions.decoder.bias"]
    model = read_bert(Checkpoint(config, tensors, checkpoint.name), files)
    return replace(model, provenance=Provenance(source=ImportSource("distilbert", architecture)))


def _renamed(name: str, top: str) -> str:
    """The name of a tensor in BERT."""
    name = name.removeprefix(top)
    for ours, theirs in PARTS:
        name = f".{name}".replace(ours, theirs).removeprefix(".") if ours[0] == "." else name.replace(ours, theirs)
    return name if name.startswith(("cls.", "classifier.")) else f"bert.{name}"
