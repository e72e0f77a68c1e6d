"""The work of one run, in this process or another: clock, files and settings around `capax.lab.run`."""

import contextlib
import time
from pathlib import Path

from capax.app.model_files import write_bytes
from capax.errors import CapaxError
from capax.lab.engines.job import Done, Job
from capax.lab.progress import Watch
from capax.lab.settings import settings_of

SAVE_EVERY = 20.0
"""Seconds between two checkpoints."""


def work(job: Job) -> Done:
    """What came of a job, done quietly."""
    return watched(job, lambda progress: None)


def watched(job: Job, watch: Watch) -> Done:
    """What came of a job. It goes on from its checkpoint, if there is one, and takes it away when it is done."""
    from capax.lab.run import run, warm_up

    warm_up()  # importing PyTorch is not counted
    began, cpu = time.monotonic(), time.process_time()
    path = None if job.checkpoint is None else Path(job.checkpoint)
    saved = [began]

    def keep(state: bytes) -> None:
        if path is not None and time.monotonic() - saved[0] >= SAVE_EVERY:
            write_bytes(path, state)
            saved[0] = time.monotonic()

    try:
        resume = path.read_bytes() if path is not None and path.is_file() else None
        result = run(settings_of(job.settings), watch=watch, keep=keep, resume=resume, threads=1).result
        error = None
    except CapaxError as problem:
        if problem.code == "missing-extra":
            raise
        result, error = None, problem.what
    except MemoryError:
        result, error = None, "there was not enough memory"
    if path is not None and error is None:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)
    return Done(job.key, result, error, time.monotonic() - began, time.process_time() - cpu)
