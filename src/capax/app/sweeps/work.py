"""The work of one run, in this process or another: clock, files and settings around `capax.lab.training_run`."""

import contextlib
import multiprocessing
import os
import threading
import time
from collections.abc import Mapping
from functools import cache
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from capax.app.sweeps.pace import Pace
from capax.errors import CapaxError
from capax.lab.engines.job import Done, Job
from capax.lab.settings import settings_of
from capax.lab.training_run import Watch
from capax.model.io.atomic import write_bytes

SAVE_EVERY = 20.0
"""Seconds between two checkpoints."""


def work(job: Job) -> Done:
    """What came of a job, done quietly, in a process that does not outlive the one that started it."""
    _end_with_parent()
    return watched(job, lambda progress: None)


@cache
def _end_with_parent() -> None:
    """Ends this process when the sweep that it works for is killed, which would else leave it waiting for ever."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch() -> None:
        wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def watched(job: Job, watch: Watch) -> Done:
    """What came of a job. It goes on from its checkpoint, if there is one, and takes it away when it is done."""
    from capax.lab.training_run import run, warm_up

    warm_up()  # importing PyTorch is not counted
    began, cpu = time.monotonic(), time.process_time()
    path = None if job.checkpoint is None else Path(job.checkpoint)
    saved = [began]

    def keep(state: bytes) -> None:
        if path is not None and time.monotonic() - saved[0] >= SAVE_EVERY:
            write_bytes(path, state)
            saved[0] = time.monotonic()

    def begun(resume: bytes | None) -> Mapping[str, Any]:
        settings, pace = settings_of(job.settings), Pace()
        result = run(settings, watch=pace.watching(watch), keep=keep, resume=resume).result
        return {**result, **pace.to_json(settings.check_every)}

    result: Mapping[str, Any] | None
    error: str | None = None
    try:
        try:
            result = begun(path.read_bytes() if path is not None and path.is_file() else None)
        except CapaxError as problem:
            if problem.code != "bad-checkpoint":
                raise
            result = begun(None)  # a checkpoint that cannot be read only costs time
    except CapaxError as problem:
        if problem.code == "missing-extra":
            raise
        result, error = None, problem.what
    if path is not None and error is None:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)
    return Done(job.key, result, error, time.monotonic() - began, time.process_time() - cpu)
