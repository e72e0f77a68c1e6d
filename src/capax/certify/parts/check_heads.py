"""Heads: that the weights follow the selector, and how far the result can be from the aggregate or count."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from capax.certify.certificate import HeadFigures
from capax.certify.intervals.arithmetic import IntervalArithmetic
from capax.certify.intervals.tensor import IntervalTensor, between, grain_of
from capax.certify.not_certified import NotCertified
from capax.certify.parts.best_by_parts import blocks, lead_of_best
from capax.certify.parts.extremes import Extremes, Reader, extremes, parts_of, reader_of, separated, sides_of, whole
from capax.certify.parts.pairs import ScoredPairs, Side, SinkBounds, limit_pairs, pairs_of, scaled, scores, vectors
from capax.certify.values.axes import MOST_CELLS, Axes
from capax.certify.values.coded_values import expand
from capax.certify.values.means import mixes_numbers
from capax.certify.values.prefix_means import are_many_numbers, bounds_of_means, fixed_bounds
from capax.model.parts import Array, Head
from capax.rasp.ir.describe import FULL, describe
from capax.rasp.ir.nodes import Aggregate, Best, Indices, SelectorNode, SOpNode, Width
from capax.rasp.ir.triple_nodes import MEANS, AnySelector, PairAggregate
from capax.rasp.ir.types import Atom

LEAST_WEIGHT = 2.0**-1074
"""No bound on a weight is less than the smallest number of float64: exp(-740) is none, too."""

MOST_GAP = 1e6
"""No greater gap is claimed."""


@dataclass(frozen=True, slots=True, eq=False)
class HeadCheck:
    """A head that is to compute some aggregates, or one width, over a selector; the stream it reads; and its sink."""

    head: Head
    nodes: Sequence[SOpNode]
    selector: AnySelector
    slots: list[IntervalTensor]
    axes: Axes
    arithmetic: IntervalArithmetic
    where: str
    sink: SinkBounds | None

    @property
    def counts(self) -> bool:
        """Whether it is to compute a width."""
        return not isinstance(self.nodes[0], MEANS)

    @property
    def most(self) -> int:
        """How many keys, or pairs of keys, a query can select."""
        return self.axes.most(self.nodes[0])

    @property
    def filled(self) -> bool:
        """Whether every query surely selects a key."""
        return self.axes.is_filled(self.selector)

    @property
    def takes_one(self) -> bool:
        """Whether it averages over one key at most: that has all the weight, whatever its score is."""
        return not self.counts and self.axes.unique[self.selector]

    @property
    def keys(self) -> int:
        """How many keys, or pairs of keys, it may add up; sums over pairs are made of sums over second keys."""
        longest = max(self.axes.longest, self.arithmetic.keys)
        return longest if isinstance(self.selector, SelectorNode) else longest**2 + 3

    def fails(self, why: str) -> NotCertified:
        """The failure of this head, for a reason."""
        return NotCertified(f"{self.where}{why}", self.where)


def check_head(check: HeadCheck) -> tuple[list[IntervalTensor], HeadFigures]:
    """What each output column of a head holds, and its figures; raises `NotCertified` if it does something else.

    1. The scores separate the selected keys from all others by a gap, and differ among themselves by a spread.
    2. So the others have at most the weight that leaks, and each selected key its share, up to a wobble.
    3. So each column is within (leak + wobble) of the mean, or of 1 / (count + 1), and what the sums round.
    """
    _refuse_unfit(check)
    if _reads_length(check):
        return _length(check)
    gap, spread = _separation(check)
    return head_results(check, gap, spread)


def head_results(check: HeadCheck, gap: float, spread: float) -> tuple[list[IntervalTensor], HeadFigures]:
    """What the columns hold, and the figures, given the gap and the spread of the scores: steps 2 and 3."""
    if check.sink is None and not check.counts and not check.filled:
        raise check.fails(f" has no sink, but `{describe(check.selector)}` may select nothing")
    if spread > 1 and not check.takes_one:
        raise check.fails(f": the scores of selected keys differ by up to {2 * spread:.3g}")
    leak, in_floats, underflows = _leaks(check, gap)
    relative = in_floats + _wobble(check, spread, in_floats)
    if check.counts:
        columns = [_counted(check, relative)]
    else:
        columns = [_averaged(check, number, node, relative) for number, node in enumerate(check.nodes)]
    return columns, _figures(check, columns, gap, spread, leak, underflows)


def _leaks(check: HeadCheck, gap: float) -> tuple[float, float, bool]:
    """The weight that unselected keys have at most: in the reals, in floats; and whether it underflows there."""
    leak = max((check.keys + 1) * math.exp(-gap), LEAST_WEIGHT)  # in the reals it is not zero
    underflows = -gap <= check.arithmetic.least_exponent
    return leak, 0.0 if underflows else _leak_in_floats(check, gap, leak), underflows


def _figures(
    check: HeadCheck, columns: Sequence[IntervalTensor], gap: float, spread: float, leak: float, underflows: bool
) -> HeadFigures:
    """The figures of a head, as plain numbers, since they are read back from a file."""
    error = max(c.error for c in columns)
    computes = ", ".join(describe(n) for n in check.nodes)
    return HeadFigures(check.where, computes, float(gap), float(spread), float(leak), bool(underflows), float(error))


def _reads_length(check: HeadCheck) -> bool:
    """Whether a head is to give the length as a number that it reads at the last position: it has values."""
    values = check.sink is None or check.head.value.weight.any() or check.head.value.bias.any()
    return check.nodes[0] is Width(FULL) and bool(values) and check.head.mask == "none"


def _length(check: HeadCheck) -> tuple[list[IntervalTensor], HeadFigures]:
    """What a head holds for each length, if the last position has all its weight: the value there.

    Lemma. Where every position has a higher score than all before it, by the gap, the weight of all but the last leaks
    at most; and the last position of a word of length n is n - 1.
    """
    last = Best(FULL, Indices())
    at_last = replace(check, nodes=[Aggregate(last, Indices(), 0)], selector=last)
    gap, _ = _separation(at_last)
    leak, in_floats, underflows = _leaks(check, gap)
    column = vectors(check.head.value, check.slots, check.arithmetic)[0]
    radius, _ = _radius(check, 0, column, in_floats + _rounded_weights(check, in_floats), several=False)
    by_position = _bounds_by_value(check, column, Indices())
    low, high = zip(*(by_position[int(n) - 1] for n in check.axes.values[check.nodes[0]]), strict=True)
    result = between((check.nodes[0],), np.array(low) - radius, np.array(high) + radius)
    return [result], _figures(check, [result], gap, 0.0, leak, underflows)


def _refuse_unfit(check: HeadCheck) -> None:
    """Refuses attention that is not softmax, and a head with fewer values than it is to compute."""
    if check.head.attention != "softmax":
        raise check.fails(f" has {check.head.attention} attention, and only softmax is certified")
    if len(check.nodes) > check.head.value.outputs or len({type(n) for n in check.nodes}) > 1:
        raise check.fails(" has too few values for what it is said to compute")


def _leak_in_floats(check: HeadCheck, gap: float, leak: float) -> float:
    """The weight that unselected keys have at most in floats, where it does not underflow."""
    unit, exp_error = check.arithmetic.unit, check.arithmetic.exp_error
    # the difference to the greatest score is rounded, and exp of it, and their sum
    rounded = math.exp(gap * unit) * (1 + 8 * unit) if gap < 800 else 1.0
    return max(leak, (check.keys + 1) * LEAST_WEIGHT) * (1 + 64 * exp_error) * rounded


def _wobble(check: HeadCheck, spread: float, leak: float) -> float:
    """How far, relatively, the weights of selected keys can be from their share."""
    arithmetic = check.arithmetic
    if check.counts:
        wobble = math.expm1(2 * spread) + arithmetic.exp_error * math.exp(2 * spread)
    else:
        wobble = 0.0 if check.takes_one else math.tanh((spread + arithmetic.exp_error) / 2)
    return wobble + _rounded_weights(check, leak, wobble)


def _rounded_weights(check: HeadCheck, leak: float, wobble: float = 0.0) -> float:
    """How far, relatively, sums of weights are rounded: not at all where they are whole numbers."""
    arithmetic = check.arithmetic
    if wobble or leak > arithmetic.finest / 4 or arithmetic.exp_error:
        return float(2 * arithmetic.gamma(check.keys + 3))
    return 0.0


# the gap between selected keys and all others, and the spread of scores of selected keys


def _separation(check: HeadCheck) -> tuple[float, float]:
    """The gap and the spread: by parts of the selector where rows have no factors of their own, or by all pairs."""
    assert isinstance(check.selector, SelectorNode)
    if check.arithmetic.exp_error:
        return _of_noisy_rows(check)
    reader = reader_of(check.head, check.selector, check.slots, check.axes, check.arithmetic, check.where)
    if isinstance(check.selector, Best):
        return _separation_of_best(check, reader, check.selector)
    apart = separated(reader, check.axes)
    parts = parts_of(apart, check.axes)
    if len(parts) > 1:
        try:
            known = [(part, sides_of(apart, part, check.axes, check.arithmetic)) for part in parts]
            return gap_of(check, extremes(apart, known, check.arithmetic))
        except NotCertified:
            pass  # what cannot happen together may have been in the way
    sides = sides_of(reader, whole(reader), check.axes, check.arithmetic)
    scored = extremes(reader, [(whole(reader), sides)], check.arithmetic)
    serves = check.sink is not None and not check.filled
    if check.counts or serves or max(-scored.chosen[0], scored.chosen[1]) < 1:
        return gap_of(check, scored)
    return _gap_by_query(check, *_all_pairs(check, sides))


def _separation_of_best(check: HeadCheck, reader: Reader, best: Best) -> tuple[float, float]:
    """The gap between the best key and all others, part by part or by all pairs; and no spread."""
    by_parts = lead_of_best(reader, check.axes, check.arithmetic, filled=check.filled)
    if by_parts is not None and by_parts[0] > 0:
        return min(by_parts[0], MOST_GAP), 0.0
    try:
        limit_pairs(0 if by_parts is None else by_parts[1])
        queries, keys = sides_of(reader, whole(reader), check.axes, check.arithmetic)
        limit_pairs(queries.count * keys.count)
        some = (_all_pairs(check, (rows, keys)) for rows in blocks(queries, keys.count))
        leads = (_lead_of_best(check, best, *pairs, filled=check.filled) for pairs in some)
        return min(leads, default=(MOST_GAP, 0.0))
    except NotCertified as failure:
        if by_parts is None or not failure.too_many:
            raise
        raise check.fails(": cannot separate the best key from the others part by part (score gap <= 0)") from None


def _gap_by_query(check: HeadCheck, pairs: ScoredPairs, queries: Side, keys: Side) -> tuple[float, float]:
    """The gap and the spread of a head that averages and always selects: for each query by itself, the least and most.

    Softmax does not see what all keys of a query have in common, so the scores of selected ones need not be zero. A
    sink, which never serves here, is like a key that is not selected.
    """
    chosen = pairs.selected & pairs.seen
    low = pairs.low.min(axis=1, where=chosen, initial=np.inf)
    high = pairs.high.max(axis=1, where=chosen, initial=-np.inf)
    others = pairs.high.max(axis=1, where=~pairs.selected & pairs.seen, initial=-np.inf)
    sink = _sink_scores(check, queries)
    if sink is not None:
        others = np.maximum(others, sink[1])
    some = chosen.any(axis=1)
    spread = max(0.0, float((high - low).max(where=some, initial=0.0)) / 2)
    return _positive(check, float((low - others).min(where=some, initial=np.inf))), spread


def gap_of(check: HeadCheck, scored: Extremes) -> tuple[float, float]:
    """The gap and the spread of a head that averages or counts over all selected keys, from its extreme scores."""
    low, high = scored.chosen
    spread = max(0.0, high, -low)
    gap = -spread - scored.others
    if scored.sink is not None:
        low, high = scored.sink
        if check.counts:
            spread = max(spread, abs(low), abs(high))
            gap = -spread - scored.others
        else:
            # below the selected keys, above all others, unless it never serves
            gap = min(-spread - high, gap if check.filled else low - scored.others)
    return _positive(check, gap), spread


def _positive(check: HeadCheck, gap: float) -> float:
    """The gap, as it is claimed; none is refused."""
    if gap <= 0:
        raise check.fails(": cannot separate selected from unselected keys (score gap <= 0)")
    return min(gap, MOST_GAP)


def _all_pairs(check: HeadCheck, sides: tuple[Side, Side]) -> tuple[ScoredPairs, Side, Side]:
    """All pairs of two sides; refused where the mask hides a selected key."""
    queries, keys = sides
    assert isinstance(check.selector, SelectorNode)
    pairs = pairs_of(check.head, check.selector, queries, keys, check.arithmetic)
    if (pairs.selected & ~pairs.seen).any():
        raise check.fails(f": the mask hides a key that `{describe(check.selector)}` selects")
    return pairs, queries, keys


def _sink_scores(check: HeadCheck, queries: Side) -> tuple[Array, Array] | None:
    """Bounds on the sink's score for each query row; None without a sink."""
    if check.sink is None:
        return None
    low, high = scores(scaled(queries, check.head.scale, check.arithmetic), check.sink.key, check.arithmetic)
    return low[:, 0], high[:, 0]


