"""The transition monoid of an automaton: what the words do to its states."""

from dataclasses import dataclass
from functools import cached_property
from math import lcm
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from capax.errors import CapaxError
from capax.formal.automata.dfa import Dfa

Map: TypeAlias = tuple[int, ...]
"""A map of the states: state q goes to the q-th entry."""
Array: TypeAlias = NDArray[Any]

MOST_ELEMENTS: Final = 50_000
"""A larger monoid is refused."""
MOST_ENTRIES: Final = 20_000_000
"""The most elements times states that are kept."""


@dataclass(frozen=True, eq=False)
class Monoid:
    """All maps of the states of an automaton that words give; element 0 is the identity, of the empty word.

    `right[e, a]` (element, symbol) is e followed by symbol a. `came[e]` is the element and the symbol that e was first
    made of, so that `word(e)` is a shortest word. For a minimal automaton it is the syntactic monoid of the language.
    """

    dfa: Dfa
    maps: tuple[Map, ...]
    right: Array
    came: tuple[tuple[int, int], ...]

    @property
    def size(self) -> int:
        """The number of elements."""
        return len(self.maps)

    @cached_property
    def number(self) -> dict[Map, int]:
        """The number of each map."""
        return {images: at for at, images in enumerate(self.maps)}

    @cached_property
    def left(self) -> Array:
        """`left[e, a]` (element, symbol) is symbol a followed by e."""
        letters = [self.maps[int(e)] for e in self.right[0]]
        return np.array([[self.number[then(letter, e)] for letter in letters] for e in self.maps], dtype=np.int64)

    def word(self, element: int) -> tuple[str, ...]:
        """A shortest word of an element; among those the first in the order of the alphabet."""
        symbols = []
        while element:
            element, symbol = self.came[element]
            symbols.append(self.dfa.alphabet[symbol])
        return tuple(symbols[::-1])

    def product(self, first: int, second: int) -> int:
        """The element of a word of `first` and then one of `second`."""
        return self.number[then(self.maps[first], self.maps[second])]

    def periodic(self) -> int | None:
        """The first element some power of which is not the next power for ever; None if the monoid is aperiodic."""
        return next((at for at, images in enumerate(self.maps) if period(images) > 1), None)


def then(first: Map, second: Map) -> Map:
    """The map: `first`, and then `second`."""
    return tuple(second[q] for q in first)


def period(images: Map) -> int:
    """The number p of different maps x^n, x^(n+1), ... for large n: 1 if the powers come to rest."""
    total, seen = 1, [-1] * len(images)
    for begin in range(len(images)):
        q, steps = begin, 0
        way: dict[int, int] = {}
        while seen[q] < 0:
            seen[q] = begin
            way[q] = steps
            q, steps = images[q], steps + 1
        if seen[q] == begin and q in way:
            total = lcm(total, steps - way[q])
    return total


def transition_monoid(dfa: Dfa, *, budget: int = MOST_ELEMENTS) -> Monoid:
    """All maps that words give, found breadth first; more than `budget` are an error."""
    letters = [tuple(row[a] for row in dfa.delta) for a in range(len(dfa.alphabet))]
    identity = tuple(range(dfa.size))
    number, maps, right, came = {identity: 0}, [identity], [], [(0, 0)]
    most = min(budget, MOST_ENTRIES // dfa.size)
    for at, images in enumerate(maps):  # the list grows while it is read
        row = []
        for symbol, letter in enumerate(letters):
            after = then(images, letter)
            element = number.setdefault(after, len(maps))
            if element == len(maps):
                if element >= most:
                    what = f"the transition monoid of the {dfa.size} states has more than {most:,} elements"
                    raise CapaxError("too-large", what, hint="a smaller automaton, or a larger --budget", budget=most)
                maps.append(after)
                came.append((at, symbol))
            row.append(element)
        right.append(row)
    return Monoid(dfa, tuple(maps), np.array(right, dtype=np.int64), tuple(came))
