"""How much room text takes, on the safe side for any monospaced font."""

import unicodedata
from collections import deque
from collections.abc import Callable
from functools import lru_cache

NARROW = 0.62
"""The width of a character in ems; the common monospaced fonts have at most 0.61."""
JOINER = "\u200d"
"""The zero width joiner, between pictograms that are drawn as one."""
WIDE = 1.3
"""The width of an East Asian character or a pictogram."""


@lru_cache(maxsize=4096)
def ems(text: str) -> float:
    """The width of a text in ems."""
    if text.isascii():
        return len(text) * NARROW
    if JOINER in text:
        return sum(_em(c) for c in _unjoined(text)) + (WIDE - NARROW) / 2
    return sum(_em(c) for c in text)


def _unjoined(text: str) -> list[str]:
    """The characters without pictograms that are joined to the one before: the joined ones are drawn as one."""
    return [c for index, c in enumerate(text) if index == 0 or text[index - 1] != JOINER or not _is_pictogram(c)]


def _is_pictogram(character: str) -> bool:
    return ord(character) >= 0x1F000 or 0x2600 <= ord(character) < 0x2C00


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
    most = _most(room, size)
    if len(text) <= most:
        if width(text, size) <= room:
            return text
        number = _fewer_digits(text, room, size)
        if number is not None:
            return number
    start = text[:most]
    while start and width(start + "…", size) > room:
        start = start[:-1].rstrip(JOINER)
    return start + "…" if start else ("…" if width("…", size) <= room else "")


def _most(room: float, size: float) -> int:
    """More characters than ever fit, even with many that take no room: the rest of a long text is not measured."""
    return 64 + 4 * int(max(0.0, room) / (NARROW * size))


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
    """The text in lines that fit, broken at spaces where it can be; what is left over at the last line is cut."""
    lines = fold(text[: most * _most(room, size)], lambda line: width(line, size) <= room, most)
    return [shorten(line, room, size) for line in lines]


def fold(text: str, fits: Callable[[str], bool], most: int) -> list[str]:
    """The text in at most `most` lines that fit; the last line holds all the rest."""
    lines: list[str] = []
    words = deque(part for word in text.split(" ") for part in _parts(word, fits))
    while words and len(lines) < most:
        line = words.popleft()
        while words and fits(f"{line} {words[0]}"):
            line += f" {words.popleft()}"
        lines.append(line)
    if words and lines:
        lines[-1] += " " + " ".join(words)
    return lines


def _parts(word: str, fits: Callable[[str], bool]) -> list[str]:
    """A word in parts that fit."""
    if fits(word):
        return [word]
    parts = [""]
    for character in word:
        if parts[-1] and not fits(parts[-1] + character):
            parts.append("")
        parts[-1] += character
    return parts
