"""Heads of third order: that the weights follow a selector over triples.

Lemma (parts). A score is the sum over dimensions of a product of a function of the query, one of the first key and one
of the second. The dimensions are grouped by which of the three they depend on; a conjunction of conditions is grouped
in the same way. If every group's share of the score lies in [l, h] where the group's conditions hold, at most f where
they fail, and at most m anywhere, then selected triples score from the sum of the l to the sum of the h, and others at
most the greatest f of one group plus the sum of the m of all other groups. The groups need not be independent: bounds
over all combinations hold for those that happen.
Lemma (rounding). (q k1) k2 rounds twice for each dimension, and the sum as every sum. It is exact where all three are
known multiples of powers of two whose products, of two and of three, fit the digits of the system.
Lemma (values). With one as the value of every second key, a column is the weighted mean of the first keys' values,
and the bounds of ordinary heads hold with pairs of keys in place of keys.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from capax.certify.certificate import HeadFigures
from capax.certify.intervals.arithmetic import GUARD, IntervalArithmetic
from capax.certify.intervals.tensor import IntervalTensor, grain_of
from capax.certify.not_certified import NotCertified
from capax.certify.parts.check_heads import HeadCheck, gap_of, head_results
from capax.certify.parts.extremes import Extremes, ranked
from capax.certify.parts.pairs import (
    COMPARED,
    MOST_PAIRS,
    Side,
    SinkBounds,
    comparisons,
    scaled,
    selected,
    side,
    vectors,
    visible,
)
from capax.certify.values.axes import Axes
from capax.model.parts import Array, Head, TensorHead
from capax.rasp.ir.describe import describe
from capax.rasp.ir.nodes import SelectorNode, SOpNode
from capax.rasp.ir.triple_nodes import SumSelect, TripleNode
from capax.rasp.ir.triple_parts import TripleConjunction, conjunction

Three = tuple[Side, Side, Side]
"""The queries, the first keys and the second keys."""


@dataclass(frozen=True, slots=True, eq=False)
class TensorCheck:
    """A third-order head that is to compute means or a count over a selector of pairs, and the stream it reads."""

    head: TensorHead
    nodes: Sequence[SOpNode]
    triples: TripleNode
    slots: list[IntervalTensor]
    axes: Axes
    arithmetic: IntervalArithmetic
    where: str

    def fails(self, why: str) -> NotCertified:
        """The failure of this head, for a reason."""
        return NotCertified(f"{self.where}{why}", self.where)


@dataclass(frozen=True, slots=True, eq=False)
class TriplePart:
    """Dimensions of a head that depend on the same of query and keys, and the conditions on these."""

    dimensions: tuple[int, ...]
    first: SelectorNode | None = None
    second: SelectorNode | None = None
    keys: SelectorNode | None = None
    sums: tuple[SumSelect, ...] = ()
    slot: str = "every"

    @property
    def conditions(self) -> bool:
        """Whether anything is asked of its triples."""
        return self.first is not None or self.second is not None or self.keys is not None or bool(self.sums)


def check_tensor_head(check: TensorCheck) -> tuple[list[IntervalTensor], HeadFigures]:
    """What each output column of a third-order head holds, and its figures; raises `NotCertified` otherwise."""
    head, arithmetic = check.head, check.arithmetic
    parts = conjunction(check.triples)
    if parts is None:
        raise check.fails(f": `{describe(check.triples)}` is a disjunction, and only conjunctions are certified")
    if arithmetic.exp_error or arithmetic.keys:
        raise check.fails(" is of third order, which is not certified with norms or a prefix")
    if len(check.nodes) > head.value1.outputs or len({type(n) for n in check.nodes}) > 1:
        raise check.fails(" has too few values for what it is said to compute")
    if any(x.axes or not x.known or x.size != 1 or x.low != 1 for x in vectors(head.value2, check.slots, arithmetic)):
        raise check.fails(": the value of a second key is not one")
    view = Head(head.query, head.key1, head.value1, head.output, mask=head.mask, scale=head.scale)
    as_pairs = HeadCheck(
        view, check.nodes, check.triples, check.slots, check.axes, arithmetic, check.where, _sink_bounds(check)
    )
    gap, spread = gap_of(as_pairs, _extremes(check, parts, as_pairs.sink))
    return head_results(as_pairs, gap, spread)


def _sink_bounds(check: TensorCheck) -> SinkBounds | None:
    """What is known of the sink: the product of its keys, and its values, which are those of its first key."""
    sink = check.head.sink
    if sink is None:
        return None
    if (np.asarray(sink.value2, np.float64) != 1).any():
        raise check.fails(": the second value of the sink is not one")
    one, two = np.asarray(sink.key1, np.float64), np.asarray(sink.key2, np.float64)
    if not (np.isin(np.abs(two), (0.0, 1.0))).all():
        raise check.fails(": the second key of the sink is not of zeros and ones")
    key = (one * two)[None, :]  # not rounded
    value = np.asarray(sink.value1, np.float64)
    return SinkBounds(Side(key, key, True, grain_of(key), {}, None), value, value)


def _extremes(check: TensorCheck, parts: TripleConjunction, sink: SinkBounds | None) -> Extremes:
    """The extreme scores: by parts, or by all dimensions at once where parts do not separate selected triples."""
    head, masked = check.head, check.head.mask != "none"
    numbers = tuple(vectors(m, check.slots, check.arithmetic) for m in (head.query, head.key1, head.key2))
    apart = _by_parts(check, _parts(numbers, parts, masked=masked), numbers, sink)
    if apart.others < min(apart.chosen[0], 0.0) and (apart.sink is None or apart.others < apart.sink[0]):
        return apart
    dimensions = tuple(range(len(numbers[0])))
    whole = TriplePart(dimensions, parts.first, parts.second, parts.keys, parts.sums, slot="whole")
    return _by_parts(check, [whole], numbers, sink)


def _by_parts(
    check: TensorCheck,
    parts: Sequence[TriplePart],
    numbers: tuple[list[IntervalTensor], ...],
    sink: SinkBounds | None,
) -> Extremes:
    """The extreme scores of selected triples, of others, and of the sink."""
    head, arithmetic = check.head, check.arithmetic
    groups = [_rows(check, part, numbers) for part in parts]
    scored = [(scaled(g.queries, head.scale, arithmetic), g.firsts, g.seconds) for g in groups]
    low = high = 0.0
    others: list[tuple[float, float]] = []
    for group, (least, most) in zip(groups, _shares(scored, arithmetic), strict=True):
        seen, (follows, has_value) = _seen(head, group), _follows(group)
        if (follows & has_value & ~seen).any():
            raise check.fails(f": the mask hides a key that `{describe(check.triples)}` selects")
        low += _end(least, follows & has_value, np.inf)
        high += _end(most, follows & has_value, -np.inf)
        others.append((_end(most, ~follows & has_value & seen, -np.inf), _end(most, has_value & seen, -np.inf)))
    worst = max(
        own + sum(whole for k, (_, whole) in enumerate(others) if k != number) for number, (own, _) in enumerate(others)
    )
    return Extremes((low, high), worst, None if sink is None else _sink_scores(groups, scored, sink, arithmetic))


def _sink_scores(
    groups: Sequence["TripleRows"], scored: Sequence[Three], sink: SinkBounds, arithmetic: IntervalArithmetic
) -> tuple[float, float]:
    """Bounds on the sink's score, over all queries."""
    meetings: list[Three] = []
    for group, (queries, _, _) in zip(groups, scored, strict=True):
        key = sink.key.low[:, list(group.part.dimensions)]
        one = np.ones_like(key)
        meetings.append((queries, Side(key, key, True, grain_of(key), {}, None), Side(one, one, True, 1.0, {}, None)))
    bounds = _shares(meetings, arithmetic)
    return sum(float(low.min()) for low, _ in bounds), sum(float(high.max()) for _, high in bounds)


