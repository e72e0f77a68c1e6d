"""Collisions of sums by enumeration of all inputs, or by the birthday paradox among many."""

import numpy as np

from capax.limits.witnesses.search.additive import Additive, Collision, repeated
from capax.limits.witnesses.search.sampled_sums import Pairs, Part, every, pairs
from capax.model.parts import Array

ENUMERATED_BITS = 24
"""All inputs are tried if there are at most 2^24."""


FIRST_BITS = 17


def is_small(additive: Additive) -> bool:
    """Whether all inputs can be tried."""
    return additive.input_bits <= ENUMERATED_BITS


def birthday(additive: Additive, random: np.random.Generator, bits: int = ENUMERATED_BITS) -> Collision | None:
    """A collision among about 2^bits inputs, or among all of them where there are no more; a few are tried first."""
    first = None if bits <= FIRST_BITS else _birthday(additive, random, FIRST_BITS)
    return first or _birthday(additive, random, bits)


def _birthday(additive: Additive, random: np.random.Generator, bits: int) -> Collision | None:
    hashes = additive.hashes(random)
    order = random.permutation(additive.places).tolist() if not is_small(additive) else list(range(additive.places))
    every_one = is_small(additive) and additive.input_bits <= bits
    sampled = _all(additive, hashes) if every_one else pairs(additive, hashes, order, 1 << bits, random)
    method = "enumeration" if every_one else "birthday"
    labels = None if additive.labels is None else _labels(additive, sampled)
    for places in repeated(sampled.hashes(0), labels):
        found = _checked(additive, sampled, places, method)
        if found is not None:
            return found
    return None


def _all(additive: Additive, hashes: Array) -> Pairs:
    half = additive.places // 2
    parts = []
    for places in (range(half), range(half, additive.places)):
        rows = every(len(places), additive.choices)
        total = np.zeros((len(rows), 2), np.uint64)
        for column, place in enumerate(places):
            total += hashes[place][rows[:, column]]
        parts.append(Part(tuple(places), rows, total))
    return Pairs(parts[0], parts[1])


def _labels(additive: Additive, sampled: Pairs) -> Array:
    assert additive.labels is not None, "asked for where there are labels"
    sides = []
    for part in (sampled.one, sampled.two):
        total = np.zeros(len(part.rows), np.int64)
        for column, place in enumerate(part.places):
            total += additive.labels[place][part.rows[:, column]]
        sides.append(total)
    return np.asarray(((sides[0][:, None] + sides[1][None, :]) & 1).reshape(-1))


def _checked(additive: Additive, sampled: Pairs, places: Array, method: str) -> Collision | None:
    """The first two of some inputs of equal hash that collide indeed."""
    made = []
    for index in places[:16]:
        row = np.zeros(additive.places, np.int64)
        sampled.fill(int(index), row)
        made.append(row)
    for i, one in enumerate(made):
        for two in made[:i]:
            if additive.collide(one, two):
                return Collision(tuple(two.tolist()), tuple(one.tolist()), method, sampled.count)
    return None
