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
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import zip_longest
from typing import NamedTuple

import numpy as np

from capax.certify.intervals.arithmetic import GUARD, IntervalArithmetic
from capax.certify.not_certified import NotCertified
from capax.certify.parts.extremes import Reader, ScorePart, parts_of, separated, sides_of
from capax.certify.parts.pairs import Side, scaled, selected, visible
from capax.certify.systems import ROUNDOFF
from capax.certify.values.axes import Axes
from capax.model.parts import Array
from capax.rasp.ir.describe import describe
from capax.rasp.ir.nodes import Best, Indices, Select

AT_ONCE = 2**17
"""So many pairs are held at a time: their bounds fit the caches of a processor."""

MANY_AT_ONCE = 2**20
"""So many, where few steps are taken for each pair."""

MANY_PAIRS = 2**22
"""Of more pairs the roundings are not bounded one by one."""

FEW_CHOSEN = 16
"""Where no more than one key of so many is selected, selected ones are gone through by themselves."""

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


@dataclass(frozen=True, eq=False)
class _Numbers:
    """The numbers of queries or keys, a row for each: middles and radii of their bounds, and the greatest sizes."""

    middle: Array
    radius: Array
    size: Array

    @classmethod
    def of(cls, side: Side) -> "_Numbers":
        """Those of a side."""
        size = np.maximum(np.abs(side.low), np.abs(side.high))
        return cls((side.low + side.high) / 2, (side.high - side.low) / 2, size)

    @cached_property
    def in_float32(self) -> Array:
        """The middles in float32, where they are numbers of it."""
        return self.middle.astype(np.float32)

    @cached_property
    def greatest(self) -> "_Numbers":
        """One row that bounds all: the greatest absolute value of each column."""
        return _Numbers(*(np.abs(x).max(axis=0, initial=0.0)[None] for x in (self.middle, self.radius, self.size)))


@dataclass(frozen=True, slots=True, eq=False)
class _Rounding:
    """How the sum of all shares of a pair is rounded: not at all, or as a sum of so many terms.

    `pairs`: how many there are in the part with the most. `fits_float32`: it is not rounded there, either.
    """

    exact: bool
    terms: int
    pairs: int
    fits_float32: bool = False

    @property
    def one_radius(self) -> bool:
        """Whether all shares of a part are taken to be as far off as the worst, or none is off."""
        return self.exact or self.pairs > MANY_PAIRS

    def shares(self, queries: _Numbers, keys: _Numbers, arithmetic: IntervalArithmetic) -> tuple[Array, Array]:
        """Bounds on the share of each pair of a part."""
        middle, radius = self.middles(queries, keys, arithmetic)
        return (middle, middle) if self.exact else (middle - radius, middle + radius)

    def middles(
        self, queries: _Numbers, keys: _Numbers, arithmetic: IntervalArithmetic, *, short: bool = False
    ) -> tuple[Array, Array]:
        """The middle of the share of each pair of a part, and how far the share can be from it: of each, or of all.

        Lemma. Sums of multiples of a power of two that are less than 2^24 times it are exact in float32, in any order.
        `short` asks for numbers of float32 where this is so; their differences are to be taken in float64.
        """
        if self.exact and short and self.fits_float32:
            return queries.in_float32 @ keys.in_float32.T, np.zeros((1, 1))
        if self.exact:
            return queries.middle @ keys.middle.T, np.zeros((1, 1))
        middle = queries.middle @ keys.middle.T
        q, k = (queries.greatest, keys.greatest) if self.one_radius else (queries, keys)
        radius = arithmetic.slack(q.size @ k.size.T, self.terms)
        if q.radius.any() or k.radius.any():
            one, two = np.abs(q.middle) @ k.radius.T, q.radius @ np.abs(k.middle).T
            radius = radius + (one + two + q.radius @ k.radius.T) * GUARD
        return middle, radius


