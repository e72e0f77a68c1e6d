"""Heights: what counts of labels say of the state within a strongly connected component, round by round.

A *label* is a letter with the class of the state before it. Let V be the rational span of the label counts of closed
walks in the component. The counts of walks from the root to a state agree modulo V, which is the state's *height*.
States with the same height (and the same atoms) are in one class; the next round has finer labels. The last round is
the first whose classes are no finer.

All numbers are exact: a vector is a dictionary of the columns that are not 0, with integers where they suffice.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import gcd, lcm
from random import Random
from typing import Final, TypeAlias, TypeVar

from capax.errors import CapaxError

GREATEST_WEIGHT: Final = 30
DRAWS: Final = 8
"""Random weights of functionals: so many with each greatest absolute value."""
MOST_ENTRIES: Final = 4_000_000
"""The counts of walks to all states of a component have at most so many entries."""
_K = TypeVar("_K", bound=Hashable)
Number: TypeAlias = int | Fraction
Vector: TypeAlias = dict[int, Number]
Move: TypeAlias = tuple[int, int]
"""A state and the number of a letter."""
Functional: TypeAlias = dict[int, int]
"""Coefficients of labels."""
Pairs: TypeAlias = Iterable[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Round:
    """A round in a component: the label of each move that starts in it, V in echelon form, and the classes it finds."""

    label: Mapping[Move, int]
    walk: Mapping[int, Vector]
    """For each state the label counts of a walk from the root."""
    span: Mapping[int, Vector]
    """A basis of V: each vector begins at a column of its own, with 1."""
    classes: Mapping[int, int]

    @property
    def count(self) -> int:
        """The number of classes."""
        return len(set(self.classes.values()))


def rounds(
    delta: Sequence[Sequence[int]], states: Sequence[int], seen: Mapping[int, Hashable] | None = None
) -> tuple[Round, ...]:
    """The rounds of a component, whose root is its first state; `seen` is what atoms say of each state."""
    inside = frozenset(states)
    classes = _numbered({q: None if seen is None else seen[q] for q in states})
    done: list[Round] = []
    while True:
        label = _numbered({(q, a): (a, classes[q]) for q in states for a in range(len(delta[q]))})
        walk, span = _walks(delta, states[0], inside, label)
        heights = {q: (classes[q], _key(reduced(walk[q], span))) for q in states}
        finer = _numbered(heights)
        if done and len(set(finer.values())) == done[-1].count:
            return tuple(done)
        done.append(Round(label, walk, span, finer))
        if len(set(finer.values())) == len(states):
            return tuple(done)
        classes = finer


def _numbered(names: Mapping[_K, Hashable]) -> dict[_K, int]:
    """The same names, as numbers in the order in which they are met."""
    numbers: dict[Hashable, int] = {}
    return {key: numbers.setdefault(name, len(numbers)) for key, name in names.items()}


def _walks(
    delta: Sequence[Sequence[int]], root: int, inside: frozenset[int], label: Mapping[Move, int]
) -> tuple[dict[int, Vector], dict[int, Vector]]:
    """Label counts of a shortest walk to each state, and a basis of the span of those of closed walks."""
    walk: dict[int, Vector] = {root: {}}
    queue, closing, entries = [root], list[tuple[int, int, int]](), 0
    for q in queue:  # the queue grows while it is read
        for a, t in enumerate(delta[q]):
            if t not in inside:
                continue
            if t not in walk:
                walk[t] = plus(walk[q], {label[q, a]: 1})
                entries += len(walk[t])
                if entries > MOST_ENTRIES:
                    what = "the automaton has too many states with long ways to them to decide C-RASP"
                    raise CapaxError("too-large", what)
                queue.append(t)
            else:
                closing.append((q, a, t))
    span: dict[int, Vector] = {}
    seen = set()
    for q, a, t in closing:  # with the walk to t, and any way back, these differences span what closed walks do
        vector = plus(plus(walk[q], {label[q, a]: 1}), walk[t], -1)
        key = _key(vector)
        if key not in seen:
            seen.add(key)
            insert(span, vector)
    return walk, span


def plus(one: Mapping[int, Number], two: Mapping[int, Number], times: Number = 1) -> Vector:
    """The first vector and `times` the second."""
    total = dict(one)
    for column, value in two.items():
        new = total.get(column, 0) + times * value
        if new:
            total[column] = new
        else:
            total.pop(column, None)
    return total


def reduced(vector: Mapping[int, Number], span: Mapping[int, Vector]) -> Vector:
    """What is left of a vector modulo a span: without the columns at which basis vectors begin."""
    rest = dict(vector)
    waiting = sorted(column for column in rest if column in span)
    while waiting:
        column = waiting.pop(0)
        times = rest.get(column, 0)
        if times:
            rest = plus(rest, span[column], -times)
            waiting = sorted(c for c in rest if c in span)
    return rest


def insert(span: dict[int, Vector], vector: Mapping[int, Number]) -> None:
    """Adds a vector to a basis in echelon form, unless it is in the span."""
    rest = reduced(vector, span)
    if not rest:
        return
    lead = min(rest)
    first = rest[lead]
    span[lead] = {column: _whole(Fraction(value) / first) for column, value in rest.items()}


def _whole(value: Fraction) -> Number:
    return value.numerator if value.denominator == 1 else value


def _key(vector: Mapping[int, Number]) -> tuple[tuple[int, Number], ...]:
    return tuple(sorted(vector.items()))


def functionals(span: Mapping[int, Vector], columns: Iterable[int]) -> list[dict[int, int]]:
    """A basis of the linear functionals that are 0 on a span, with whole coefficients without a common divisor."""
    full = _fully_reduced(span)
    basis = []
    for free in sorted(columns):
        if free in full:
            continue
        functional: Vector = {free: 1}
        for lead, vector in full.items():
            if free in vector:
                functional[lead] = -vector[free]
        scale = lcm(*(Fraction(value).denominator for value in functional.values()))
        whole = {column: int(value * scale) for column, value in functional.items()}
        common = gcd(*whole.values())
        basis.append({column: value // common for column, value in sorted(whole.items())})
    return basis


def _fully_reduced(span: Mapping[int, Vector]) -> dict[int, Vector]:
    """The same span, in which no basis vector has an entry where another begins."""
    full: dict[int, Vector] = {}
    for lead in sorted(span, reverse=True):
        tail = {column: value for column, value in span[lead].items() if column != lead}
        full[lead] = {lead: 1, **reduced(tail, full)}
    return full


def value(functional: Mapping[int, int], of: Round, state: int) -> int:
    """The height of a state by a functional: the sum over a walk from the root."""
    return int(sum(functional.get(label, 0) * times for label, times in of.walk[state].items()))


def separating(of: Round, inside: Sequence[Move], pairs: Pairs) -> Functional:
    """A functional that is 0 on closed walks, and that differs on both states of each pair; coefficients are small.

    `inside` are the moves that stay in the component. Pairs must have different heights.
    """
    apart = list(dict.fromkeys(pairs))
    used = {of.label[move] for move in inside}
    states = sorted({q for pair in apart for q in pair})
    useful = [one for one in functionals(of.span, used) if len({value(one, of, q) for q in states}) > 1]
    for weights in _weights(len(useful)):
        total = _weighted(useful, weights)
        height = {q: value(total, of, q) for q in states}
        if all(height[p] != height[q] for p, q in apart):
            return {label: x for label, x in sorted(total.items()) if x}
    raise AssertionError("two states of a pair have the same height")


def _weighted(some: Sequence[Functional], weights: list[tuple[int, int]]) -> Functional:
    """A sum of functionals with weights."""
    total: Functional = {}
    for k, weight in weights:
        for label, x in some[k].items():
            total[label] = total.get(label, 0) + weight * x
    return total


def _weights(count: int) -> Iterator[list[tuple[int, int]]]:
    """Weights of some functionals, the simplest first: one, two, random ones that grow, and powers of 2, 3, ..."""
    yield []
    for k in range(count):
        yield [(k, 1)]
    for k, j in combinations(range(min(count, 12)), 2):
        yield from ([(k, 1), (j, w)] for w in (1, -1, 2, -2))
    random = Random(0)
    for most in range(1, GREATEST_WEIGHT + 1):
        for _ in range(DRAWS):
            yield [(k, random.randint(-most, most)) for k in range(count)]
    for base in range(2, 10_000):
        yield [(k, base**k) for k in range(count)]
