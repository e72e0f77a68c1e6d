"""Models as bytes, and back: a safetensors file whose metadata describes the model.

Nothing in a file is executed. Everything in it is checked before a model is made of it: what is wrong is an error with
the code `bad-model-file`, and so is a digest that is not that of the file's bytes. The format is described in
docs/reference/model-file.md.
"""

import json
from collections.abc import Callable
from typing import Final

import numpy as np

from capax.errors import CapaxError
from capax.model.io.build_model import build
from capax.model.io.container import Stored, bad_file, digest_fault, pack, parse_json, read_header, unpack
from capax.model.io.fields import Fields
from capax.model.io.header import header_json
from capax.model.io.storage import is_exact, storage_of, stored
from capax.model.model import Model
from capax.model.parts import Array

FORMAT: Final = "capax-model"
VERSION: Final = 2
"""Version 1 had no digest, and is not read."""
UNCHECKED: Final = "make or copy it again; --unchecked (in Python unchecked=True) reads it anyway"


def to_bytes(model: Model) -> bytes:
    """The file of a model, the same bytes for equal models."""
    description = json.dumps(header_json(model), separators=(",", ":"), allow_nan=False)
    tensors = {name: _stored(name, array, model.numbers) for name, array in model.arrays()}
    data = pack(tensors, {"format": FORMAT, "version": str(VERSION), "model": description})
    try:
        from_bytes(data, "the model")
    except CapaxError as error:  # what could not be read is not written
        raise CapaxError("bad-model", f"the model cannot be saved: {error.what}") from None
    return data


def _stored(name: str, array: Array, numbers: str) -> Stored:
    storage = storage_of(numbers)
    if array.dtype != np.dtype(storage.array):
        raise CapaxError(
            "bad-model",
            f"the array {name} is of {array.dtype}; a model of {numbers:.60} has {storage.array}",
            hint="Model.to converts a model to a number system",
        )
    if not is_exact(array, storage):
        raise CapaxError("bad-model", f"the array {name} has a number that is not of {numbers:.60}, or not finite")
    return stored(array, storage)


def check_head(start: bytes, size: int, name: str) -> None:
    """Refuses a file of `size` bytes by its header, before the rest of it is read."""
    metadata, _ = read_header(start, size, name)
    _check_metadata(metadata, name)


def from_bytes(data: bytes, name: str, *, warn: Callable[[str], object] | None = None) -> Model:
    """The model in a file's bytes; `name` is what errors call the file.

    A digest that is not that of the bytes is an error; or, with `warn`, that is called with what is wrong.
    """
    metadata, tensors = unpack(data, name)
    _check_metadata(metadata, name)
    fault = digest_fault(data, metadata)
    if fault is not None:
        if warn is None:
            raise bad_file(name, fault, UNCHECKED)
        warn(f"{name}: {fault}")
    fields = Fields(parse_json(metadata["model"], name, "its description"), "", name)
    try:
        return build(fields, tensors, name)
    except CapaxError as error:
        if error.code == "bad-model-file":
            raise
        raise bad_file(name, error.what) from None


def _check_metadata(metadata: dict[str, str], name: str) -> None:
    if metadata.get("format") != FORMAT:
        hint = "capax reads models that it has written itself"
        raise bad_file(name, "it is a safetensors file, but not a model of capax", hint)
    version = metadata.get("version", "")
    if not (version.isascii() and version.isdigit() and len(version) < 10) or int(version) < 1:
        raise bad_file(name, f"{version!r:.40} is not a version of the format")
    if int(version) > VERSION:
        hint = "update capax, or save the model again with this version"
        raise bad_file(name, f"it is written in version {version} of the format; this capax reads {VERSION}", hint)
    if int(version) < VERSION:
        hint = "make the model again with this version"
        raise bad_file(name, f"it is written in version {version} of the format; this capax reads {VERSION}", hint)
    if set(metadata) - {"digest"} != {"format", "version", "model"}:
        raise bad_file(name, "its metadata must have exactly a format, a version, a model and a digest")