def _end(scores: Array, which: Array, none: float) -> float:
    """The least score of some triples, if `none` is infinity, else the greatest."""
    mask = np.broadcast_to(which, scores.shape)
    return float(scores.min(where=mask, initial=none) if none > 0 else scores.max(where=mask, initial=none))


def _parts(numbers: tuple[list[IntervalTensor], ...], parts: TripleConjunction, *, masked: bool) -> list[TriplePart]:
    """The dimensions and conditions by what they depend on; a dimension goes to the first that it fits."""
    allowed = ({0, 1}, {0, 2}, {1, 2}, {0, 1, 2})
    dimensions: list[list[int]] = [[], [], [], []]
    for number in range(len(numbers[0])):
        varies = {side for side, some in enumerate(numbers) if some[number].axes}
        dimensions[next(k for k, most in enumerate(allowed) if varies <= most)].append(number)
    if parts.sums:  # what no condition of its own asks for belongs to the sums
        for k, condition in enumerate((parts.first, parts.second, parts.keys)):
            if condition is None:
                dimensions[3] += dimensions[k]
                dimensions[k] = []
    first, second, keys, every = (tuple(sorted(some)) for some in dimensions)
    groups = [
        TriplePart(first, first=parts.first, slot="first"),
        TriplePart(second, second=parts.second, slot="second"),
        TriplePart(keys, keys=parts.keys, slot="keys"),
        TriplePart(every, sums=parts.sums),
    ]
    # the mask is weighed in the first two
    return [g for k, g in enumerate(groups) if g.dimensions or g.conditions or (masked and k < 2) or k == 0]