def _lead_of_best(
    check: HeadCheck, best: Best, pairs: ScoredPairs, queries: Side, keys: Side, *, filled: bool
) -> tuple[float, float]:
    """The gap of a head that takes the best of the selected keys, the last if several are as good; and no spread.

    It is that between the best and all others, and the sink.
    """
    assert keys.positions is not None
    sink = _sink_scores(check, queries)
    score = keys.seen[best.score]
    order = np.lexsort((keys.positions, score))
    ranked_low, ranked_high = pairs.low[:, order], pairs.high[:, order]
    chosen = (pairs.selected & pairs.seen)[:, order]
    kind = np.stack([score[order], keys.positions[order]], 1)
    gap = math.inf
    for row in range(queries.count):
        picked = np.nonzero(chosen[row])[0]
        worst = ranked_high[row][~chosen[row] & pairs.seen[row][order]].max(initial=-np.inf)
        if sink is not None:
            gap = gap if filled else min(gap, float(sink[0][row]) - worst)
            worst = max(worst, float(sink[1][row]))
        if not len(picked):
            continue
        gap = min(gap, float(ranked_low[row, picked].min()) - worst)
        running = np.maximum.accumulate(ranked_high[row, picked])
        # keys of one position and score come together: the lowest of them must be above all that come before
        starts = 1 + np.nonzero((kind[picked][1:] != kind[picked][:-1]).any(axis=1))[0]
        if len(starts):
            lowest = np.minimum.reduceat(ranked_low[row, picked], starts)
            gap = min(gap, float((lowest - running[starts - 1]).min()))
    if gap <= 0:
        raise check.fails(": cannot separate the best key from the others (score gap <= 0)")
    return min(gap, MOST_GAP), 0.0


