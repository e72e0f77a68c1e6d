"""Strings as the language writes them: in double quotes, with escapes, so that every string has a text."""

import re
from typing import Final

ESCAPES: Final = {'"': '"', "\\": "\\", "n": "\n", "t": "\t", "r": "\r"}
"""What stands for one character after a backslash; `\\uXXXX` and `\\UXXXXXXXX` give any other by its number."""

ESCAPES_TEXT: Final = r"`\"`, `\\`, `\n`, `\t`, `\r`, `\uXXXX` and `\UXXXXXXXX`"
"""All escapes, for messages."""

LAST_CHARACTER: Final = 0x10FFFF

_SHORT = {ord(meant): f"\\{letter}" for letter, meant in ESCAPES.items()}
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)


def string_text(value: str) -> str:
    """The string as a literal of the language: quotes, backslashes and what cannot be printed are escaped."""
    if value.isprintable() and '"' not in value and "\\" not in value:
        return f'"{value}"'
    return '"' + "".join(c if c.isprintable() and ord(c) not in _SHORT else _escape(ord(c)) for c in value) + '"'


def _escape(number: int) -> str:
    if number in _SHORT:
        return _SHORT[number]
    return f"\\u{number:04x}" if number <= 0xFFFF else f"\\U{number:08x}"


def read_string(literal: str) -> str:
    """The string that a literal with good escapes stands for."""
    inside = literal[1:-1]
    return _ESCAPE.sub(_meant, inside) if "\\" in inside else inside


def _meant(match: "re.Match[str]") -> str:
    number = match[1] or match[2]
    return chr(int(number, 16)) if number else ESCAPES[match[3]]


def bad_escape(literal: str) -> tuple[int, int] | None:
    """Where the first escape of a literal that means nothing starts and ends; None if all are good."""
    if "\\" not in literal:
        return None
    for match in _ESCAPE.finditer(literal):
        if match[2] and int(match[2], 16) > LAST_CHARACTER:
            return match.span()
        if match[3] and match[3] not in ESCAPES:
            return match.start(), match.end() + _digits_after(literal, match)
    return None


def _digits_after(literal: str, match: "re.Match[str]") -> int:
    """How many hexadecimal digits follow a `\\u` or `\\U` that has too few of them."""
    if match[3] not in "uU":
        return 0
    digits = re.match(r"[0-9A-Fa-f]*", literal[match.end() :])
    return len(digits[0]) if digits else 0