@dataclass(frozen=True, slots=True, eq=False)
class TripleRows:
    """The distinct queries, first and second keys of a part of a head; `ranks` has the ranks of values."""

    part: TriplePart
    queries: Side
    firsts: Side
    seconds: Side
    ranks: Mapping[object, int]


def _rows(check: TensorCheck, part: TriplePart, numbers: tuple[list[IntervalTensor], ...]) -> TripleRows:
    """The rows of a part; too many triples are refused."""
    nodes: tuple[list[SOpNode], list[SOpNode], list[SOpNode]] = ([], [], [])
    for selector, key, query in ((part.first, 1, 0), (part.second, 2, 0), (part.keys, 1, 2)):
        for leaf in comparisons(selector) if selector is not None else ():
            nodes[key].append(leaf.key)
            nodes[query].append(leaf.query)
    for test in part.sums:
        for place, node in enumerate((test.query, test.key1, test.key2)):
            nodes[place].append(node)
    ranks = ranked([v for n in dict.fromkeys(n for some in nodes for n in some) for v in check.axes.set_of(n)])
    masked = check.head.mask != "none"
    positions = {0: masked and part.slot in ("first", "second", "whole")}
    positions |= {1: masked and part.slot in ("first", "whole"), 2: masked and part.slot in ("second", "whole")}
    queries, firsts, seconds = (
        side(
            [numbers[place][d] for d in part.dimensions],
            list(dict.fromkeys(nodes[place])),
            ranks,
            check.axes,
            check.arithmetic,
            by_position=positions[place],
        )
        for place in range(3)
    )
    count = queries.count * firsts.count * seconds.count
    check.arithmetic.spend(count)
    if count > MOST_PAIRS:
        what = f"{check.where} has {queries.count:,} queries and {firsts.count:,} and {seconds.count:,} keys"
        raise NotCertified(f"{what}, too many triples to check", check.where, too_many=True)
    return TripleRows(part, queries, firsts, seconds, ranks)


def _seen(head: TensorHead, rows: TripleRows) -> Array:
    """Which triples the mask shows, as far as a part weighs it."""
    seen: Array = np.ones((1, 1, 1), bool)
    view = Head(head.query, head.key1, head.value1, head.output, mask=head.mask)
    if head.mask != "none" and rows.part.slot in ("first", "whole"):
        seen = seen & visible(view, rows.queries, rows.firsts)[:, :, None]
    if head.mask != "none" and rows.part.slot in ("second", "whole"):
        seen = seen & visible(view, rows.queries, rows.seconds)[:, None, :]
    return seen


