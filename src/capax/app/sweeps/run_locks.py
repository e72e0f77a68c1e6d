"""Which runs a sweep has under way, so that several sweeps that share a file of results do each run once."""

import contextlib
import os
from pathlib import Path

from capax.app.sweeps.results_store import Store
from capax.errors import CapaxError
from capax.lab.engines.job import Job
from capax.model.io.atomic import unwritable

try:
    import fcntl
except ImportError:  # Windows: the first result of a run stays, but two sweeps may both do it
    fcntl = None  # type: ignore[assignment]


class Claims:
    """The runs of one sweep that are under way, as locks on files: the system lets go of them when the sweep dies."""

    def __init__(self, folder: Path, store: Store) -> None:
        self._folder, self._store = folder, store
        self._held: dict[str, int] = {}

    def take(self, job: Job) -> bool:
        """Whether this sweep has the run now; no, if another one has it under way or has finished it."""
        if job.key in self._held:
            return True
        handle = self._locked(self._path(job.key))
        if handle is None:
            return False
        self._held[job.key] = handle
        if self._store.has(job.key):
            self.give_back(job.key)
            return False
        return True

    def give_back(self, key: str) -> None:
        """Lets another sweep have the run; what came of it is stored before."""
        handle = self._held.pop(key)
        with contextlib.suppress(OSError):  # first the file, while the lock is held: nobody may hold one that is gone
            self._path(key).unlink()
        os.close(handle)

    def close(self) -> None:
        """Gives back what is left, and takes the folder away if nothing is in it."""
        for key in list(self._held):
            self.give_back(key)
        for path in self._folder.glob("*.lock"):  # of a sweep that was killed
            handle = self._locked(path)
            if handle is not None:
                self._held[path.stem] = handle
                self.give_back(path.stem)
        with contextlib.suppress(OSError):
            self._folder.rmdir()

    def _path(self, key: str) -> Path:
        return self._folder / f"{key}.lock"

    def _locked(self, path: Path) -> int | None:
        """The open file with a lock on it, or None when another process has that."""
        while True:
            try:
                self._folder.mkdir(exist_ok=True)
                handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
            except FileNotFoundError:
                if self._folder.parent.is_dir():
                    continue  # another sweep has just taken the empty folder away
                raise CapaxError("file-unreadable", f"there is no folder {self._folder.parent} any more") from None
            except OSError as error:
                raise unwritable(path, error) from None
            try:
                if fcntl is not None:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(handle)
                return None
            except OSError:
                return handle  # a file system without locks: as without fcntl
            if _is_there(path, handle):
                return handle
            os.close(handle)


def _is_there(path: Path, handle: int) -> bool:
    """Whether the open file still stands at its place: one that was given back in between is gone."""
    try:
        return os.path.samestat(os.stat(path), os.fstat(handle))
    except FileNotFoundError:
        return False
