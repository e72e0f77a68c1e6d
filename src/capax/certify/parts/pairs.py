"""All pairs of a query and a key that a head can meet: what the selector says of them, and bounds on their scores."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from capax.certify.intervals.arithmetic import GUARD, IntervalArithmetic
from capax.certify.intervals.tensor import IntervalTensor, grain_of
from capax.certify.not_certified import NotCertified
from capax.certify.values.axes import Axes
from capax.certify.values.coded_values import expand
from capax.certify.values.selectors import made_of
from capax.model.parts import Affine, Array, Head
from capax.rasp.ir.nodes import And, Best, Indices, Node, Not, Or, Select, SelectorNode, SOpNode

MOST_PAIRS = 17_000_000
"""So many pairs of a query and a key are gone through: those of two positions and a third, of 256 each, are fewer."""

MANY_ROWS = 1_000
"""So many rows are told apart by their hashes."""

FACTOR = np.uint64(0x9E3779B97F4A7C15)
"""An odd number without a pattern, for hashes."""


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """The queries (or keys) of a head: for each distinct one a row of bounds, its position, and what comparisons see.

    `positions` is None where neither the mask nor the selector nor the vectors depend on it. With a `bias`, a row is
    (1 + d) times what lies in the bounds, plus the bias, with one d of at most `shared` for the row.
    """

    low: Array
    high: Array
    exact: bool
    grain: float
    seen: dict[Node, Array]
    positions: Array | None
    bias: Array | None = None
    shared: float = 0.0

    @property
    def count(self) -> int:
        """The number of rows."""
        return len(self.low)


@dataclass(frozen=True, slots=True, eq=False)
class SinkBounds:
    """What is known of a head's sink: its key as a side of one row, and the least and the greatest of its values."""

    key: Side
    low: Array
    high: Array

    def worth(self, number: int) -> tuple[float, float]:
        """The middle of a value, and how far it can be from there."""
        low, high = float(self.low[number]), float(self.high[number])
        middle = low if low == high else (low + high) / 2
        return middle, max(high - middle, middle - low)


def sink_of(head: Head) -> SinkBounds | None:
    """What is known of a sink that is a constant of its head: all; None where there is no sink."""
    if head.sink is None:
        return None
    key = np.asarray(head.sink.key, np.float64)[None, :]
    value = np.asarray(head.sink.value, np.float64)
    return SinkBounds(Side(key, key, True, grain_of(key), {}, None), value, value)


def vectors(map: Affine, slots: list[IntervalTensor], arithmetic: IntervalArithmetic) -> list[IntervalTensor]:
    """Queries, keys or values of a head, one number per dimension."""
    return [arithmetic.split_axes(x) for x in arithmetic.read(slots, map.weight, map.bias)]


def side(
    numbers: list[IntervalTensor],
    nodes: list[SOpNode],
    codes: Mapping[object, int],
    axes: Axes,
    arithmetic: IntervalArithmetic,
    *,
    by_position: bool,
) -> Side:
    """The distinct rows of one side of a head; `codes` gives every value of the nodes its rank."""
    values = [axes.of(n) for n in nodes]
    over = tuple(dict.fromkeys([*(a for x in numbers for a in x.axes), *(a for v in values for a in v.axes)]))
    if by_position and Indices() not in over:
        over = (*over, Indices())
    shape = arithmetic.shape(over, "a head's query or key")
    arithmetic.spend(math.prod(shape) * (len(numbers) + len(nodes) + 1))
    columns = [_flat(v.mapped(codes), v.axes, over, shape) for v in values]
    cells = _possible_cells(columns, axes.feasible(over), shape)
    if by_position:
        columns.append(_flat(np.arange(axes.longest), (Indices(),), over, shape))
    count, width = len(columns), len(numbers)
    table: Array = np.zeros((len(cells), count + 2 * width))
    for number in reversed(range(count)):
        table[:, number] = columns.pop()[cells]
    for number, (end, x) in enumerate(product(("low", "high"), numbers), count):
        table[:, number] = _flat(getattr(x, end), x.axes, over, shape)[cells]  # one at a time: they are long
    rows = _unique_rows(table)
    return Side(
        rows[:, count : count + width],
        rows[:, count + width :],
        all(x.grain > 0 and np.array_equal(x.low, x.high) for x in numbers),
        min((x.grain for x in numbers), default=1.0),
        {n: rows[:, k].astype(np.int64) for k, n in enumerate(nodes)},
        rows[:, count - 1].astype(np.int64) if by_position else None,
    )


def _possible_cells(columns: Sequence[Array], feasible: Array | None, shape: list[int]) -> Array:
    """The combinations that can happen, in a list of all: those that are feasible and have all ranks."""
    possible = np.ones(math.prod(shape), bool)
    if feasible is not None:
        possible &= np.broadcast_to(feasible, shape).reshape(-1)
    for column in columns:
        possible &= column >= 0
    cells = np.nonzero(possible)[0]
    if not len(cells):
        raise NotCertified("a head has no query or key that can happen", empty=True)
    return cells


