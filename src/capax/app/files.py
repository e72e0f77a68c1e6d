"""Reading and writing files, with errors that say what to do."""

import os
import sys
from pathlib import Path

from capax.errors import CapaxError, Source, Span
from capax.rasp import library

MOST_BYTES = 50_000_000
"""A larger text file is refused."""


def read_text(path: Path, where: Span | None = None) -> str:
    """The text of a UTF-8 file."""
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise CapaxError("file-unreadable", f"{path} is larger than {MOST_BYTES:,} bytes", where)
        return _decoded(data)
    except (FileNotFoundError, NotADirectoryError):
        raise CapaxError("file-not-found", f"there is no file {path}", where, path=str(path)) from None
    except IsADirectoryError:
        raise CapaxError("file-unreadable", f"{path} is a folder", where, "name a file") from None
    except UnicodeDecodeError as error:
        what = f"{path} is not UTF-8 text (byte {error.start})"
        raise CapaxError("file-unreadable", what, where, "save it as UTF-8") from None
    except (OSError, ValueError) as error:
        raise CapaxError("file-unreadable", f"cannot read {path}: {error}", where) from None


def _decoded(data: bytes) -> str:
    """UTF-8 text with any line ends made plain."""
    return data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")


def read_stdin() -> str:
    """The text on standard input, whatever the terminal's encoding."""
    raw = getattr(sys.stdin, "buffer", None)
    try:
        return sys.stdin.read() if raw is None else _decoded(raw.read(MOST_BYTES + 1))
    except UnicodeDecodeError as error:
        what = f"standard input is not UTF-8 text (byte {error.start})"
        raise CapaxError("file-unreadable", what, hint="send it as UTF-8") from None


def write_stdout(text: str) -> None:
    """Writes a text to standard output as UTF-8, every character of it."""
    sys.stdout.flush()
    raw = getattr(sys.stdout, "buffer", None)
    if raw is None:
        sys.stdout.write(text)
    else:
        raw.write(text.encode("utf-8"))
        raw.flush()


def write_text(path: Path, text: str) -> None:
    """Writes a file whole or not at all."""
    import tempfile  # not needed to read

    path = path.resolve()  # a link stays a link
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name, text=False)
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        if path.exists():
            os.chmod(temporary, path.stat().st_mode & 0o7777)
        else:
            os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except OSError as error:
        raise CapaxError("file-unreadable", f"cannot write {path}: {error}", hint="is the folder writable?") from None


def cache_folder() -> Path | None:
    """The user's cache folder for capax, made if need be; None where there can be none."""
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "capax"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except (OSError, RuntimeError):
        return None
    return folder if os.access(folder, os.W_OK) else None


def find_rasp(name: str, loading: Source, where: Span | None) -> tuple[Source, str]:
    """The text that `load "name";` means, and a key that identifies it.

    Tried in order: the working directory, the folder of the loading file, the library.
    """
    folders = (Path(), Path(loading.name).parent)
    for path in [folder / f"{name}{ending}" for ending in (".rasp", "") for folder in folders]:
        if path.suffix == ".rasp" and path.is_file():
            return Source(str(path), read_text(path, where)), str(path.resolve())
    if name == library.STANDARD or name in library.modules():
        return find_library(name, loading, where)
    raise CapaxError(
        "file-not-found",
        f"could not find {name}.rasp",
        where,
        f"it is looked for here, beside the loading file and in the library ({', '.join(library.modules())})",
        path=f"{name}.rasp",
    )


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
