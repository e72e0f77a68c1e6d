"""Work that is interrupted in time, and work that is done before."""

import contextlib
import signal
import time

import pytest

from capax.app.web.sandbox.sandbox import OutOfTime, deadline


def test_work_is_interrupted() -> None:
    """Also work that handles every error."""

    def stubborn() -> None:
        while True:
            with contextlib.suppress(Exception):
                time.sleep(0.01)

    start = time.monotonic()
    with pytest.raises(OutOfTime), deadline(0.1):
        stubborn()
    assert time.monotonic() - start < 10


def test_work_that_is_done_goes_on() -> None:
    """Nothing is left of the deadline afterwards."""
    before = signal.getsignal(signal.SIGUSR1)
    with deadline(0.2):
        value = 1
    time.sleep(0.3)
    assert value == 1
    assert signal.getsignal(signal.SIGUSR1) == before
