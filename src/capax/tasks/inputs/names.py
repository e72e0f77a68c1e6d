"""Made-up names, each used once: nothing is known of who bears them."""

from typing import Any, Final

_FIRST: Final = (
    "B",
    "D",
    "F",
    "G",
    "H",
    "J",
    "K",
    "L",
    "M",
    "N",
    "P",
    "R",
    "S",
    "T",
    "V",
    "W",
    "X",
    "Y",
    "Z",
    "Br",
    "Tr",
)
_VOWELS: Final = ("a", "e", "i", "o", "u", "ai", "ea", "io", "oe")
_MIDDLE: Final = ("b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v", "x", "z", "ll", "rn", "st")
_LAST: Final = ("", "l", "n", "r", "s", "th", "ve", "x")
_WORDS: Final = frozenset({"Fair", "Near", "Hear", "Wear", "Year", "Deal", "Real", "Tear"})
"""Real words that could come up and would read strangely."""


def made_up_names(random: Any, count: int) -> list[str]:
    """So many different names, the same for the same generator."""
    names: dict[str, None] = {}
    while len(names) < count:
        syllables = 1 + (len(names) > 500) + int(random.integers(0, 2))
        name = _pick(random, _FIRST) + _pick(random, _VOWELS)
        for _ in range(syllables):
            name += _pick(random, _MIDDLE) + _pick(random, _VOWELS)
        name += _pick(random, _LAST)
        if name not in _WORDS:
            names[name] = None
    return list(names)


def _pick(random: Any, items: tuple[str, ...]) -> str:
    return items[int(random.integers(len(items)))]