def _of_noisy_rows(check: HeadCheck) -> tuple[float, float]:
    """The gap and the spread of a head whose queries and keys have factors of their rows; by all pairs at once."""
    assert isinstance(check.selector, SelectorNode)
    arithmetic, axes, maps = check.arithmetic, check.axes, (check.head.query, check.head.key)
    numbers, biases = zip(*(arithmetic.apart(check.slots, m.weight, m.bias) for m in maps), strict=True)
    query_numbers, key_numbers = ([arithmetic.split_axes(x) for x in side] for side in numbers)
    reader = Reader(check.head, check.selector, query_numbers, key_numbers, None, check.where)
    one, two = (
        replace(side, bias=bias, shared=arithmetic.shared)
        for side, bias in zip(sides_of(reader, whole(reader), axes, arithmetic), biases, strict=True)
    )
    pairs, queries, keys = _all_pairs(check, (one, two))
    if isinstance(check.selector, Best):
        return _lead_of_best(check, check.selector, pairs, queries, keys, filled=check.filled)
    sink = _sink_scores(check, queries)
    gap, spread = _gap_of_pairs(check, pairs, sink)
    if check.takes_one:
        gap = max(gap, _lead(check, pairs, sink))
    return _positive(check, gap), spread


def _gap_of_pairs(check: HeadCheck, pairs: ScoredPairs, sink: tuple[Array, Array] | None) -> tuple[float, float]:
    """The gap and the spread of a head that averages or counts over all selected keys."""
    chosen = pairs.selected & pairs.seen
    others = ~pairs.selected & pairs.seen
    spread = max(float(pairs.high.max(where=chosen, initial=0.0)), -float(pairs.low.min(where=chosen, initial=0.0)))
    worst = float(pairs.high.max(where=others, initial=-np.inf))
    gap = -spread - worst
    if sink is not None:
        low, high = sink
        if check.counts:
            spread = max(spread, float(np.abs(low).max()), float(np.abs(high).max()))
            gap = -spread - worst
        else:
            # below the selected keys, above all others
            below = -spread - float(high.max())
            gap = min(below, float(low.min()) - worst)
            if check.filled:  # a sink that never serves is like a key that is not selected
                gap = max(gap, min(below, -spread - worst))
    return gap, spread


