"""The collision search for the messages of a one-layer model to one query, of any attention kind."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from capax.limits.witnesses.search.additive import Collision, Stop
from capax.limits.witnesses.search.collide import Search, collide
from capax.limits.witnesses.search.one_query import OneQuery
from capax.limits.witnesses.search.sampled_sums import every
from capax.model.parts import Array

FEW = 4096
"""Messages of hard attention are computed one by one: all of them where there are so few, else in batches."""


@dataclass(frozen=True)
class Searched:
    """A search, an upper bound of the number of messages, and the number of inputs."""

    search: Search
    messages: int
    inputs: int


def searched(query: OneQuery, labels: Array | None, random: np.random.Generator, stop: Stop) -> Searched:
    """Two assignments of the free places with equal messages (and different labels, where there are any)."""
    inputs, fitting = math.prod(map(len, query.tokens)), 1 << query.width
    if query.is_additive:
        additive = query.additive(labels)
        found = collide(additive, random, stop)
        return Searched(found, min(fitting, additive.most_messages), inputs)
    return Searched(_one_by_one(query, labels, random, stop), fitting, inputs)


def _one_by_one(query: OneQuery, labels: Array | None, random: np.random.Generator, stop: Stop) -> Search:
    """The search that computes each message, for messages that are not sums."""
    places, choices = len(query.places), len(query.tokens[0])
    label = _labeller(labels)
    seen: dict[bytes, Array] = {}
    small = choices**places <= FEW
    while True:
        rows = every(places, choices) if small else random.integers(0, choices, (512, places))
        for row, message in zip(rows, query.messages(rows), strict=True):
            other = seen.setdefault(message.tobytes(), row)
            if (other != row).any() and (labels is None or label(other) != label(row)):
                pair = tuple(other.tolist()), tuple(row.tolist())
                method = "enumeration" if small else "birthday"
                return Search(Collision(*pair, method, len(seen)), False, (method,))
        if small or stop():
            return Search(None, small, ("enumeration" if small else "birthday",))


def _labeller(labels: Array | None) -> Callable[[Array], int]:
    if labels is None:
        return lambda row: 0
    return lambda row: int(labels[np.arange(len(row)), row].sum()) & 1