def _follows(rows: TripleRows) -> tuple[Array, Array]:
    """Whether the conditions of a part hold of a triple, and whether the program has a value there at all."""
    part, queries, firsts, seconds = rows.part, rows.queries, rows.firsts, rows.seconds
    follows: Array = np.ones((1, 1, 1), bool)
    has_value: Array = np.ones((1, 1, 1), bool)
    if part.first is not None:
        follows = follows & selected(part.first, queries, firsts)[:, :, None]
    if part.second is not None:
        follows = follows & selected(part.second, queries, seconds)[:, None, :]
    if part.keys is not None:
        follows = follows & selected(part.keys, seconds, firsts).T[None, :, :]
    for test in part.sums:
        q, q_ok = _integers(test.query, queries, rows.ranks)
        a, a_ok = _integers(test.key1, firsts, rows.ranks)
        b, b_ok = _integers(test.key2, seconds, rows.ranks)
        total = q[:, None, None] + a[None, :, None] + b[None, None, :]
        follows = follows & COMPARED[test.op](total % test.modulus if test.modulus else total, test.constant)
        has_value = has_value & q_ok[:, None, None] & a_ok[None, :, None] & b_ok[None, None, :]
    return follows, has_value


def _integers(node: SOpNode, rows: Side, ranks: Mapping[object, int]) -> tuple[Array, Array]:
    """The integers of some rows, and which of the values are integers; the program fails on words with others."""
    values: list[Any] = sorted(ranks, key=lambda v: ranks[v])
    if any(not isinstance(v, str) and not abs(v) < 2**53 for v in values):
        raise NotCertified(f"`{describe(node)}` has numbers beyond 2^53")
    whole = [not isinstance(v, str) and float(v).is_integer() for v in values]
    numbers = np.array([int(v) if ok else 0 for v, ok in zip(values, whole, strict=True)], np.int64)
    at = rows.seen[node]
    return numbers[at], np.array(whole, bool)[at]


def _shares(parts: Sequence[Three], arithmetic: IntervalArithmetic) -> list[tuple[Array, Array]]:
    """For each group bounds on its share of the score of all its triples; one share of each is one sum, rounded so."""
    sizes = [_product(*(_size(s) for s in three)) for three in parts]
    most = sum(arithmetic.within(size) for size in sizes)
    arithmetic.within(np.array(most))
    grain = min(q.grain * a.grain * b.grain for q, a, b in parts)
    exact = all(s.exact for three in parts for s in three) and most * arithmetic.unit < grain
    exact = exact and all(_pairs_fit(three, arithmetic) for three in parts)
    terms = sum(q.low.shape[1] for q, _, _ in parts) + len(parts) + 2
    bounds = []
    for three, size in zip(parts, sizes, strict=True):
        middles = [(s.low + s.high) / 2 for s in three]
        middle = _product(*middles)
        if exact:
            bounds.append((middle, middle))
            continue
        wide = _product(*(np.abs(m) + (s.high - s.low) / 2 for m, s in zip(middles, three, strict=True)))
        known = all(np.array_equal(s.low, s.high) for s in three)
        radius = (0.0 if known else (wide - _product(*map(np.abs, middles))) * GUARD + wide * 2.0**-48) + (
            arithmetic.slack(size, terms)
        )
        bounds.append((middle - radius, middle + radius))
    return bounds


def _pairs_fit(three: Three, arithmetic: IntervalArithmetic) -> bool:
    """Whether the product of any two of the three is exact."""
    largest = [_size(s).max(axis=0, initial=0.0) for s in three]
    for one, two in ((0, 1), (0, 2), (1, 2)):
        grain = three[one].grain * three[two].grain
        if float((largest[one] * largest[two]).max(initial=0.0)) * arithmetic.unit >= grain:
            return False
    return True


def _size(rows: Side) -> Array:
    return np.maximum(np.abs(rows.low), np.abs(rows.high))


def _product(queries: Array, firsts: Array, seconds: Array) -> Array:
    """The sums over dimensions of products of three, for all triples."""
    both = (queries[:, None, :] * firsts[None, :, :]).reshape(len(queries) * len(firsts), queries.shape[1])
    return np.asarray(both @ seconds.T).reshape(len(queries), len(firsts), len(seconds))
