"""From the files of a checkpoint to a model, by what its settings say it is."""

from collections.abc import Mapping
from typing import Any

from capax.errors import CapaxError
from capax.model.imports.bert import KINDS, read_bert
from capax.model.imports.checkpoint import Checkpoint, unfit
from capax.model.imports.distilbert import read_distilbert
from capax.model.imports.gpt2 import read_gpt2
from capax.model.imports.lens import read_lens
from capax.model.imports.llama import LLAMAS, read_llama
from capax.model.imports.nanogpt import read_nanogpt
from capax.model.imports.opt import read_opt
from capax.model.io.container import bad_file, unpack
from capax.model.model import Model


def read_checkpoint(config: Any, weights: bytes, files: Mapping[str, Any], name: str) -> Model:
    """The model of a checkpoint: its settings, the bytes of its safetensors file, and parsed JSON files beside them.

    `name` is what errors call the checkpoint. Nothing in the files is executed.
    """
    _, tensors = unpack(weights, name)
    checkpoint = Checkpoint(config, tensors, name)
    try:
        model = _read(checkpoint, files, name)
    except CapaxError as error:
        if error.code != "bad-model":
            raise
        raise bad_file(name, error.what, "is it a checkpoint?") from None  # parts that do not fit together
    if model.max_length is not None and model.max_length < 1:
        raise unfit("its tokenizer puts so many tokens before a word that no position is left")
    return model


def _read(checkpoint: Checkpoint, files: Mapping[str, Any], name: str) -> Model:
    kind = checkpoint.config.get("model_type")
    if kind == "gpt2":
        return read_gpt2(checkpoint, files)
    if kind == "opt":
        return read_opt(checkpoint, files)
    if isinstance(kind, str) and kind in KINDS:
        return read_bert(checkpoint, files)
    if kind == "distilbert":
        return read_distilbert(checkpoint, files)
    if isinstance(kind, str) and kind in LLAMAS:
        return read_llama(checkpoint, files)
    if kind is None and {"n_embd", "block_size"} <= set(checkpoint.config):
        return read_nanogpt(checkpoint, files)
    if "d_model" in checkpoint.config and "d_head" in checkpoint.config:
        return read_lens(checkpoint, files)
    if kind is None:
        raise bad_file(name, "its configuration does not name the kind of model", "is it a checkpoint?")
    raise unfit(f"it is a model of the kind {kind!r:.40}")
