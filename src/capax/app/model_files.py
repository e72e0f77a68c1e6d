"""Models in files: read with bounds, written whole or not at all."""

import os
import stat
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Final

from capax.app.output import say
from capax.errors import CapaxError
from capax.model.container import check_start
from capax.model.file import check_head, from_bytes, to_bytes
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
        with Path(name).open("rb") as file:
            return from_bytes(_read(file, name), name, warn=warn)
    except (FileNotFoundError, NotADirectoryError):
        hint = "a model is a file, such as model.safetensors"
        raise CapaxError("file-not-found", f"there is no file {name}", hint=hint, path=name) from None
    except IsADirectoryError:
        raise CapaxError("file-unreadable", f"{name} is a folder", hint="name a file") from None
    except (OSError, ValueError) as error:
        raise CapaxError("file-unreadable", f"cannot read {name!r:.200}: {error}") from None


def _read(file: BinaryIO, name: str) -> bytes:
    """The bytes of a file, once its header has shown that it is a model."""
    facts = os.fstat(file.fileno())
    if not stat.S_ISREG(facts.st_mode):
        raise CapaxError("file-unreadable", f"{name} is not a file of its own", hint="name a file")
    if facts.st_size > MOST_BYTES:
        raise CapaxError("file-unreadable", f"{name} has {facts.st_size:,} bytes; at most {MOST_BYTES:,} are read")
    start = file.read(8)
    start += file.read(check_start(start, facts.st_size, name))
    check_head(start, facts.st_size, name)
    file.seek(0)
    return file.read(facts.st_size)


def save_model(model: Model, path: str | os.PathLike[str]) -> None:
    """Writes a model to a file, whole or not at all."""
    write_bytes(Path(path), to_bytes(model))


def check_writable(path: Path) -> None:
    """Raises the error that writing the file would end with: better before hours of work than after them."""
    folder = path.resolve().parent
    if path.is_dir():
        raise CapaxError("file-unreadable", f"cannot write {path}: it is a folder", hint="name a file")
    if not folder.is_dir():
        raise CapaxError("file-unreadable", f"cannot write {path}: there is no folder {folder}", hint="make it first")
    if not os.access(folder, os.W_OK):
        raise CapaxError("file-unreadable", f"cannot write {path}: {folder} is not writable")


def write_bytes(path: Path, data: bytes) -> None:
    """Writes a file whole or not at all: under another name in the same folder first, then in place."""
    temporary = None
    try:
        target = path.resolve()  # a link stays a link
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=target.name)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, target.stat().st_mode & 0o7777 if target.exists() else 0o644)
        os.replace(temporary, target)
        temporary = None
    except (OSError, ValueError, RuntimeError) as error:
        why = getattr(error, "strerror", None) or error
        raise CapaxError("file-unreadable", f"cannot write {path}: {why}", hint="is the folder writable?") from None
    finally:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)
