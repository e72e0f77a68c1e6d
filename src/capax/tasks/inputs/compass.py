"""What the spatial tasks share: directions (what `A is to the west of B` says of A and B), and made-up names."""

from typing import Any, Final

from capax.errors import CapaxError

STEPS: Final = {"west": (-1, 0), "east": (1, 0), "south": (0, -1), "north": (0, 1)}
"""A direction as signs: further east, further north."""
CORNERS: Final = {
    f"{vertical}{horizontal}": (STEPS[horizontal][0], STEPS[vertical][1])
    for vertical in ("north", "south")
    for horizontal in ("west", "east")
}
SIGNS: Final = {**STEPS, **CORNERS}
NAMED: Final = {signs: name for name, signs in SIGNS.items()}


def opposite(direction: str) -> str:
    """The direction the other way round."""
    east, north = SIGNS[direction]
    return NAMED[-east, -north]


def unread(what: str) -> CapaxError:
    """The error for a text that is not a question of the task."""
    return CapaxError("bad-input", what, hint="`capax task NAME` prints questions of the right form")


_FIRST: Final = (*"BDFGHJKLMNPRSTVWXYZ", "Br", "Tr")
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
