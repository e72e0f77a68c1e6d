"""Automata whose letters are commuting permutations of the states: what counts is how often each letter occurs."""

from dataclasses import dataclass
from math import prod

from capax.formal.automata.dfa import Dfa


@dataclass(frozen=True, slots=True)
class Commuting:
    """Classes of letters that permute the states alike, with the order of each permutation.

    Letters that leave every state as it is are in no class. `accepted[t]` says whether words whose counts modulo the
    orders have the digits of t (the first class has the lowest digit) are accepted.
    """

    classes: tuple[tuple[int, ...], ...]
    orders: tuple[int, ...]
    accepted: tuple[bool, ...]


def commuting(dfa: Dfa, most: int) -> Commuting | None:
    """The classes of letters of an automaton; None if letters do not permute or commute, or counts are too many."""
    states = range(dfa.size)
    maps = [tuple(dfa.delta[q][a] for q in states) for a in range(len(dfa.alphabet))]
    if any(len(set(one)) < dfa.size for one in maps):
        return None
    different = [one for one in dict.fromkeys(maps) if one != tuple(states)]
    if any(one[two[q]] != two[one[q]] for one in different for two in different for q in states):
        return None
    orders = tuple(_order(one, most) for one in different)
    if prod(orders) > most:
        return None
    reached = [dfa.start]
    for one, order in zip(different, orders, strict=True):
        layer = reached
        for _ in range(order - 1):
            layer = [one[q] for q in layer]
            reached = reached + layer
    classes = tuple(tuple(a for a, other in enumerate(maps) if other == one) for one in different)
    return Commuting(classes, orders, tuple(q in dfa.accepting for q in reached))


def _order(one: tuple[int, ...], most: int) -> int:
    """How often a permutation has to be repeated to move nothing, up to more than `most`."""
    power, count = one, 1
    while power != tuple(range(len(one))) and count <= most:
        power, count = tuple(one[q] for q in power), count + 1
    return count
