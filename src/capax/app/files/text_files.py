"""Reading and writing files, with errors that say what to do."""

import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from capax.app.process.streams import MOST_BYTES, decoded
from capax.errors import CapaxError, Source, Span
from capax.model.io.atomic import path_text, write_bytes
from capax.rasp import library

_STREAM: Final = re.compile(r"/dev/stdin|(/dev/fd|/proc/self/fd)/\d+|" + re.escape(os.devnull))
"""Names of open streams, as the shell writes them for `<(command)`. Other pipes and devices are not read."""
_KINDS: Final = {stat.S_IFIFO: "a named pipe", stat.S_IFSOCK: "a socket"}


@contextmanager
def opened(path: Path, where: Span | None = None) -> Iterator[BinaryIO]:
    """An open file for reading, and for nothing else: an error of the system is one of this file.

    What is no file, or is one that would keep the reader waiting for ever, is an error.
    """
    name = path_text(path)
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
        with open(handle, "rb") as file:
            _refuse_waiting(handle, path, where)
            yield file
    except (FileNotFoundError, NotADirectoryError):
        raise CapaxError("file-not-found", f"there is no file {name}", where, path=str(path)) from None
    except IsADirectoryError:
        raise CapaxError("file-unreadable", f"{name} is a folder", where, "name a file") from None
    except UnicodeError:
        raise
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise CapaxError("file-unreadable", f"cannot read {name}: {why}", where) from None


def open_file(path: Path, where: Span | None = None) -> BinaryIO:
    """An open file as `opened` gives it, where more is done than reading it."""
    with opened(path, where) as file:
        return open(os.dup(file.fileno()), "rb")


def _refuse_waiting(handle: int, path: Path, where: Span | None) -> None:
    mode = os.fstat(handle).st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError
    if stat.S_ISREG(mode):
        return
    if not _STREAM.fullmatch(str(path)):
        what = f"{path_text(path)} is {_KINDS.get(stat.S_IFMT(mode), 'a device')}, not a file"
        hint = "save it to a file; where FILE may be -, it can be sent to standard input"
        raise CapaxError("file-unreadable", what, where, hint)
    os.set_blocking(handle, True)


def read_text(path: Path, where: Span | None = None) -> str:
    """The text of a UTF-8 file."""
    with opened(path, where) as file:
        data = file.read(MOST_BYTES + 1)
    try:
        return decoded(data, path_text(path))
    except CapaxError as error:
        raise error.at(where) from None


def write_stdout(text: str) -> None:
    """Writes a text to standard output as UTF-8, every character of it."""
    sys.stdout.flush()
    raw = getattr(sys.stdout, "buffer", None)
    if raw is None:
        sys.stdout.write(text)
    else:
        raw.write(text.encode("utf-8", "backslashreplace"))
        raw.flush()


def write_text(path: Path, text: str) -> None:
    """Writes a file whole or not at all."""
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError as error:
        what = f"cannot write {path_text(path)}: {error.object[error.start]!r} is not a character"
        raise CapaxError("file-unreadable", what, hint="a lone surrogate has no form in UTF-8") from None
    write_bytes(path, data)


def find_rasp(name: str, loading: Source, where: Span | None) -> tuple[Source, str]:
    """The text that `load "name";` means, and a key that identifies it.

    Tried in order: the working directory, the folder of the loading file, the library.
    """
    folders = (Path(), Path(loading.name).parent)
    for path in [folder / f"{name}{ending}" for ending in (".rasp", "") for folder in folders]:
        if path.suffix == ".rasp" and _is_there(path, where):
            return Source(str(path), read_text(path, where)), str(path.resolve())
    if name == library.STANDARD or name in library.modules():
        return find_library(name, loading, where)
    raise CapaxError(
        "file-not-found",
        f"could not find {path_text(name)}.rasp",
        where,
        f"it is looked for here, beside the loading file and in the library ({', '.join(library.modules())})",
        path=f"{name}.rasp",
    )


def _is_there(path: Path, where: Span | None) -> bool:
    try:
        return path.exists() and not path.is_dir()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise CapaxError("file-unreadable", f"cannot read {path_text(path)}: {why}", where) from None


def find_library(name: str, loading: Source, where: Span | None) -> tuple[Source, str]:
    """The text that `load "name";` means where no files may be read: one of the library alone."""
    if name == library.STANDARD:
        return Source(name, ""), f"library:{name}"  # it is always there already
    if name in library.modules():
        return library.module_source(name), f"library:{name}"
    raise CapaxError(
        "file-not-found",
        f"the library has no {name[:60]}.rasp",
        where,
        f"files are not read here; the library has {', '.join(library.modules())}",
        path=f"{name}.rasp",
    )
