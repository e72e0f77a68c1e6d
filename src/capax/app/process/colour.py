"""Colour on a terminal, and none elsewhere."""

import os
from typing import TextIO

_STYLES = {"error": "31", "warning": "33", "name": "36", "quiet": "2", "good": "32", "bold": "1"}


def colour_wanted(out: TextIO) -> bool:
    """Whether a stream is a terminal whose user has not asked for plain text."""
    return out.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def paint(text: str, style: str, *, on: bool) -> str:
    """The text in a style, or as it is."""
    return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if on else text
