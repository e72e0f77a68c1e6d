"""A file of SQLite as something that can be read without any file being written."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import quote

LOGS: Final = ("-wal", "-journal")
"""What SQLite adds to a file's name for what is not in the file yet, or would have to be undone."""


class Changed(Exception):  # noqa: N818 (nothing is wrong)
    """Raised when a file was written to while it was read: what was read may be half old and half new."""


@contextmanager
def readable(path: Path) -> Iterator[str]:
    """The address under which SQLite reads a file and changes nothing.

    A file is whole by itself when nothing waits in a log beside it: then it is read as one that
    never changes, which needs no files of locks. Otherwise the log is read with it: under the locks of the
    writers where their file of locks (`-shm`) is there, and else, so that none is made, in a copy of the two.
    """
    before = _state(path)
    waiting = [ending for ending in LOGS if before[ending][1]]
    if not waiting:
        try:
            yield _address(path, "immutable=1")
        finally:
            if _state(path) != before:
                raise Changed
    elif waiting == ["-wal"] and Path(f"{path}-shm").exists():
        yield _address(path, "mode=ro")
    else:
        with tempfile.TemporaryDirectory(prefix="capax-") as folder:
            copy = Path(folder) / "results"
            for ending in ("", *waiting):
                shutil.copyfile(f"{path}{ending}", f"{copy}{ending}")
            if _state(path) != before:
                raise Changed
            yield _address(copy, "mode=rw")


def _state(path: Path) -> dict[str, tuple[int, int]]:
    """When a file and those with its logs were last changed, and how large they are; zeros for what is not there."""
    states = {}
    for ending in ("", *LOGS):
        try:
            status = os.stat(f"{path}{ending}")
            states[ending] = status.st_mtime_ns, status.st_size
        except FileNotFoundError:
            states[ending] = 0, 0
    return states


def _address(path: Path, how: str) -> str:
    return f"file:{quote(str(path.resolve()))}?{how}"
