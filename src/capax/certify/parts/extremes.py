"""The greatest and least scores of a head over all pairs of a query and a key.

A selector is often a conjunction, and a score then a sum, of parts that depend on different things: `same level and the
turn before` of levels and of turns. Each part is gone through for itself: n^2 + m^2 pairs instead of (n m)^2.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from capax.certify.intervals.arithmetic import OWN, IntervalArithmetic
from capax.certify.intervals.tensor import IntervalTensor, between, exactly, grain_of
from capax.certify.not_certified import NotCertified
from capax.certify.parts.by_value import by_value
from capax.certify.parts.pairs import Side, comparisons, count_pairs, scaled, selected, shares, side, vectors, visible
from capax.certify.values.axes import Axes
from capax.certify.values.coded_values import expand
from capax.model.parts import Affine, Array, Head
from capax.rasp.ir.describe import describe
from capax.rasp.ir.graph import conjuncts
from capax.rasp.ir.nodes import Best, Indices, Node, SelectorNode, SOpNode
from capax.rasp.ir.types import Atom

LITTLE = 2.0**-12
"""A number that is a sum up to such a part of its size is taken for the sum, with a doubt."""


@dataclass(frozen=True, slots=True)
class Extremes:
    """The least and greatest score of selected pairs, the greatest of visible others, and bounds on the sink's.

    A greatest score of nothing is minus infinity, a least one infinity.
    """

    chosen: tuple[float, float]
    others: float
    sink: tuple[float, float] | None


@dataclass(slots=True, eq=False)
class ScorePart:
    """Some dimensions of a head and some conjuncts of its selector, which together see certain axes of both sides."""

    sees: set[Any]
    dimensions: list[int]
    conjuncts: list[SelectorNode]
    by_position: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Reader:
    """A head, the numbers of its queries, keys and sink, one per dimension, and the selector that it is to follow."""

    head: Head
    selector: SelectorNode
    queries: Sequence[IntervalTensor]
    keys: Sequence[IntervalTensor]
    sink: Array | None
    where: str


def reader_of(
    head: Head,
    selector: SelectorNode,
    slots: list[IntervalTensor],
    axes: Axes,
    arithmetic: IntervalArithmetic,
    where: str,
) -> Reader:
    """A head that reads a stream; its numbers are over s-ops that are axes of their own, where they depend on them."""
    both = Affine(np.hstack([head.query.weight, head.key.weight]), np.hstack([head.query.bias, head.key.bias]))
    numbers = by_value(vectors(both, slots, arithmetic), axes, arithmetic)
    queries, keys = numbers[: head.query.outputs], numbers[head.query.outputs :]
    return Reader(head, selector, queries, keys, None if head.sink is None else np.asarray(head.sink.key, float), where)


def over_seen(x: IntervalTensor, seen: set[Node], axes: Axes) -> IntervalTensor:
    """A number over an s-op that is a function of what a comparison sees, as one over that: so they go together."""
    while len(x.axes) == 1 and x.axes[0] not in seen and x.axes[0] in axes.cuts:
        (base, *others), rows = axes.cuts[x.axes[0]].axes, axes.rows(x.axes[0])
        if others or not (base in seen or base in axes.cuts):
            break
        # where there is no value, any number stands for none
        x = between((base,), x.low[rows], x.high[rows])
    return x


def separated(reader: Reader, axes: Axes) -> Reader:
    """The same scores over more dimensions: x(a) + y(b), times a number that depends on nothing, becomes two."""
    leaves = comparisons(reader.selector)
    seen_by_query, seen_by_key = (
        {axis for node in nodes for axis in axes.of(node).axes}
        for nodes in ([leaf.query for leaf in leaves], [leaf.key for leaf in leaves])
    )
    queries: list[IntervalTensor] = []
    keys: list[IntervalTensor] = []
    sink: list[float] = []
    sink_key = np.zeros(len(reader.queries)) if reader.sink is None else reader.sink
    for query, key, of_sink in zip(reader.queries, reader.keys, sink_key.tolist(), strict=True):
        ones = [over_seen(x, seen_by_query, axes) for x in (separate(query) if not key.axes else [query])]
        twos = [over_seen(x, seen_by_key, axes) for x in (separate(key) if not query.axes else [key])]
        queries += ones * len(twos)
        keys += twos * len(ones)
        # of the parts of a query each meets the sink; of the parts of a key, which the sink has not, one
        sink += [of_sink] * len(ones) + [0.0] * (len(twos) - 1)
    return replace(reader, queries=queries, keys=keys, sink=None if reader.sink is None else np.array(sink))


def separate(x: IntervalTensor) -> list[IntervalTensor]:
    """Numbers over fewer axes each, of which a number is the sum; or the number alone.

    The sum is exact, in whatever order, or one of its terms is a doubt that depends on nothing: rounding is not a sum.
    """
    if len(x.axes) < 2:
        return [x]
    exact = x.known and 8 * x.size < 2.0**53 * x.grain
    doubt = 0.0 if exact else x.size * LITTLE
    parts: list[IntervalTensor] = []
    rest, axes = x.low if x.known else (x.low + x.high) / 2, x.axes
    for axis in x.axes:
        number = axes.index(axis)
        first = rest.take([0], number)
        change = rest - first
        line = change[tuple(slice(None) if k == number else slice(0, 1) for k in range(rest.ndim))]
        if len(axes) > 1 and (np.abs(change - line) <= doubt).all():
            parts.append(exactly((axis,), line.reshape(-1)))
            rest, axes = first.squeeze(number), (*axes[:number], *axes[number + 1 :])
    if not parts:
        return [x]
    parts.append(exactly(axes, rest))
    return parts if exact else [*parts, _doubt(x, parts)]


def _doubt(x: IntervalTensor, parts: Sequence[IntervalTensor]) -> IntervalTensor:
    """How far a number is from a sum, at most, in whatever order that is taken."""
    shape = x.low.shape
    total, size = np.zeros(shape), 0.0
    for part in parts:
        total = total + expand(part.low, part.axes, x.axes, list(shape))
        size += part.size
    off = float(max((x.high - total).max(), (total - x.low).max(), 0.0)) + (len(parts) + 4) * OWN * (size + x.size)
    return between((), np.array(-off), np.array(off))


def whole(reader: Reader) -> ScorePart:
    """All dimensions and conjuncts as one part."""
    return ScorePart(set(), [*range(len(reader.queries))], [reader.selector], reader.head.mask != "none")


def parts_of(reader: Reader, axes: Axes, together: ScorePart | None = None) -> list[ScorePart]:
    """The parts of a head that have no axis of queries and no axis of keys in common; some may have to be together."""
    parts: list[ScorePart] = [] if together is None else [together]
    for number, (query, key) in enumerate(zip(reader.queries, reader.keys, strict=True)):
        _join(parts, ScorePart({*(("query", a) for a in query.axes), *(("key", a) for a in key.axes)}, [number], []))
    for conjunct in conjuncts(reader.selector):
        leaves = comparisons(conjunct)
        seen = {("query", a) for leaf in leaves for a in axes.of(leaf.query).axes}
        seen |= {("key", a) for leaf in leaves for a in axes.of(leaf.key).axes}
        _join(parts, ScorePart(seen, [], [conjunct]))
    if reader.head.mask != "none":
        _join(parts, ScorePart({("query", Indices()), ("key", Indices())}, [], [], by_position=True))
    return parts


def _join(parts: list[ScorePart], new: ScorePart) -> None:
    """Adds a part to a list, together with those that see anything that it sees; those that see nothing are one."""
    for old in [p for p in parts if p.sees & new.sees or p.sees == new.sees]:
        parts.remove(old)
        new.sees |= old.sees
        new.dimensions = sorted([*old.dimensions, *new.dimensions])
        new.conjuncts = [*old.conjuncts, *new.conjuncts]
        new.by_position |= old.by_position
    parts.append(new)


def extremes(
    reader: Reader, known: Sequence[tuple[ScorePart, tuple[Side, Side]]], arithmetic: IntervalArithmetic
) -> Extremes:
    """The extremes over all pairs that are made of one pair of each part, whose queries and keys are given.

    A pair is selected if all its parts are; it is none of the selected and visible if one part is not selected and
    all are visible.
    """
    parts = [part for part, _ in known]
    sides = [_scaled(pair, reader.head.scale, arithmetic) for _, pair in known]
    for queries, keys in sides:
        count_pairs(queries, keys, arithmetic)
    low, high, others = 0.0, 0.0, list[tuple[float, float]]()
    for part, (queries, keys), bounds in zip(parts, sides, shares(sides, arithmetic), strict=True):
        seen = visible(reader.head, queries, keys)
        follows: Array = np.ones((1, 1), bool)
        for conjunct in part.conjuncts:
            follows = follows & selected(conjunct, queries, keys)
        if (follows & ~seen).any():
            selector = describe(reader.selector)
            raise NotCertified(f"{reader.where}: the mask hides a key that `{selector}` selects", reader.where)
        low += _least(bounds[0], follows)
        high += _most(bounds[1], follows)
        others.append((_most(bounds[1], seen & ~follows), _most(bounds[1], seen)))
    worst = max(
        own + sum(other for k, (_, other) in enumerate(others) if k != number) for number, (own, _) in enumerate(others)
    )
    return Extremes((low, high), worst, _sink(reader, parts, [q for q, _ in sides], arithmetic))


def _most(scores: Array, which: Array) -> float:
    return float(scores.max(where=np.broadcast_to(which, scores.shape), initial=-np.inf))


def _least(scores: Array, which: Array) -> float:
    return float(scores.min(where=np.broadcast_to(which, scores.shape), initial=np.inf))


def sides_of(reader: Reader, part: ScorePart, axes: Axes, arithmetic: IntervalArithmetic) -> tuple[Side, Side]:
    """The queries and the keys of a part of a head."""
    leaves = [leaf for conjunct in part.conjuncts for leaf in comparisons(conjunct)]
    key_nodes: list[SOpNode] = list(dict.fromkeys(leaf.key for leaf in leaves))
    query_nodes: list[SOpNode] = list(dict.fromkeys(leaf.query for leaf in leaves))
    best = isinstance(reader.selector, Best)
    if isinstance(reader.selector, Best):
        key_nodes = list(dict.fromkeys([*key_nodes, reader.selector.score]))
    order = ranked([v for n in dict.fromkeys((*key_nodes, *query_nodes)) for v in axes.set_of(n)])
    masked = part.by_position and reader.head.mask != "none"  # only a mask asks where a query is
    queries, keys = ([numbers[k] for k in part.dimensions] for numbers in (reader.queries, reader.keys))
    return (
        side(queries, query_nodes, order, axes, arithmetic, by_position=masked),
        side(keys, key_nodes, order, axes, arithmetic, by_position=masked or best),
    )


def _scaled(sides: tuple[Side, Side], scale: float, arithmetic: IntervalArithmetic) -> tuple[Side, Side]:
    return scaled(sides[0], scale, arithmetic), sides[1]


def _sink(
    reader: Reader, parts: Sequence[ScorePart], queries: Sequence[Side], arithmetic: IntervalArithmetic
) -> tuple[float, float] | None:
    """Bounds on the sink's score, over all queries."""
    if reader.sink is None:
        return None
    key = reader.sink[None, :]
    fixed = [key[:, part.dimensions] for part in parts]
    keys = [Side(k, k, True, grain_of(k), {}, None) for k in fixed]
    bounds = shares(list(zip(queries, keys, strict=True)), arithmetic)
    return sum(float(low.min()) for low, _ in bounds), sum(float(high.max()) for _, high in bounds)


def ranked(values: list[Atom]) -> dict[object, int]:
    """Ranks: numbers in order, then strings in order; equal numbers have one rank."""
    numbers = sorted({v for v in values if not isinstance(v, str)})
    strings = sorted({v for v in values if isinstance(v, str)})
    return {v: i for i, v in enumerate([*numbers, *strings])}