def _flat(array: Array, axes: tuple[Node, ...], over: tuple[Node, ...], shape: list[int]) -> Array:
    """An array over some axes as a list over all combinations of more axes."""
    spread = expand(array, axes, over, shape)
    if spread.shape == tuple(shape):
        return spread.reshape(-1)
    cells = np.empty(shape, array.dtype)  # faster than a broadcast view where there are few
    cells[...] = spread
    return cells.reshape(-1)


def _unique_rows(table: Array) -> Array:
    """Each row once; rows are compared bit by bit, with one zero, which is put into the table."""
    if not table.shape[1]:
        return table[:1]
    table += 0.0
    if len(table) >= MANY_ROWS and (some := _unique_by_hash(table)) is not None:
        return some
    view = np.ascontiguousarray(table).view(np.dtype((np.void, table.itemsize * table.shape[1]))).reshape(-1)
    _, first = np.unique(view, return_index=True)
    return table[first]


def _unique_by_hash(table: Array) -> Array | None:
    """Each row once, in the order of their hashes, which are compared faster; None where two rows have one hash."""
    bits = np.ascontiguousarray(table).view(np.uint64)
    hashes: Array = np.zeros(len(bits), np.uint64)
    for column in bits.T:
        hashes = (hashes ^ column) * FACTOR
        hashes ^= hashes >> np.uint64(29)
    order = np.argsort(hashes)
    rows, hashes = bits[order], hashes[order]
    is_new = np.ones(len(rows), bool)
    is_new[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    if np.count_nonzero(is_new) != 1 + np.count_nonzero(hashes[1:] != hashes[:-1]):
        return None
    return table[order[is_new]]


@dataclass(frozen=True, slots=True, eq=False)
class ScoredPairs:
    """Bounds on the score (scale included) of every pair of a query and a key, and what is seen and selected."""

    low: Array
    high: Array
    seen: Array
    selected: Array


def comparisons(selector: SelectorNode) -> list[Select]:
    """The comparisons that a selector is made of; those below a `best` included."""
    return [n for n in made_of(selector) if isinstance(n, Select)]


def pairs_of(
    head: Head, selector: SelectorNode, queries: Side, keys: Side, arithmetic: IntervalArithmetic
) -> ScoredPairs:
    """All pairs of two sides."""
    count_pairs(queries, keys, arithmetic)
    low, high = scores(scaled(queries, head.scale, arithmetic), keys, arithmetic)
    shape = (queries.count, keys.count)
    return ScoredPairs(
        low,
        high,
        np.broadcast_to(visible(head, queries, keys), shape),
        np.broadcast_to(selected(selector, queries, keys), shape),
    )


def count_pairs(queries: Side, keys: Side, arithmetic: IntervalArithmetic) -> None:
    """Counts the work for all pairs of two sides; too many are refused."""
    arithmetic.spend(queries.count * keys.count)
    limit_pairs(queries.count * keys.count)


def limit_pairs(count: int) -> None:
    """Refuses too many pairs of queries and keys."""
    if count > MOST_PAIRS:
        raise NotCertified(f"a head has {count:,} queries with keys, too many pairs to check", too_many=True)


def visible(head: Head, queries: Side, keys: Side) -> Array:
    """Which keys the mask shows to which queries."""
    if head.mask == "none" or queries.positions is None or keys.positions is None:
        return np.ones((1, 1), bool)
    compare = {"causal": np.less_equal, "strict past": np.less, "future": np.greater_equal}.get(head.mask, np.greater)
    i, j = queries.positions.astype(np.int32), keys.positions.astype(np.int32)  # there are many pairs
    return np.asarray(compare(j[None, :], i[:, None]))


def scaled(queries: Side, scale: float, arithmetic: IntervalArithmetic) -> Side:
    """Queries times the scale of a head: rounded, unless the scale is a power of two or all digits fit."""
    if scale and not arithmetic.least <= abs(scale) <= arithmetic.largest:
        raise NotCertified(f"{arithmetic.numbers} cannot represent the scale {scale:.3g} of a head")
    one, two = queries.low * scale, queries.high * scale
    low, high = np.minimum(one, two), np.maximum(one, two)
    size = np.maximum(np.abs(low), np.abs(high))
    if queries.bias is not None:
        size = size * (1 + queries.shared) + np.abs(queries.bias * scale)
    arithmetic.within(size)
    if queries.bias is not None:
        slack = arithmetic.slack(size, 2)
        return replace(queries, low=low - slack, high=high + slack, bias=queries.bias * scale)
    if abs(math.frexp(scale)[0]) == 0.5:
        grain = queries.grain * abs(scale)
        sure = abs(scale) >= 1 or (queries.exact and grain >= arithmetic.least)
        off = 0.0 if sure else 2 * arithmetic.least  # a product so small may be lost
        return replace(queries, low=low - off, high=high + off, exact=queries.exact and sure, grain=grain)
    grain = queries.grain * grain_of(np.array([scale]))
    if queries.exact and float(size.max(initial=0.0)) * arithmetic.unit < grain:
        return replace(queries, low=low, high=high, grain=grain)
    slack = arithmetic.slack(size, 2)  # the scale itself may be rounded too
    return replace(queries, low=low - slack, high=high + slack, exact=False)


def scores(queries: Side, keys: Side, arithmetic: IntervalArithmetic) -> tuple[Array, Array]:
    """Bounds on query . key for all pairs."""
    if queries.bias is not None and keys.bias is not None:
        return _scores_apart(queries, queries.bias, keys, keys.bias, arithmetic)
    return shares([(queries, keys)], arithmetic)[0]


def _scores_apart(
    queries: Side, bias: Array, keys: Side, other: Array, arithmetic: IntervalArithmetic
) -> tuple[Array, Array]:
    """Bounds on the scores of (1 + d) q + bias and (1 + d') k + other.

    With Q = q + bias and K = k + other they are Q . K + d q . K + d' Q . k + d d' q . k; each of q and k is known by a
    middle and a radius.
    """
    q, k = (queries.low + queries.high) / 2, (keys.low + keys.high) / 2
    rq, rk = (queries.high - queries.low) / 2, (keys.high - keys.low) / 2
    whole_q, whole_k = q + bias, k + other

    def loose(a: Array, b: Array) -> Array:
        return np.asarray(np.abs(a) @ rk.T + rq @ np.abs(b).T + rq @ rk.T)

    middle, one, two = whole_q @ whole_k.T, queries.shared, keys.shared
    radius = loose(whole_q, whole_k)
    radius += one * (np.abs(q @ whole_k.T) + loose(q, whole_k)) + two * (np.abs(whole_q @ k.T) + loose(whole_q, k))
    radius += one * two * (np.abs(q @ k.T) + loose(q, k))
    most_q, most_k = (np.abs(q) + rq) * (1 + one) + np.abs(bias), (np.abs(k) + rk) * (1 + two) + np.abs(other)
    size = most_q @ most_k.T
    arithmetic.within(size)
    radius = radius * GUARD + arithmetic.slack(size, q.shape[1] + 1)
    return middle - radius, middle + radius


def shares(parts: Sequence[tuple[Side, Side]], arithmetic: IntervalArithmetic) -> list[tuple[Array, Array]]:
    """For each part of the dimensions of a head, bounds on the part's share of query . key for all its pairs.

    The sum of one share of each part bounds the score of a pair that is made of theirs: it is one sum, rounded as such.
    """
    sizes = [np.maximum(np.abs(q.low), np.abs(q.high)) @ np.maximum(np.abs(k.low), np.abs(k.high)).T for q, k in parts]
    most = sum(arithmetic.within(size) for size in sizes)
    arithmetic.within(np.array(most))
    grain = min(q.grain * k.grain for q, k in parts)
    exact = all(q.exact and k.exact for q, k in parts) and most * arithmetic.unit < grain
    terms = sum(q.low.shape[1] for q, _ in parts) + len(parts)
    bounds = []
    for (queries, keys), size in zip(parts, sizes, strict=True):
        q, k = (queries.low + queries.high) / 2, (keys.low + keys.high) / 2
        middle = q @ k.T
        if exact:
            bounds.append((middle, middle))
            continue
        rq, rk = (queries.high - queries.low) / 2, (keys.high - keys.low) / 2
        radius = (np.abs(q) @ rk.T + rq @ np.abs(k).T + rq @ rk.T) * GUARD
        radius = radius + arithmetic.slack(size, terms)
        bounds.append((middle - radius, middle + radius))
    return bounds


def selected(selector: SelectorNode, queries: Side, keys: Side) -> Array:
    """What the selector says of each pair; a `best` counts as the selector below it."""
    selected_by: dict[Node, Array] = {}
    for node in made_of(selector):
        match node:
            case Select():
                selected_by[node] = COMPARED[node.op](keys.seen[node.key][None, :], queries.seen[node.query][:, None])
            case And():
                selected_by[node] = selected_by[node.left] & selected_by[node.right]
            case Or():
                selected_by[node] = selected_by[node.left] | selected_by[node.right]
            case Not():
                selected_by[node] = ~selected_by[node.inner]
            case Best():
                selected_by[node] = selected_by[node.selector]
    return selected_by[selector]


COMPARED = {
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    ">": np.greater,
    "<=": np.less_equal,
    ">=": np.greater_equal,
}
