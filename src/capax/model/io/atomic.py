"""Files and folders that are written whole or not at all, and leave nothing behind.

A file gets its bytes without having a name, where the system can do that, and its name only when they are on the disk:
whoever is killed before leaves nothing. Elsewhere, and for folders, it first has a name of the form `.capax-*.part`,
under a lock that the system takes away with the process; a later writer in the same folder removes those whose lock is
free.
"""

import contextlib
import errno
import os
import secrets
import shutil
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from capax.errors import CapaxError

try:
    import fcntl
except ImportError:  # Windows: nothing tells whether a writer is still alive, so its files are left alone
    fcntl = None  # type: ignore[assignment]

LONGEST_NAME: Final = 200
"""A longer file name is shown cut."""
_START, _END = ".capax-", ".part"
_REPLACED: Final = "before"
"""In a folder that is being written: what it takes the place of."""
_NEW: Final = 0o666
"""The mode of a new file, less what the user's umask takes away."""
_REMEDIES: Final = {
    **dict.fromkeys((errno.EACCES, errno.EPERM, errno.EROFS), "is the folder writable?"),
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EFBIG), "make room on the disk, or write elsewhere"),
    errno.ENAMETOOLONG: "give it a shorter name",
    errno.ENOENT: "make the folder first",
}
"""What helps against the errors of the system; for the others nothing is known to."""
_YOUNG: Final = 60.0
"""How many seconds a writer may take from making its file to locking it."""


def path_text(path: Path | str) -> str:
    """The name of a file as messages have it."""
    name = str(path)
    return name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}... ({len(name):,} characters)"


def write_bytes(path: Path, data: bytes) -> None:
    """Writes a file whole or not at all; what stood there before stays until then."""
    try:
        target = path.resolve()  # a link stays a link
        if target.exists() and not target.is_file():
            what = "it is a folder" if target.is_dir() else "it is not a regular file"
            raise CapaxError("file-unreadable", f"cannot write {path_text(path)}: {what}", hint="name a file")
        remove_stale(target.parent)
        with _unnamed(target.parent) as (handle, temporary):
            if target.exists() and hasattr(os, "fchmod"):
                os.fchmod(handle, stat.S_IMODE(target.stat().st_mode))
            with open(handle, "wb", closefd=False) as file:
                file.write(data)
            os.fsync(handle)
            if not temporary.exists():
                _name(handle, temporary)
            os.replace(temporary, target)
    except (OSError, ValueError, RuntimeError) as error:
        raise unwritable(path, error) from None


def check_writable(path: Path) -> None:
    """Raises the error that writing the file would end with: better before hours of work than after them."""
    what = f"cannot write {path_text(path)}"
    try:
        folder = path.resolve().parent
        if path.is_dir():
            raise CapaxError("file-unreadable", f"{what}: it is a folder", hint="name a file")
        if not folder.is_dir():
            raise CapaxError("file-unreadable", f"{what}: there is no folder {folder}", hint="make it first")
    except (OSError, ValueError, RuntimeError) as error:
        raise unwritable(path, error) from None
    if not os.access(folder, os.W_OK):
        raise CapaxError("file-unreadable", f"{what}: {folder} is not writable")


def _name(handle: int, path: Path) -> None:
    """Gives a name to an open file that has none. Only when it is given a handle does Python follow the link."""
    os.link(f"/proc/self/fd/{handle}", path, src_dir_fd=handle, follow_symlinks=True)


def unwritable(path: Path | str, error: Exception) -> CapaxError:
    """The error that a file or folder cannot be written."""
    why = getattr(error, "strerror", None) or error
    hint = _REMEDIES.get(getattr(error, "errno", None) or 0)
    return CapaxError("file-unreadable", f"cannot write {path_text(path)}: {why}", hint=hint)


@contextmanager
def _unnamed(folder: Path) -> Iterator[tuple[int, Path]]:
    """An open file in a folder without a name if that can be, and the name that it has or gets; gone at the end."""
    temporary = folder / f"{_START}{secrets.token_hex(8)}{_END}"
    try:
        handle = os.open(folder, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, _NEW)
        named = not os.path.exists(f"/proc/self/fd/{handle}")
        if named:
            os.close(handle)
    except (OSError, AttributeError):  # the file system, or the whole system, has no such files
        named = True
    if named:
        handle = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_CLOEXEC", 0), _NEW)
    _lock(handle)
    try:
        yield handle, temporary
    finally:
        temporary.unlink(missing_ok=True)
        os.close(handle)


@contextmanager
def folder_beside(target: Path) -> Iterator[Path]:
    """An empty folder that takes the place of a directory when all went well, and is gone when not."""
    remove_stale(target.parent)
    outer = target.parent / f"{_START}{secrets.token_hex(8)}{_END}"
    outer.mkdir(mode=0o700)
    lock = os.open(outer, os.O_RDONLY) if fcntl is not None else None
    try:
        if lock is not None:
            _lock(lock)
        inner = outer / target.name
        inner.mkdir()
        yield inner
        _put(inner, target, outer / _REPLACED)
    finally:
        shutil.rmtree(outer, ignore_errors=True)
        if lock is not None:
            os.close(lock)


def _put(folder: Path, target: Path, before: Path) -> None:
    """Moves a folder into its place; what stood there goes to `before`, and comes back if the move fails."""
    if target.exists():  # renaming onto a folder that is not empty fails
        target.rename(before)
    try:
        folder.rename(target)
    except BaseException:
        if before.exists():
            before.rename(target)
        raise


def remove_stale(folder: Path) -> None:
    """Removes what dead writers have left in a folder; what cannot be removed stays."""
    for path in folder.glob(f"{_START}*{_END}"):
        with contextlib.suppress(OSError, AttributeError):  # AttributeError: a system without these flags
            handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                if _is_free(handle) and time.time() - os.fstat(handle).st_mtime >= _YOUNG:
                    _remove(path)
            finally:
                os.close(handle)


def _remove(path: Path) -> None:
    if not path.is_dir():
        path.unlink()
    elif not (path / _REPLACED).exists():  # an export that was to be replaced: the user decides
        shutil.rmtree(path, ignore_errors=True)


def _is_free(handle: int) -> bool:
    """Whether no writer holds the lock of a file."""
    if fcntl is not None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return fcntl is not None


def _lock(handle: int) -> None:
    if fcntl is not None:
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
