"""Several searches at once, and searches that are stored in a file."""

import os
import time
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from capax.app.against_specs.search import search
from capax.errors import CapaxError
from capax.lab.engines.job import Done, Job, serial
from capax.lab.engines.pool import pool
from capax.synthesis.state import SearchState

ENGINES = ("serial", "pool")


def checkpoint(file: str | None) -> SearchState | None:
    """The state of a search in a file: what is there, and what writes it, whole or not at all."""
    if file is None:
        return None
    path = Path(file)
    if not path.parent.is_dir():
        raise CapaxError("file-unreadable", f"there is no folder {path.parent} to write {path.name} to")
    stored: dict[str, Any] | None = None
    if path.exists():
        try:
            with path.open("rb") as opened, np.load(opened, allow_pickle=False) as arrays:
                stored = {name: arrays[name] for name in arrays.files}
        except (OSError, ValueError, EOFError, zipfile.BadZipFile):
            raise CapaxError("bad-state", f"{path.name} is not the state of a search") from None

    def save(arrays: dict[str, Any]) -> None:
        beside = path.with_name(f"{path.name}.part")
        with beside.open("wb") as out:
            np.savez(out, **arrays)
        os.replace(beside, path)

    return SearchState(stored, save)


def work(job: Job) -> Done:
    """What came of the search of a job, in this process."""
    clock, processor = time.monotonic(), time.process_time()
    result: Mapping[str, Any] | None = None
    error: str | None = None
    try:
        result = search(job.settings["spec"], **job.settings["options"]).to_json()
    except CapaxError as refused:
        error = str(refused)
    return Done(job.key, result, error, time.monotonic() - clock, time.process_time() - processor)


def searches(specs: Sequence[str], options: Mapping[str, Any], engine: str) -> Iterator[Done]:
    """What came of each of several searches, as they end: one after the other, or on all cores."""
    if engine not in ENGINES:
        raise CapaxError("bad-option", f"--engine is one of {', '.join(ENGINES)}, not {engine!r:.40}")
    jobs = [Job(spec, {"spec": spec, "options": dict(options)}) for spec in dict.fromkeys(specs)]
    if engine == "serial":
        return serial(jobs, work)
    return pool(jobs, work, workers=os.cpu_count() or 1)
