"""The lead of a head that takes the best of the selected keys, part by part, for each query by itself.

Lemma. Let the score of a query and a key be the sum of one share of each part, and a pair be selected if all its parts
are. For a part and a query let a be the least share of a selected key, b the greatest, c the greatest of an unselected
one that is seen, d that of any that is seen, and s the sink's share. Then, with all minima over queries:
- a selected key is above an unselected one by at least min (a - c) of one part, plus min (a - d) of all other parts;
- it is above the sink by the sum of min (a - s), and the sink above an unselected key by min (s - c) of one part, plus
  min (s - d) of all others;
- of two selected keys the better is above the other by its lead in the part that sees score and position, less the sum
  of max (b - a) of all other parts.
What only the query knows is in every share of a query, so it cancels.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from capax.certify.intervals.arithmetic import GUARD, IntervalArithmetic
from capax.certify.intervals.tensor import grain_of
from capax.certify.not_certified import NotCertified
from capax.certify.parts.extremes import Reader, ScorePart, parts_of, separated, sides_of
from capax.certify.parts.pairs import Side, scaled, selected, visible
from capax.certify.values.axes import Axes
from capax.model.parts import Array
from capax.rasp.ir.describe import describe
from capax.rasp.ir.nodes import Best, Indices

AT_ONCE = 2**21
"""So many pairs are held at a time."""

PER_STEP = 8
"""So many pairs count as one step: they are compared, and not kept."""


@dataclass(slots=True)
class _Leads:
    """What the lemma needs of one part: the least differences, and the greatest spread of selected keys."""

    above_others: float = math.inf
    above_all: float = math.inf
    above_sink: float = math.inf
    sink_above_others: float = math.inf
    sink_above_all: float = math.inf
    spread: float = 0.0
    best: float = math.inf


@dataclass(frozen=True, slots=True, eq=False)
class _Rounding:
    """How the sum of all shares of a pair is rounded: not at all, or as a sum of so many terms."""

    exact: bool
    terms: int

    def shares(self, queries: Side, keys: Side, arithmetic: IntervalArithmetic) -> tuple[Array, Array]:
        """Bounds on the share of each pair of a part."""
        q, k = (queries.low + queries.high) / 2, (keys.low + keys.high) / 2
        middle = q @ k.T
        if self.exact:
            return middle, middle
        rq, rk = (queries.high - queries.low) / 2, (keys.high - keys.low) / 2
        sizes = (
            np.maximum(np.abs(queries.low), np.abs(queries.high)) @ np.maximum(np.abs(keys.low), np.abs(keys.high)).T
        )
        radius = arithmetic.slack(sizes, self.terms)
        if rq.any() or rk.any():
            radius = radius + (np.abs(q) @ rk.T + rq @ np.abs(k).T + rq @ rk.T) * GUARD
        return middle - radius, middle + radius


def lead_of_best(reader: Reader, axes: Axes, arithmetic: IntervalArithmetic) -> float | None:
    """How far the best key is above all others, and above the sink, and the sink above unselected keys.

    None where the head has one part only, so that nothing is gained.
    """
    best = reader.selector
    assert isinstance(best, Best)
    apart = separated(replace(reader, selector=best.selector))
    ordered = {("key", Indices()), *(("key", a) for a in axes.of(best.score).axes)}
    parts = parts_of(apart, axes, ScorePart(ordered, [], [], by_position=True))
    if len(parts) < 2:
        return None
    # the part that sees positions is a `best`: its keys have a score and a position
    readers = [replace(apart, selector=Best(best.selector, best.score)) if _orders(p) else apart for p in parts]
    sides = [
        (scaled(queries, reader.head.scale, arithmetic), keys)
        for queries, keys in (sides_of(r, p, axes, arithmetic) for r, p in zip(readers, parts, strict=True))
    ]
    rounding = _rounding(sides, arithmetic)
    leads = [
        _leads(apart, part, *pair, rounding, best if _orders(part) else None, arithmetic)
        for part, pair in zip(parts, sides, strict=True)
    ]
    return _together(leads, reader.sink is not None)


def _orders(part: ScorePart) -> bool:
    return ("key", Indices()) in part.sees


def _rounding(sides: Sequence[tuple[Side, Side]], arithmetic: IntervalArithmetic) -> _Rounding:
    """Whether the sum of all shares is exact: whatever pairs are taken, by the largest numbers of each dimension."""
    most = 0.0
    for sides_of_part in sides:
        query, key = (np.maximum(np.abs(s.low), np.abs(s.high)).max(axis=0, initial=0.0) for s in sides_of_part)
        most += arithmetic.within(np.array(query @ key))
    arithmetic.within(np.array(most))
    grain = min(q.grain * k.grain for q, k in sides)
    exact = all(q.exact and k.exact for q, k in sides) and most * arithmetic.unit < grain
    return _Rounding(exact, sum(q.low.shape[1] for q, _ in sides) + len(sides))


def _leads(
    reader: Reader,
    part: ScorePart,
    queries: Side,
    keys: Side,
    rounding: _Rounding,
    best: Best | None,
    arithmetic: IntervalArithmetic,
) -> _Leads:
    """The differences of one part, a block of queries at a time."""
    arithmetic.spend(queries.count * keys.count // PER_STEP + 1)
    leads = _Leads()
    sink = None if reader.sink is None else reader.sink[None, part.dimensions]
    for rows in _blocks(queries, keys.count):
        low, high = rounding.shares(rows, keys, arithmetic)
        seen = np.broadcast_to(visible(reader.head, rows, keys), low.shape)
        chosen: Array = np.ones(low.shape, bool)
        for conjunct in part.conjuncts:
            chosen &= selected(conjunct, rows, keys)
        if (chosen & ~seen).any():
            what = describe(reader.selector)
            raise NotCertified(f"{reader.where}: the mask hides a key that `{what}` selects", reader.where)
        of_sink = None
        if sink is not None:
            of_sink = rounding.shares(rows, Side(sink, sink, True, grain_of(sink), {}, None), arithmetic)
        _compare(leads, low, high, chosen, seen, of_sink)
        if best is not None:
            leads.best = min(leads.best, _least_lead(low, high, chosen, keys, best))
    return leads


def _blocks(queries: Side, keys: int) -> Iterator[Side]:
    """The queries of a side, some at a time."""
    step = max(1, AT_ONCE // max(1, keys))
    for start in range(0, queries.count, step):
        rows = slice(start, start + step)
        yield replace(
            queries,
            low=queries.low[rows],
            high=queries.high[rows],
            seen={node: ranks[rows] for node, ranks in queries.seen.items()},
            positions=None if queries.positions is None else queries.positions[rows],
        )


def _compare(
    leads: _Leads, low: Array, high: Array, chosen: Array, seen: Array, sink: tuple[Array, Array] | None
) -> None:
    """Lowers the differences to those of some queries."""
    least = low.min(axis=1, where=chosen, initial=np.inf)
    others = high.max(axis=1, where=seen & ~chosen, initial=-np.inf)
    most = high.max(axis=1, where=chosen, initial=-np.inf)
    every = np.maximum(others, most)
    some = chosen.any(axis=1)
    leads.above_others = min(leads.above_others, float((least - others).min(where=some, initial=np.inf)))
    leads.above_all = min(leads.above_all, float((least - every).min(where=some, initial=np.inf)))
    leads.spread = max(leads.spread, float((most - least).max(where=some, initial=0.0)))
    if sink is not None:
        sink_low, sink_high = sink[0][:, 0], sink[1][:, 0]
        leads.above_sink = min(leads.above_sink, float((least - sink_high).min(where=some, initial=np.inf)))
        leads.sink_above_others = min(leads.sink_above_others, float((sink_low - others).min(initial=np.inf)))
        leads.sink_above_all = min(leads.sink_above_all, float((sink_low - every).min(initial=np.inf)))


def _least_lead(low: Array, high: Array, chosen: Array, keys: Side, best: Best) -> float:
    """How far, at least, a selected key is above those that are worse: of a lower score, or as good and before it."""
    assert keys.positions is not None
    score = keys.seen[best.score]
    order = np.lexsort((keys.positions, score))
    kind = np.stack([score[order], keys.positions[order]], 1)
    starts = np.concatenate([[0], 1 + np.nonzero((kind[1:] != kind[:-1]).any(axis=1))[0]])
    picked = chosen[:, order]
    # keys of one position and score come together: the lowest of them must be above all that come before
    lowest = np.minimum.reduceat(np.where(picked, low[:, order], np.inf), starts, axis=1)
    highest = np.maximum.reduceat(np.where(picked, high[:, order], -np.inf), starts, axis=1)
    before = np.maximum.accumulate(highest, axis=1)[:, :-1]
    return float((lowest[:, 1:] - before).min(initial=np.inf))


def _together(leads: Sequence[_Leads], sink: bool) -> float:
    """The gap of the whole head."""
    others = sum(lead.spread for lead in leads if lead.best == math.inf)
    gap = min(lead.best for lead in leads) - others
    gap = min(gap, _one_or_other([(lead.above_others, lead.above_all) for lead in leads]))
    if sink:
        gap = min(gap, sum(lead.above_sink for lead in leads))
        gap = min(gap, _one_or_other([(lead.sink_above_others, lead.sink_above_all) for lead in leads]))
    return gap


def _one_or_other(pairs: Sequence[tuple[float, float]]) -> float:
    """The least sum of the first number of one pair and the second of all others."""
    return min(
        own + sum(other for k, (_, other) in enumerate(pairs) if k != number) for number, (own, _) in enumerate(pairs)
    )