def _lead(check: HeadCheck, pairs: ScoredPairs, sink: tuple[Array, Array] | None) -> float:
    """How far the one selected key is above all others, for each query by itself; the least of all queries."""
    chosen = pairs.selected & pairs.seen
    lowest = pairs.low.min(axis=1, where=chosen, initial=np.inf)
    highest = pairs.high.max(axis=1, where=~pairs.selected & pairs.seen, initial=-np.inf)
    lead = float((lowest - highest).min(initial=np.inf))
    if sink is not None:
        lead = min(lead, float((lowest - sink[1]).min(initial=np.inf)))
        if not check.filled:
            lead = min(lead, float((sink[0] - highest).min(initial=np.inf)))
    return lead


# what the output columns hold


def _counted(check: HeadCheck, relative: float) -> IntervalTensor:
    """1/(k + 1) for each count k, from the weight of the sink."""
    arithmetic, axes, keys = check.arithmetic, check.axes, check.keys
    noise = vectors(check.head.value, check.slots, arithmetic)[0].size
    if check.sink is None or noise > arithmetic.nothing:
        raise check.fails(" does not count: its values are not zero, or it has no sink")
    worth, off = check.sink.worth(0)
    counts = np.arange(check.most + 1, dtype=np.float64)
    # whole weights: a quotient and a product are rounded, or a reciprocal and two products
    slack = relative + (4 * arithmetic.gamma(3) if relative else arithmetic.gamma(3))
    if (keys + 1) * arithmetic.unit > 1:
        slack += arithmetic.gamma(keys + 1)  # counts beyond the integers of the system
    exact = worth / (counts + 1)
    arithmetic.within(np.array([abs(worth) + off + keys * noise]))
    radius = (np.abs(exact) + off + noise) * slack + off + noise
    if off or noise or not grain_of(np.array([worth])):
        radius = radius + 2 * (keys + 2) * arithmetic.least  # products and quotients so small may be lost
    at = [int(count) for count in axes.values[check.nodes[0]]]
    return between((check.nodes[0],), (exact - radius)[at], (exact + radius)[at])