def lead_of_best(
    reader: Reader, axes: Axes, arithmetic: IntervalArithmetic, *, filled: bool = False
) -> tuple[float, int] | None:
    """How far the best key is above all others, and above the sink, and the sink above unselected keys.

    Where every query selects a key (`filled`) the sink is one more key that is not selected. Also the number of pairs
    of the part with the most. None where the head has one part only, so that nothing is gained.
    """
    best = reader.selector
    assert isinstance(best, Best)
    apart = separated(replace(reader, selector=best.selector), axes)
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
    for queries, keys in sides:
        arithmetic.spend(queries.count * keys.count // PER_STEP + 1)
    checks = [
        _PartCheck(apart, part, keys, rounding, best if _orders(part) else None, arithmetic)
        for part, (_, keys) in zip(parts, sides, strict=True)
    ]
    # some queries of each part, then the others: differences only fall, so what fails often does so at once
    gap = math.inf
    lots = [blocks(queries, check.keys.count, check.at_once) for check, (queries, _) in zip(checks, sides, strict=True)]
    for rows in zip_longest(*lots):
        for check, some in zip(checks, rows, strict=True):
            if some is not None:
                check.add(some)
        gap = _together([check.leads for check in checks], reader.sink is not None, filled)
        if gap <= 0:
            break
    return gap, rounding.pairs


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
    terms = sum(q.low.shape[1] for q, _ in sides) + len(sides)
    fits_float32 = exact and most * max(arithmetic.unit, ROUNDOFF["float32"]) < grain
    return _Rounding(exact, terms, max(q.count * k.count for q, k in sides), fits_float32)


@dataclass(eq=False)
class _PartCheck:
    """The differences of one part, for the queries so far; with `best` it is the part that sees score and position."""

    reader: Reader
    part: ScorePart
    keys: Side
    rounding: _Rounding
    best: Best | None
    arithmetic: IntervalArithmetic
    leads: _Leads = field(default_factory=_Leads)
    _sorted: tuple[Array, Array] | None = None

    @cached_property
    def _key_numbers(self) -> _Numbers:
        return _Numbers.of(self.keys)

    @cached_property
    def _sink_numbers(self) -> _Numbers | None:
        sink = None if self.reader.sink is None else self.reader.sink[None, self.part.dimensions]
        return None if sink is None else _Numbers(sink, np.zeros(sink.shape), np.abs(sink))

    @cached_property
    def _ranking(self) -> "_Ranking | None":
        return None if self.best is None else _ranking(self.keys, self.best)

    def add(self, rows: Side) -> None:
        """Lowers the differences to those of some more queries."""
        reader, keys, queries = self.reader, self.keys, _Numbers.of(rows)
        sink = self._sink_numbers
        of_sink = None if sink is None else self.rounding.shares(queries, sink, self.arithmetic)
        few = self._few_chosen(rows)
        if few is not None:
            middle, radius = self.rounding.middles(queries, self._key_numbers, self.arithmetic, short=True)
            _lower(self.leads, _few_extremes(middle, few, float(radius[0, 0])), of_sink)
            return
        low, high = self.rounding.shares(queries, self._key_numbers, self.arithmetic)
        seen = visible(reader.head, rows, keys)
        chosen: Array = np.ones(low.shape, bool)
        for conjunct in self.part.conjuncts:
            chosen &= selected(conjunct, rows, keys)
        if not seen.all() and (chosen & ~seen).any():
            what = describe(reader.selector)
            raise NotCertified(f"{reader.where}: the mask hides a key that `{what}` selects", reader.where)
        _lower(self.leads, _extremes_by_query(low, high, chosen, seen), of_sink)
        if self._ranking is not None:
            self.leads.best = min(self.leads.best, _least_lead(low, high, chosen, self._ranking))

    @cached_property
    def _equality(self) -> Select | None:
        """The equality that alone selects keys, where the mask hides none, and all shares are as far off."""
        if not self.rounding.one_radius:
            return None
        conjuncts = self.part.conjuncts
        equality = conjuncts[0] if len(conjuncts) == 1 and self.best is None else None
        hides = self.reader.head.mask != "none" and self.keys.positions is not None
        return equality if isinstance(equality, Select) and equality.op == "==" and not hides else None

    @property
    def at_once(self) -> int:
        """How many pairs are held at a time."""
        return AT_ONCE if self._equality is None else MANY_AT_ONCE

    def _few_chosen(self, rows: Side) -> Array | None:
        """The pairs that are selected, as indices in a list of all, where these are few and found without the others.

        So it is where keys are selected by one equality alone.
        """
        equality = self._equality
        if equality is None:
            return None
        order, ranks = self._keys_by_rank(equality)
        sought = rows.seen[equality.query]
        first, last = (np.searchsorted(ranks, sought, side) for side in ("left", "right"))
        counts = last - first
        if FEW_CHOSEN * int(counts.sum()) > rows.count * self.keys.count:
            return None
        within = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
        columns = order[np.repeat(first, counts) + within]
        return np.asarray(np.repeat(np.arange(rows.count), counts) * self.keys.count + columns)

    def _keys_by_rank(self, equality: Select) -> tuple[Array, Array]:
        """The numbers of keys by the rank of what an equality sees of them, and these ranks."""
        if self._sorted is None:
            ranks = self.keys.seen[equality.key]
            order = np.argsort(ranks, kind="stable")
            self._sorted = order, ranks[order]
        return self._sorted


def blocks(queries: Side, keys: int, pairs: int | None = None) -> Iterator[Side]:
    """The queries of a side, some at a time, with so many pairs: those of a block are from all over the side."""
    count = max(1, math.ceil(queries.count * keys / (pairs or AT_ONCE)))
    for start in range(min(count, queries.count)):
        rows = slice(start, None, count)
        yield replace(
            queries,
            low=queries.low[rows],
            high=queries.high[rows],
            seen={node: ranks[rows] for node, ranks in queries.seen.items()},
            positions=None if queries.positions is None else queries.positions[rows],
        )


class _QueryExtremes(NamedTuple):
    """For each query the least and the greatest score of a selected key, and the greatest of others that are seen."""

    least: Array
    most: Array
    others: Array


def _lower(leads: _Leads, of_queries: _QueryExtremes, sink: tuple[Array, Array] | None) -> None:
    """Lowers the differences to those of some queries; a query that selects nothing has an infinite least score."""
    least, most, others = of_queries
    every = np.maximum(others, most)
    some = least < np.inf
    leads.above_others = min(leads.above_others, float((least - others).min(where=some, initial=np.inf)))
    leads.above_all = min(leads.above_all, float((least - every).min(where=some, initial=np.inf)))
    leads.spread = max(leads.spread, float((most - least).max(where=some, initial=0.0)))
    if sink is not None:
        sink_low, sink_high = sink[0][:, 0], sink[1][:, 0]
        leads.above_sink = min(leads.above_sink, float((least - sink_high).min(where=some, initial=np.inf)))
        leads.sink_above_others = min(leads.sink_above_others, float((sink_low - others).min(initial=np.inf)))
        leads.sink_above_all = min(leads.sink_above_all, float((sink_low - every).min(initial=np.inf)))


def _few_extremes(middle: Array, chosen: Array, radius: float) -> _QueryExtremes:
    """The extremes of scores that are within a radius of some numbers, which are overwritten; `chosen` in a flat list.

    Rounding keeps order: the least number less the radius is the least of those less the radius.
    """
    rows, flat = chosen // middle.shape[1], middle.reshape(-1)
    scores = flat[chosen].astype(np.float64)
    least, most = np.full(len(middle), np.inf), np.full(len(middle), -np.inf)
    np.minimum.at(least, rows, scores - radius)
    np.maximum.at(most, rows, scores + radius)
    flat[chosen] = -np.inf
    return _QueryExtremes(least, most, middle.max(axis=1, initial=-np.inf).astype(np.float64) + radius)


def _extremes_by_query(low: Array, high: Array, chosen: Array, seen: Array) -> _QueryExtremes:
    """The extremes of scores of which bounds are known."""
    where = np.flatnonzero(chosen)
    if FEW_CHOSEN * len(where) > chosen.size:
        least = low.min(axis=1, where=chosen, initial=np.inf)
        most = high.max(axis=1, where=chosen, initial=-np.inf)
        return _QueryExtremes(least, most, high.max(axis=1, where=seen & ~chosen, initial=-np.inf))
    rows = where // chosen.shape[1]
    least, most = np.full(len(low), np.inf), np.full(len(low), -np.inf)
    np.minimum.at(least, rows, low.reshape(-1)[where])
    np.maximum.at(most, rows, high.reshape(-1)[where])
    rest = high.copy() if seen.all() else np.where(seen, high, -np.inf)
    rest.reshape(-1)[where] = -np.inf
    return _QueryExtremes(least, most, rest.max(axis=1, initial=-np.inf))


class _Ranking(NamedTuple):
    """Keys from the worst to the best, and where in that order each kind of key, of one score and position, starts."""

    order: Array
    starts: Array


def _ranking(keys: Side, best: Best) -> _Ranking:
    assert keys.positions is not None
    score = keys.seen[best.score]
    order = np.lexsort((keys.positions, score))
    kind = np.stack([score[order], keys.positions[order]], 1)
    return _Ranking(order, np.concatenate([[0], 1 + np.nonzero((kind[1:] != kind[:-1]).any(axis=1))[0]]))


def _least_lead(low: Array, high: Array, chosen: Array, ranking: _Ranking) -> float:
    """How far, at least, a selected key is above those that are worse: of a lower score, or as good and before it."""
    order, starts = ranking
    picked = chosen[:, order]
    # keys of one position and score come together: the lowest of them must be above all that come before
    lowest = np.minimum.reduceat(np.where(picked, low[:, order], np.inf), starts, axis=1)
    highest = np.maximum.reduceat(np.where(picked, high[:, order], -np.inf), starts, axis=1)
    before = np.maximum.accumulate(highest, axis=1)[:, :-1]
    return float((lowest[:, 1:] - before).min(initial=np.inf))


def _together(leads: Sequence[_Leads], sink: bool, filled: bool) -> float:
    """The gap of the whole head."""
    others = sum(lead.spread for lead in leads if lead.best == math.inf)
    gap = min(lead.best for lead in leads) - others
    gap = min(gap, _one_or_other([(lead.above_others, lead.above_all) for lead in leads]))
    if sink:
        gap = min(gap, sum(lead.above_sink for lead in leads))
    if sink and not filled:
        gap = min(gap, _one_or_other([(lead.sink_above_others, lead.sink_above_all) for lead in leads]))
    return gap


def _one_or_other(pairs: Sequence[tuple[float, float]]) -> float:
    """The least sum of the first number of one pair and the second of all others."""
    return min(
        own + sum(other for k, (_, other) in enumerate(pairs) if k != number) for number, (own, _) in enumerate(pairs)
    )
