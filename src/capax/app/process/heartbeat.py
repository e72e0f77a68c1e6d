"""A line on standard error that shows that a long command is at work: after two seconds, and at a terminal only."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

QUIET: Final = 2.0
"""Seconds without a word before the line is shown."""
EVERY: Final = 0.5
"""Seconds between two versions of the line."""
_ERASE: Final = "\r\x1b[K"


class Pulse:
    """The line of one command; it ends for good as soon as the command itself prints something."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._over = threading.Event()
        self._writing = threading.Lock()
        self._shown = False
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        """Begins to wait."""
        self._thread.start()

    def stop(self) -> None:
        """Takes the line away, and shows no more."""
        with self._writing:
            if self._shown and not self._over.is_set():
                sys.stderr.write(_ERASE)
                sys.stderr.flush()
            self._over.set()

    def _run(self) -> None:
        begin = time.monotonic()
        wait = QUIET
        while not self._over.wait(wait):
            wait = EVERY
            with self._writing:
                if not self._over.is_set():
                    self._shown = True
                    sys.stderr.write(f"{_ERASE}{self.name}: {time.monotonic() - begin:.0f} s")
                    sys.stderr.flush()


_CURRENT: Final[ContextVar[Pulse | None]] = ContextVar("pulse", default=None)
"""The line of the command that runs, if it has one."""


@contextmanager
def pulse(name: str) -> Iterator[None]:
    """Shows for how long a command has been at work, while it says nothing."""
    if not sys.stderr.isatty():
        yield
        return
    line = Pulse(name)
    before = _CURRENT.set(line)
    line.start()
    try:
        yield
    finally:
        line.stop()
        _CURRENT.reset(before)


def stop_pulse() -> None:
    """Takes the line away: what follows is printed by the command itself."""
    line = _CURRENT.get()
    if line is not None:
        line.stop()
