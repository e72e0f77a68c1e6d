"""Ctrl-C before the command line is ready and after it has ended: the word and the exit code that it has in between."""

# `_signal` is what `signal` is made of; that itself imports much more, and may be interrupted in it
import _signal  # type: ignore[import-not-found]
import os
import sys

INTERRUPTED = 130
"""The exit code of an interrupted command."""


def leave_at_once(*_: object) -> None:
    """Says that the command was interrupted, and leaves."""
    os.write(2, b"interrupted\n")
    os._exit(INTERRUPTED)


def guard_start() -> None:
    """Lets Ctrl-C end the command `capax`, or `python -m capax`, quietly while it is still importing.

    Where capax is imported by another program nothing is changed. The start of Python itself, which comes earlier, is
    not in our hands.
    """
    command = os.path.basename(sys.argv[0]) if getattr(sys, "argv", None) else ""
    if command in ("capax", "-m") and _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
        try:
            _signal.signal(_signal.SIGINT, leave_at_once)
        except ValueError:  # not the main thread: not the start of a command
            return
