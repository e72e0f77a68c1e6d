"""The search for two inputs of one message: enumeration, birthday, then lists."""

import math
from dataclasses import dataclass

import numpy as np

from capax.limits.witnesses.search.additive import Additive, Collision, Stop
from capax.limits.witnesses.search.birthday import birthday, is_small
from capax.limits.witnesses.search.list_tree import LAST_BITS, LIST_BITS, list_tree

SLACK = 3.0
"""So many bits more than the guess allows are tried with fewer lists."""


@dataclass(frozen=True)
class Search:
    """What a search gave: a collision or none; `exhausted` says that every input was tried."""

    found: Collision | None
    exhausted: bool
    tried: tuple[str, ...]


def first_level(additive: Additive) -> int:
    """The fewest lists, as a power of two, with which a collision is likely; each doubling shares more bits."""
    beyond = additive.spread_bits - (2 * LAST_BITS - 1) - (LIST_BITS - 2)
    level = 1 + max(0, math.ceil((beyond - SLACK) / LIST_BITS))
    return max(1, min(level, additive.places.bit_length() - 2))


def collide(additive: Additive, random: np.random.Generator, stop: Stop, *, deepest: int = 4) -> Search:
    """Two inputs of equal messages: all inputs are tried where these are few, else birthday, then 4, 8, ... lists."""
    found = birthday(additive, random)
    if is_small(additive):
        return Search(found, found is None, ("enumeration",))
    tried = ["birthday"]
    level = first_level(additive)
    while found is None and not stop():
        if additive.places >> level < 2 or additive.labels is not None:
            # groups too small for lists of their own: more samples are the only way
            found = birthday(additive, random)
            continue
        tried.append(f"{2 ** (level + 1)}-list")
        for _ in range(2):
            found = found or list_tree(additive, random, level, stop)
        level = level + 1 if level < deepest and additive.places >> (level + 1) >= 2 else first_level(additive)
    return Search(found, False, tuple(dict.fromkeys(tried)))
