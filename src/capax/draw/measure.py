"""How much room text takes, on the safe side for any monospaced font."""

import unicodedata
from functools import lru_cache

NARROW = 0.62
"""The width of a character in ems; the common monospaced fonts have at most 0.61."""
WIDE = 1.3
"""The width of an East Asian character or a pictogram."""


@lru_cache(maxsize=4096)
def ems(text: str) -> float:
    """The width of a text in ems."""
    if text.isascii():
        return len(text) * NARROW
    return sum(_em(c) for c in text)


def _em(character: str) -> float:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0.0
    wide = unicodedata.east_asian_width(character) in "WF" or ord(character) >= 0x1F000
    # A letter of another script may come from a font that is not monospaced.
    return WIDE if wide else (NARROW if ord(character) < 0x250 or 0x2000 <= ord(character) < 0x2700 else 1.0)


def width(text: str, size: float) -> float:
    """The width of a text in a font size."""
    return ems(text) * size


def columns(text: str) -> int:
    """How many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    zero = ("Mn", "Me", "Cf")
    wide = unicodedata.east_asian_width
    return sum(0 if unicodedata.category(c) in zero else 1 + (wide(c) in "WF") for c in text)


def shorten(text: str, room: float, size: float) -> str:
    """The text, made to fit: a decimal number loses digits, other text its end."""
    room += 0.01  # for sums that should be equal and are not
    if width(text, size) <= room:
        return text
    number = _fewer_digits(text, room, size)
    if number is not None:
        return number
    kept = text
    while kept and width(kept + "…", size) > room:
        kept = kept[:-1]
    return kept + "…" if kept else ("…" if width("…", size) <= room else "")


def _fewer_digits(text: str, room: float, size: float) -> str | None:
    whole, point, digits = text.partition(".")
    if not point or not digits.isdigit() or not whole.lstrip("-").isdigit():
        return None
    for kept in range(len(digits) - 1, -1, -1):
        shorter = f"{float(text):.{kept}f}"
        for form in (shorter, shorter.replace("0.", ".", 1) if shorter.lstrip("-").startswith("0.") else shorter):
            if form not in ("0", "-0") and float(form) != 0 and width(form, size) <= room:
                return form
    return None


def wrap(text: str, room: float, size: float, most: int) -> list[str]:
    """The text in lines that fit, broken at spaces; what is left over at the last line is cut."""
    lines: list[str] = []
    words = text.split(" ")
    while words and len(lines) < most:
        line = words.pop(0)
        while words and width(f"{line} {words[0]}", size) <= room:
            line += f" {words.pop(0)}"
        lines.append(line)
    if words and lines:
        lines[-1] += " " + " ".join(words)
    return [shorten(line, room, size) for line in lines]