def _averaged(check: HeadCheck, number: int, node: SOpNode, relative: float) -> IntervalTensor:
    """What an output column holds for each value of an aggregate."""
    assert isinstance(node, (Aggregate, PairAggregate))
    axes, sink = check.axes, check.sink
    column = vectors(check.head.value, check.slots, check.arithmetic)[number]
    by_value = _bounds_by_value(check, column, node.value)
    several = not axes.unique[check.selector]
    radius, more = _radius(check, number, column, relative, several=several)
    mixes = several and len(by_value) > 1 and mixes_numbers(node, axes.set_of(node.value), axes.longest)
    off = _off(by_value)

    def at(value: Atom) -> tuple[float, float]:
        bounds = [by_value[value]] if value in by_value else []
        if sink is not None and value == node.default:
            bounds.append((float(sink.low[number]) - more, float(sink.high[number]) + more))
        if mixes and not isinstance(value, str) and math.isfinite(value):
            bounds.append((float(value) - off, float(value) + off))
        if not bounds and len(by_value) == 1 and not isinstance(value, str):
            bounds = list(by_value.values())  # three times 0.1 by three is not 0.1, and the column is that of 0.1
        if not bounds:
            bounds = [(0.0, 0.0)]  # only without a sink and with a default that never happens
        return min(b[0] for b in bounds), max(b[1] for b in bounds)

    prefix = axes.means.get(node)
    values = axes.values[node] if prefix is None else prefix.values
    around = off if mixes and are_many_numbers(values) else None
    fixed = fixed_bounds(by_value, node.default, sink=sink is not None, mixes=mixes)
    low, high = bounds_of_means(values, {*by_value, node.default}, at, around, fixed)
    if prefix is None:
        return between((node,), low - radius, high + radius)
    # by count and sum; where there is no such sum, any number stands for none
    return between(axes.of(node).axes, (low - radius)[prefix.index], (high + radius)[prefix.index])


