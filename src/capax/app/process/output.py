"""Results go to standard output, messages to standard error; colour on a terminal, and none elsewhere."""

import json
import math
import os
import sys
from typing import Any, TextIO

_STYLES = {"error": "31", "warning": "33", "name": "36", "quiet": "2", "good": "32", "bold": "1"}


def colour_wanted(out: TextIO) -> bool:
    """Whether a stream is a terminal whose user has not asked for plain text."""
    return out.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def paint(text: str, style: str, *, on: bool) -> str:
    """The text in a style, or as it is."""
    return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if on else text


def print_text(text: str) -> None:
    """Prints a result, every character of it."""
    sys.stdout.write(text + "\n")


def print_json(value: Any) -> None:
    """Prints a result as JSON on one line."""
    sys.stdout.write(json_text(value) + "\n")


def json_text(value: Any) -> str:
    """A result as JSON on one line."""
    return json.dumps(_finite(value), ensure_ascii=False, allow_nan=False)


def _finite(value: Any) -> Any:
    """The value with infinities, which JSON lacks, as the strings inf and -inf."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, list):
        return [_finite(v) for v in value]
    if isinstance(value, dict):
        return {k: _finite(v) for k, v in value.items()}
    return value


def say(text: str, style: str | None = None) -> None:
    """Prints a message, not a result."""
    sys.stdout.flush()
    sys.stderr.write((paint(text, style, on=colour_wanted(sys.stderr)) if style else text) + "\n")
