"""Progress of training on standard error: a bar on a terminal, a line now and then elsewhere."""

import shutil
import sys
import time
from types import TracebackType
from typing import Self

from capax.app.process.output import say
from capax.lab.training_run import Progress

QUIET = 10.0
"""Seconds between two lines where there is no terminal."""


class Bar:
    """Shows the progress of one run after the other: steps, rate, loss, accuracy and the time that is left."""

    def __init__(self) -> None:
        self._live = sys.stderr.isatty()
        self._title, self._began, self._printed, self._first = "", 0.0, 0.0, 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        self._clear()

    def begin(self, title: str) -> None:
        """Starts the bar of a run."""
        self._clear()
        self._title, self._began, self._first = title, time.monotonic(), -1
        self._printed = self._began

    def show(self, progress: Progress) -> None:
        """Shows where the run stands."""
        now = time.monotonic()
        if self._first < 0:
            self._first, self._began = progress.step, now  # a run may go on from a checkpoint
            return  # no rate yet
        if now - self._printed < (0.2 if self._live else QUIET):
            return
        self._printed = now
        line = describe(progress, progress.step - self._first, now - self._began)
        if self._live:
            sys.stderr.write(f"\r\x1b[2K{fitted(self._title, line, shutil.get_terminal_size().columns)}")
            sys.stderr.flush()
        else:
            say(f"{self._title}  {line}")

    def tell(self, text: str) -> None:
        """Prints a line that stays."""
        self._clear()
        say(text)

    def _clear(self) -> None:
        if self._live:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()


def fitted(title: str, line: str, columns: int) -> str:
    """Both in one line of a terminal: a longer one would wrap, and only its last part be written over."""
    room = columns - len(line) - 3
    if room < len(title):
        title = f"{title[: room - 1]}…" if room > 1 else ""
    return (f"{title}  {line}" if title else line)[: max(0, columns - 1)]


def describe(progress: Progress, taken: int, seconds: float) -> str:
    """A line: a bar, the step, steps a second, loss, accuracy and the time left at this rate."""
    share = progress.step / max(1, progress.steps)
    bar = ("#" * round(20 * share)).ljust(20, ".")
    rate = taken / seconds if seconds > 0 and taken else 0.0
    left = f"{_clock((progress.steps - progress.step) / rate)} left" if rate else "..."
    accuracy = "" if progress.accuracy is None else f"  accuracy {progress.accuracy:.4f}"
    return f"[{bar}] {progress.step}/{progress.steps}  {rate:.0f} steps/s  loss {progress.loss:.4f}{accuracy}  {left}"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
