"""Models in files: read with bounds, written whole or not at all."""

import os
import stat
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Final

from capax.app.files.text_files import opened
from capax.app.process.output import say
from capax.errors import CapaxError
from capax.model.io.container import check_start
from capax.model.io.file import check_head, from_bytes
from capax.model.model import Model

MOST_BYTES: Final = 2_000_000_000
"""A larger model file is refused."""


def load_model(path: str | os.PathLike[str], *, unchecked: bool = False) -> Model:
    """The model in a file; nothing in the file is executed.

    A file whose bytes were changed since it was written is refused: its digest shows it. With `unchecked` it is read
    all the same, with a warning.
    """
    return _load(path, (lambda text: warnings.warn(text, stacklevel=5)) if unchecked else None)


def given_model(path: str, *, unchecked: bool) -> Model:
    """The model in a file that a command names; with `unchecked`, what is wrong with its digest is a message."""
    return _load(path, (lambda text: say(f"warning: {text}", "error")) if unchecked else None)


def _load(path: str | os.PathLike[str], warn: Callable[[str], object] | None) -> Model:
    name = os.fspath(path)
    try:
        with opened(Path(name)) as file:
            return from_bytes(_read(file, name), name, warn=warn)
    except CapaxError as error:
        if error.code == "file-not-found":
            error.hint = "a model is a file, such as model.safetensors"
        raise


def _read(file: BinaryIO, name: str) -> bytes:
    """The bytes of a file, once its header has shown that it is a model."""
    facts = os.fstat(file.fileno())
    if not stat.S_ISREG(facts.st_mode):
        raise CapaxError("file-unreadable", f"{name} is not a regular file", hint="save the model to a file first")
    if facts.st_size > MOST_BYTES:
        raise CapaxError("file-unreadable", f"{name} has {facts.st_size:,} bytes; at most {MOST_BYTES:,} are read")
    start = file.read(8)
    start += file.read(check_start(start, facts.st_size, name))
    check_head(start, facts.st_size, name)
    file.seek(0)
    return file.read(facts.st_size)


def save_model(model: Model, path: str | os.PathLike[str]) -> None:
    """Writes a model to a file, whole or not at all."""
    model.save(path)
