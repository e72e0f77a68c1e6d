"""Checkpoints of other libraries: a folder that was written elsewhere becomes a model; and any model by its name."""

import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from capax.app.files.models import MOST_BYTES, given_model
from capax.app.files.text_files import opened
from capax.app.process.streams import MOST_BYTES as MOST_TEXT
from capax.errors import CapaxError
from capax.model.imports.read_checkpoint import read_checkpoint
from capax.model.io.container import WRITTEN, check_start, parse_json, read_header
from capax.model.model import Model

CONFIGS: Final = ("config.json", "cfg.json")
WEIGHTS: Final = "model.safetensors"
TOKENIZERS: Final = ("tokenizer.json", "vocab.json")
ENDING: Final = ".safetensors"
PICKLES: Final = (".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle")
"""Endings of files that run code when they are read."""


def any_model(path: str | os.PathLike[str], *, unchecked: bool = False) -> Model:
    """The model of a .safetensors file of capax, or of a folder of Hugging Face or TransformerLens.

    A file that could run code when it is read is refused, with how to convert it.
    """
    name = os.fspath(path)
    if Path(name).suffix in PICKLES:
        hint = (
            "load it where you trust it, then model.save_pretrained(FOLDER, safe_serialization=True), and give FOLDER"
        )
        raise CapaxError("bad-model-file", f"{name} is a pickle, which can run code when it is read", hint=hint)
    return import_model(name) if Path(name).is_dir() else given_model(name, unchecked=unchecked)


def import_model(directory: str | os.PathLike[str]) -> Model:
    """The model in a folder of Hugging Face (GPT-2, Llama, OPT, BERT and others) or TransformerLens.

    Nothing in it is executed. The folder has a `config.json` and a `model.safetensors`; a `tokenizer.json` or
    `vocab.json` names the tokens.
    """
    try:
        return _read(os.fspath(directory))
    except CapaxError as error:
        if error.hint != WRITTEN:
            raise
        hint = "is it whole, as the other library has written it?"  # the reader of bytes took it for a file of ours
        raise CapaxError(error.code, error.what, hint=hint, **error.data) from None


def _read(name: str) -> Model:
    folder = Path(name)
    if not folder.is_dir():
        hint = "a checkpoint is a folder with config.json and model.safetensors"
        raise CapaxError("file-not-found", f"there is no folder {name}", hint=hint, path=name)
    config = next((folder / c for c in CONFIGS if (folder / c).is_file()), None)
    if config is None:
        hint = "a checkpoint has the settings of its model in this file"
        raise CapaxError("file-not-found", f"there is no config.json in {name}", hint=hint, path=name)
    weights = _weights(folder, name)
    files = {t: _json(folder / t, f"{name}/{t}") for t in TOKENIZERS if (folder / t).is_file()}
    return read_checkpoint(_json(config, f"{name}/{config.name}"), weights, files, name)


def read_files(name: str, files: Iterable[str]) -> dict[str, bytes]:
    """The bytes of some files of a folder, none of which is too large."""
    data = {}
    for file in files:
        path = Path(name) / file
        if not path.is_file():
            hint = "is it a folder that `capax export --to hf` has written?"
            raise CapaxError("file-not-found", f"there is no {file} in {name}", hint=hint, path=name)
        tensors = file.endswith(ENDING)
        data[file] = _bytes(path, f"{name}/{file}", MOST_BYTES if tensors else MOST_TEXT, tensors=tensors)
    return data


def _weights(folder: Path, name: str) -> bytes:
    """The bytes of the one safetensors file of a folder."""
    if (folder / WEIGHTS).is_file():
        return _bytes(folder / WEIGHTS, f"{name}/{WEIGHTS}", MOST_BYTES, tensors=True)
    shards = sorted(path for path in folder.glob(f"*{ENDING}") if path.is_file())
    if len(shards) == 1:
        return _bytes(shards[0], f"{name}/{shards[0].name}", MOST_BYTES, tensors=True)
    if shards:
        hint = "save it again in one file: save_pretrained(folder, max_shard_size='2GB')"
        raise CapaxError("not-importable", f"the weights in {name} are in {len(shards)} files", hint=hint)
    hint = "only safetensors files are read; formats that can run code, such as pytorch_model.bin, are not"
    raise CapaxError("file-not-found", f"there is no {WEIGHTS} in {name}", hint=hint, path=name)


def _json(path: Path, name: str) -> Any:
    return parse_json(_bytes(path, name, MOST_TEXT), name, "it")


def _bytes(path: Path, name: str, most: int, *, tensors: bool = False) -> bytes:
    """The bytes of a file that is not too large; of tensors only once their header is in order."""
    try:
        with opened(path) as file:
            facts = os.fstat(file.fileno())
            if not stat.S_ISREG(facts.st_mode):
                raise CapaxError("file-unreadable", f"{name} is not a file of its own", hint="name a folder of files")
            if facts.st_size > most:
                raise CapaxError("file-unreadable", f"{name} has {facts.st_size:,} bytes; at most {most:,} are read")
            if tensors:
                start = file.read(8)
                start += file.read(check_start(start, facts.st_size, name))
                read_header(start, facts.st_size, name)
                file.seek(0)
            return file.read(facts.st_size)
    except (OSError, ValueError) as error:
        raise CapaxError("file-unreadable", f"cannot read {name!r:.200}: {error}") from None
