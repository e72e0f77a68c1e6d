"""Results go to standard output, messages to standard error; colour on a terminal, and none elsewhere."""

import json
import math
import os
import re
import sys
from typing import Any, Final, TextIO

from capax.app.process.heartbeat import stop_pulse

_STYLES = {"error": "31", "warning": "33", "name": "36", "quiet": "2", "good": "32", "bold": "1"}
_VERDICTS: Final = {
    "good": r"yes|proved|certified|equals|equal",
    "error": r"no|wrong|not certified|refused|unequal",
    "warning": r"unknown|undecided|vacuous|no statement",
}
_VERDICT: Final = re.compile(
    r"^(\s*(?:verdict\s+)?)(?:"
    + "|".join(f"(?P<{name}>{words})" for name, words in reversed(_VERDICTS.items()))
    + r")(?![\w=])",
    re.MULTILINE,
)
"""A verdict at the start of a line; the longest ones are tried first, so that `no statement` is no `no`."""


def colour_wanted(out: TextIO) -> bool:
    """Whether a stream is a terminal whose user has not asked for plain text."""
    return out.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def paint(text: str, style: str, *, on: bool) -> str:
    """The text in a style, or as it is."""
    return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if on else text


def paint_verdicts(text: str) -> str:
    """The text with the verdicts at the start of its lines in green, red and yellow."""
    return _VERDICT.sub(lambda m: m[1] + paint(m[0][len(m[1]) :], str(m.lastgroup), on=True), text)


def print_text(text: str) -> None:
    """Prints a result, every character of it; at a terminal its verdicts are coloured."""
    stop_pulse()
    if colour_wanted(sys.stdout):
        text = paint_verdicts(text)
    sys.stdout.write(text + "\n")


def print_json(value: Any) -> None:
    """Prints a result as JSON on one line."""
    stop_pulse()
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
    stop_pulse()
    sys.stdout.flush()
    sys.stderr.write((paint(text, style, on=colour_wanted(sys.stderr)) if style else text) + "\n")