def _radius(
    check: HeadCheck, number: int, column: IntervalTensor, relative: float, *, several: bool
) -> tuple[float, float]:
    """How far a column can be from the mean of what its values stand for, and how much more from the sink's value.

    A sink that has no weight at all beside selected keys does not count there, however large its value is.
    """
    arithmetic, sink, keys, size = check.arithmetic, check.sink, check.keys, column.size
    if sink is not None:
        size = max(size, abs(float(sink.low[number])), abs(float(sink.high[number])))
    arithmetic.within(np.array([(keys + 1) * size]))  # they may be added up before they are divided
    radius, more = 2 * size * relative, 0.0
    fixed = [column.low] if sink is None else [column.low, sink.low[number : number + 1]]
    known = column.known and (sink is None or sink.low[number] == sink.high[number])
    if several:
        grain = min(map(grain_of, fixed)) if known and not relative else 0.0
        rounded, at_sink = (_rounded_mean(check, one, grain, whole=not relative) for one in (column.size, size))
        radius, more = (radius + at_sink, 0.0) if relative else (rounded, at_sink - rounded)
    if not known or not all(map(grain_of, fixed)):
        radius += 2 * (keys + 2) * arithmetic.least  # products and quotients so small may be lost
    return radius, more


def _rounded_mean(check: HeadCheck, size: float, grain: float, *, whole: bool) -> float:
    """How far a mean of numbers up to a size is rounded; with a grain, weights are 1 and numbers multiples of it.

    Lemma. Where the sum of all numbers is below grain / u it is exact in any order, as is the sum of the weights, while
    it is up to 1 / u. If these are divided once, a quotient is rounded, or a reciprocal and a product; if numbers are
    divided first, each is, and every sum of them. `whole`: weights are 0 and 1, so the divisor is not off as well.
    """
    arithmetic, keys = check.arithmetic, check.keys + 1
    whole = whole and keys * arithmetic.unit <= 1
    if whole and grain and keys * size * arithmetic.unit < grain:
        arithmetic.adds_exactly = True
        if arithmetic.one_quotient:
            return float(size * arithmetic.gamma(3))
    return float((1 if whole else 2) * size * arithmetic.gamma(check.keys + 3))


def _off(by_value: dict[Atom, tuple[float, float]]) -> float:
    """How far the column is from the numbers themselves; infinite where they stand for something else."""
    return max(
        (max(abs(low - v), abs(high - v)) for v, (low, high) in by_value.items() if not isinstance(v, str)), default=0.0
    )


def _bounds_by_value(check: HeadCheck, column: IntervalTensor, value: SOpNode) -> dict[Atom, tuple[float, float]]:
    """The bounds of a column for each value of the s-op that is averaged."""
    axes, values = check.axes, check.axes.of(value)
    over = tuple(dict.fromkeys((*column.axes, *values.axes)))
    shape = [len(axes.values[a]) for a in over]
    if math.prod(shape) > MOST_CELLS:
        why = f"{check.where}: a value depends on {math.prod(shape):,} combinations"
        raise NotCertified(why, check.where, too_many=True)
    low = np.broadcast_to(expand(column.low, column.axes, over, shape), shape).reshape(-1)
    high = np.broadcast_to(expand(column.high, column.axes, over, shape), shape).reshape(-1)
    codes = np.broadcast_to(expand(values.codes, values.axes, over, shape), shape).reshape(-1)
    feasible = axes.feasible(over)
    fine = codes >= 0 if feasible is None else (codes >= 0) & np.broadcast_to(feasible, shape).reshape(-1)
    least, most = np.full(len(values.listed), np.inf), np.full(len(values.listed), -np.inf)
    np.minimum.at(least, codes[fine], low[fine])
    np.maximum.at(most, codes[fine], high[fine])
    bounds: dict[Atom, tuple[float, float]] = {}
    for v, a, b in zip(values.listed, least.tolist(), most.tolist(), strict=True):
        if a <= b:  # it occurs; equal values of different types are one
            known = bounds.get(v)
            bounds[v] = (a, b) if known is None else (min(a, known[0]), max(b, known[1]))
    return bounds
