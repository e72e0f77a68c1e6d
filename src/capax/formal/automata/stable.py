"""The stable semigroup of a language: what long words of suitable lengths do."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from capax.errors import CapaxError
from capax.formal.automata.monoid import Monoid, period

MOST_STEPS: Final = 20_000
"""A stability index that needs more steps is refused."""


@dataclass(frozen=True, slots=True)
class Stable:
    """The elements of words of `index` symbols, where those of twice as many are the same: a semigroup.

    Every group in the image of the set of all words of a length lies in it, and it is one such image. The language is
    in AC0 exactly if it has no group of more than one element.
    """

    index: int
    elements: tuple[int, ...]
    periodic: int | None
    """An element of a group of more than one element, or None."""


def stable_semigroup(monoid: Monoid) -> Stable:
    """The images of the words of lengths 1, 2, ... up to the first s at which that of 2 s is the same."""
    images, seen = [b""], dict[bytes, int]()
    here = np.zeros(monoid.size, dtype=bool)
    here[0] = True
    while True:
        after = np.zeros(monoid.size, dtype=bool)
        after[monoid.right[here]] = True
        here, key = after, np.packbits(after).tobytes()
        if key in seen:
            break
        if len(images) > MOST_STEPS:
            raise CapaxError("too-large", f"the stability index of the language is more than {MOST_STEPS:,}")
        seen[key] = len(images)
        images.append(key)
    first, length = seen[key], len(images) - seen[key]  # images repeat with this length from the first on
    index = max(length, -(-first // length) * length)
    bits = np.unpackbits(np.frombuffer(images[index], dtype=np.uint8))[: monoid.size]
    elements = tuple(int(e) for e in np.flatnonzero(bits))
    periodic = next((e for e in elements if period(monoid.maps[e]) > 1), None)
    return Stable(index, elements, periodic)
