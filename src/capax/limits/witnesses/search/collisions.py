"""The search for two inputs of one message, of any attention kind: enumeration, birthday, then lists."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from capax.limits.witnesses.search.additive import Additive, Collision, Stop, repeated
from capax.limits.witnesses.search.list_tree import LAST_BITS, LIST_BITS, list_tree
from capax.limits.witnesses.search.one_query import OneQuery
from capax.limits.witnesses.search.sampled_sums import SampledGroup, SampledPairs, every, pairs
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
    order = (
        random.permutation(additive.positions).tolist() if not is_small(additive) else list(range(additive.positions))
    )
    every_one = is_small(additive) and additive.input_bits <= bits
    sampled = _all(additive, hashes) if every_one else pairs(additive, hashes, order, 1 << bits, random)
    method = "enumeration" if every_one else "birthday"
    labels = None if additive.labels is None else _labels(additive, sampled)
    for positions in repeated(sampled.hashes(0), labels):
        collision = _checked(additive, sampled, positions, method)
        if collision is not None:
            return collision
    return None


def _all(additive: Additive, hashes: Array) -> SampledPairs:
    half = additive.positions // 2
    parts = []
    for positions in (range(half), range(half, additive.positions)):
        rows = every(len(positions), additive.choices)
        total = np.zeros((len(rows), 2), np.uint64)
        for column, position in enumerate(positions):
            total += hashes[position][rows[:, column]]
        parts.append(SampledGroup(tuple(positions), rows, total))
    return SampledPairs(parts[0], parts[1])


def _labels(additive: Additive, sampled: SampledPairs) -> Array:
    assert additive.labels is not None, "asked for where there are labels"
    sides = []
    for part in (sampled.one, sampled.two):
        total = np.zeros(len(part.rows), np.int64)
        for column, position in enumerate(part.positions):
            total += additive.labels[position][part.rows[:, column]]
        sides.append(total)
    return np.asarray(((sides[0][:, None] + sides[1][None, :]) & 1).reshape(-1))


def _checked(additive: Additive, sampled: SampledPairs, positions: Array, method: str) -> Collision | None:
    """The first two of some inputs of equal hash that collide indeed."""
    rows = []
    for index in positions[:16]:
        row = np.zeros(additive.positions, np.int64)
        sampled.fill(int(index), row)
        rows.append(row)
    for i, one in enumerate(rows):
        for two in rows[:i]:
            if additive.collide(one, two):
                return Collision(tuple(two.tolist()), tuple(one.tolist()), method)
    return None


SLACK = 3.0
"""This many bits more than the guess allows are tried with fewer lists."""


@dataclass(frozen=True)
class CollisionSearch:
    """What a search gave: a collision or none; `exhausted` says that every input was tried."""

    collision: Collision | None
    exhausted: bool
    tried: tuple[str, ...]


def first_level(additive: Additive) -> int:
    """The fewest lists, as a power of two, with which a collision is likely; each doubling shares more bits."""
    beyond = additive.spread_bits - (2 * LAST_BITS - 1) - (LIST_BITS - 2)
    level = 1 + max(0, math.ceil((beyond - SLACK) / LIST_BITS))
    return max(1, min(level, additive.positions.bit_length() - 2))


def collide(additive: Additive, random: np.random.Generator, stop: Stop, *, deepest: int = 4) -> CollisionSearch:
    """Two inputs of equal messages: all inputs are tried where these are few, else birthday, then 4, 8, ... lists."""
    collision = birthday(additive, random)
    if is_small(additive):
        return CollisionSearch(collision, collision is None, ("enumeration",))
    tried = ["birthday"]
    level = first_level(additive)
    while collision is None and not stop():
        if additive.positions >> level < 2 or additive.labels is not None:
            # groups too small for lists of their own: more samples are the only way
            collision = birthday(additive, random)
            continue
        tried.append(f"{2 ** (level + 1)}-list")
        for _ in range(2):
            collision = collision or list_tree(additive, random, level, stop)
        level = level + 1 if level < deepest and additive.positions >> (level + 1) >= 2 else first_level(additive)
    return CollisionSearch(collision, False, tuple(dict.fromkeys(tried)))


FEW = 4096
"""Messages of hard attention are computed one by one: all of them where there are this few, else in batches."""


@dataclass(frozen=True)
class Searched:
    """A search, an upper bound of the number of messages, and the number of inputs."""

    search: CollisionSearch
    messages: int
    inputs: int


def searched(query: OneQuery, labels: Array | None, random: np.random.Generator, stop: Stop) -> Searched:
    """Two assignments of the free positions with equal messages (and different labels, where there are any)."""
    inputs, fitting = math.prod(map(len, query.tokens)), 1 << query.width
    if query.is_additive:
        additive = query.additive(labels)
        search = collide(additive, random, stop)
        return Searched(search, min(fitting, additive.most_messages), inputs)
    return Searched(_one_by_one(query, labels, random, stop), fitting, inputs)


def _one_by_one(query: OneQuery, labels: Array | None, random: np.random.Generator, stop: Stop) -> CollisionSearch:
    """The search that computes each message, for messages that are not sums."""
    positions, choices = len(query.positions), len(query.tokens[0])
    label = _labeller(labels)
    seen: dict[bytes, Array] = {}
    small = choices**positions <= FEW
    while True:
        rows = every(positions, choices) if small else random.integers(0, choices, (512, positions))
        for row, message in zip(rows, query.messages(rows), strict=True):
            other = seen.setdefault(message.tobytes(), row)
            if (other != row).any() and (labels is None or label(other) != label(row)):
                pair = tuple(other.tolist()), tuple(row.tolist())
                method = "enumeration" if small else "birthday"
                return CollisionSearch(Collision(*pair, method), False, (method,))
        if small or stop():
            return CollisionSearch(None, small, ("enumeration" if small else "birthday",))


def _labeller(labels: Array | None) -> Callable[[Array], int]:
    if labels is None:
        return lambda row: 0
    return lambda row: int(labels[np.arange(len(row)), row].sum()) & 1
