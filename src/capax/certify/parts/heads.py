"""Heads: that the weights follow the selector, and how far the result can be from the aggregate or count."""

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from capax.certify.intervals.arithmetic import Arithmetic
from capax.certify.intervals.tensor import Wide, between, grain_of
from capax.certify.not_certified import Refusal
from capax.certify.parts.extremes import Extremes, Reader, extremes, parts_of, reader_of, separated, sides_of, whole
from capax.certify.parts.pairs import Pairs, Side, comparisons, pairs_of, scaled, scores, vectors
from capax.certify.parts.sink_bounds import SinkBounds, bounds_of
from capax.certify.values.axes import HOLDS, Axes, made_of
from capax.certify.values.axes import spread as onto
from capax.certify.values.means import same_values
from capax.model.parts import Array, Head
from capax.rasp.ir.describe import describe
from capax.rasp.ir.nodes import Aggregate, And, Best, Indices, Node, Or, Select, SelectorNode, SOpNode, Width
from capax.rasp.ir.types import Atom

LEAST_WEIGHT = 2.0**-1074
"""No bound on a weight is less than the smallest number of float64: exp(-740) is none, too."""


@dataclass(frozen=True, slots=True)
class HeadFigures:
    """What is known of a head: all in units of scores, scale included.

    `gap`: how far every unselected key, and the sink where a key is selected, stays below the selected ones. `spread`:
    how far scores of selected keys are from each other. `leak`: the weight that unselected keys have at most in real
    arithmetic; `underflows`: in floats it is exactly zero. `error`: of the output.
    """

    where: str
    computes: str
    gap: float
    spread: float
    leak: float
    underflows: bool
    error: float


@dataclass(frozen=True, slots=True, eq=False)
class Checked:
    """A head that does what it is said to do: what each output column holds, and its figures."""

    columns: list[Wide]
    figures: HeadFigures


def check_head(
    head: Head,
    nodes: Sequence[SOpNode],
    part: SelectorNode,
    slots: list[Wide],
    axes: Axes,
    arithmetic: Arithmetic,
    where: str,
    held: SinkBounds | None = None,
) -> Checked:
    """The results of a head that is to compute some aggregates, or one width, over a selector.

    `held` is what is known of its sink, where that is not a constant of the head.
    """
    held = held or bounds_of(head)
    if head.attention != "softmax":
        raise Refusal(f"{where} has {head.attention} attention, and only softmax is certified", where)
    if len(nodes) > head.value.outputs or len({type(n) for n in nodes}) > 1:
        raise Refusal(f"{where} has too few values for what it is said to compute", where)
    counts, filled = isinstance(nodes[0], Width), axes.is_filled(part)
    alone = not counts and axes.unique[part]
    if arithmetic.exp_error:
        gap, spread = _with_noise(head, held, part, slots, axes, arithmetic, where, counts=counts, filled=filled)
    elif isinstance(part, Best):
        gap, spread = _best(reader_of(head, part, slots, arithmetic, where), part, axes, arithmetic)
    else:
        gap, spread = _gaps(reader_of(head, part, slots, arithmetic, where), counts, axes, arithmetic)
    if held is None and not counts and not filled:
        raise Refusal(f"{where} has no sink, but `{describe(part)}` may select nothing", where)
    if spread > 1 and not alone:
        raise Refusal(f"{where}: the scores of selected keys differ by up to {2 * spread:.3g}", where)
    keys = max(axes.longest, arithmetic.keys)
    leak = max((keys + 1) * math.exp(-gap), LEAST_WEIGHT)  # in the reals it is not zero
    underflows = -gap <= arithmetic.least_exponent
    # the difference to the greatest score is rounded, and exp of it, and their sum
    rounded = math.exp(gap * arithmetic.unit) * (1 + 8 * arithmetic.unit) if gap < 800 else 1.0
    effective = max(leak, (keys + 1) * LEAST_WEIGHT) * (1 + 64 * arithmetic.exp_error) * rounded
    effective = 0.0 if underflows else effective
    # a key that is selected alone has all the weight, whatever its score is
    wobble = 0.0 if alone else math.tanh((spread + arithmetic.exp_error) / 2)
    if counts:
        wobble = math.expm1(2 * spread) + arithmetic.exp_error * math.exp(2 * spread)
    if wobble or effective > arithmetic.finest / 4 or arithmetic.exp_error:
        wobble += 2 * arithmetic.gamma(keys + 3)  # sums of weights that are not whole are rounded
    if counts:
        columns = [_counted(head, held, nodes[0], slots, effective + wobble, axes, arithmetic, where)]
    else:
        columns = [
            _averaged(head, held, number, node, slots, effective + wobble, axes, arithmetic, where)
            for number, node in enumerate(nodes)
        ]
    error = max(c.error for c in columns)
    computes = ", ".join(describe(n) for n in nodes)
    # plain numbers, as they are read back from a file
    figures = HeadFigures(where, computes, float(gap), float(spread), float(leak), bool(underflows), float(error))
    return Checked(columns, figures)


def _sink(head: Head, held: SinkBounds, queries: Side, arithmetic: Arithmetic) -> tuple[Array, Array]:
    """Bounds on the sink's score for each query row."""
    low, high = scores(scaled(queries, head.scale, arithmetic), held.key, arithmetic)
    return low[:, 0], high[:, 0]


def _gaps(reader: Reader, counts: bool, axes: Axes, arithmetic: Arithmetic) -> tuple[float, float]:
    """The gap and the spread of a head that averages or counts over all selected keys."""
    apart = separated(reader)
    parts = parts_of(apart, axes)
    if len(parts) > 1:
        try:
            return _gap_of(extremes(apart, parts, axes, arithmetic), counts, reader.where)
        except Refusal:
            pass  # what cannot happen together may have been in the way
    return _gap_of(extremes(reader, [whole(reader)], axes, arithmetic), counts, reader.where)


def _gap_of(found: Extremes, counts: bool, where: str) -> tuple[float, float]:
    low, high = found.chosen
    spread = max(0.0, high, -low)
    gap = -spread - found.others
    if found.sink is not None:
        low, high = found.sink
        if counts:
            spread = max(spread, abs(low), abs(high))
            gap = -spread - found.others
        else:
            # below the selected keys, above all others
            gap = min(-spread - high, low - found.others)
    if gap <= 0:
        raise Refusal(f"{where}: a key that is not selected has no lower score than one that is", where)
    return min(gap, 1e6), spread


def _best(reader: Reader, part: Best, axes: Axes, arithmetic: Arithmetic) -> tuple[float, float]:
    """The gap of a head that takes the best of the selected keys, the last of them if several are as good."""
    head, where, held = reader.head, reader.where, bounds_of(reader.head)
    queries, keys = sides_of(reader, whole(reader), axes, arithmetic)
    pairs = pairs_of(head, part, queries, keys, arithmetic)
    if (pairs.selected & ~pairs.seen).any():
        raise Refusal(f"{where}: the mask hides a key that `{describe(part)}` selects", where)
    sink = None if held is None else _sink(head, held, queries, arithmetic)
    return _lead_of_best(part, pairs, queries, keys, sink, where, filled=False)


def _lead_of_best(
    part: Best,
    pairs: Pairs,
    queries: Side,
    keys: Side,
    sink: tuple[Array, Array] | None,
    where: str,
    *,
    filled: bool,
) -> tuple[float, float]:
    """The gap of a head that finds the best key: between the best and all others, and the sink."""
    assert keys.places is not None
    score = keys.seen[part.score]
    order = np.lexsort((keys.places, score))
    ranked_low, ranked_high = pairs.low[:, order], pairs.high[:, order]
    chosen = (pairs.selected & pairs.seen)[:, order]
    kind = np.stack([score[order], keys.places[order]], 1)
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
        # keys of one place and score come together: the lowest of them must be above all that come before
        starts = 1 + np.nonzero((kind[picked][1:] != kind[picked][:-1]).any(axis=1))[0]
        if len(starts):
            lowest = np.minimum.reduceat(ranked_low[row, picked], starts)
            gap = min(gap, float((lowest - running[starts - 1]).min()))
    if gap <= 0:
        raise Refusal(f"{where}: a key that is not the best has no lower score than the best", where)
    return min(gap, 1e6), 0.0


def _with_noise(
    head: Head,
    held: SinkBounds | None,
    part: SelectorNode,
    slots: list[Wide],
    axes: Axes,
    arithmetic: Arithmetic,
    where: str,
    *,
    counts: bool,
    filled: bool,
) -> tuple[float, float]:
    """The gap and the spread of a head whose queries and keys have factors of their rows; by all pairs at once."""
    numbers, biases = zip(*(arithmetic.apart(slots, m.weight, m.bias) for m in (head.query, head.key)), strict=True)
    queries, keys = ([arithmetic.unfolded(x) for x in side] for side in numbers)
    reader = Reader(head, part, queries, keys, None, where)
    one, two = (
        replace(side, bias=bias, shared=arithmetic.shared)
        for side, bias in zip(sides_of(reader, whole(reader), axes, arithmetic), biases, strict=True)
    )
    pairs = pairs_of(head, part, one, two, arithmetic)
    if (pairs.selected & ~pairs.seen).any():
        raise Refusal(f"{where}: the mask hides a key that `{describe(part)}` selects", where)
    sink = None if held is None else _sink(head, held, one, arithmetic)
    if isinstance(part, Best):
        return _lead_of_best(part, pairs, one, two, sink, where, filled=filled)
    gap, spread = _gap_of_pairs(pairs, sink, counts, filled=filled)
    if not counts and axes.unique[part]:
        gap = max(gap, _lead(pairs, sink, filled=filled))
    if gap <= 0:
        raise Refusal(f"{where}: a key that is not selected has no lower score than one that is", where)
    return min(gap, 1e6), spread


def _gap_of_pairs(pairs: Pairs, sink: tuple[Array, Array] | None, counts: bool, *, filled: bool) -> tuple[float, float]:
    """The gap and the spread of a head that averages or counts over all selected keys; `filled`: some key is."""
    chosen = pairs.selected & pairs.seen
    others = ~pairs.selected & pairs.seen
    spread = max(float(pairs.high.max(where=chosen, initial=0.0)), -float(pairs.low.min(where=chosen, initial=0.0)))
    worst = float(pairs.high.max(where=others, initial=-np.inf))
    gap = -spread - worst
    if sink is not None:
        low, high = sink
        if counts:
            spread = max(spread, float(np.abs(low).max()), float(np.abs(high).max()))
            gap = -spread - worst
        else:
            # below the selected keys, above all others
            below = -spread - float(high.max())
            gap = min(below, float(low.min()) - worst)
            if filled:  # a sink that never serves is like a key that is not selected
                gap = max(gap, min(below, -spread - worst))
    return gap, spread


def _lead(pairs: Pairs, sink: tuple[Array, Array] | None, *, filled: bool) -> float:
    """How far the one selected key is above all others, for each query by itself; the least of all queries."""
    chosen = pairs.selected & pairs.seen
    lowest = pairs.low.min(axis=1, where=chosen, initial=np.inf)
    highest = pairs.high.max(axis=1, where=~pairs.selected & pairs.seen, initial=-np.inf)
    found = float((lowest - highest).min(initial=np.inf))
    if sink is not None:
        found = min(found, float((lowest - sink[1]).min(initial=np.inf)))
        if not filled:
            found = min(found, float((sink[0] - highest).min(initial=np.inf)))
    return found


def _counted(
    head: Head,
    held: SinkBounds | None,
    node: SOpNode,
    slots: list[Wide],
    relative: float,
    axes: Axes,
    arithmetic: Arithmetic,
    where: str,
) -> Wide:
    """1/(k + 1) for each count k, from the weight of the sink."""
    noise = vectors(head.value, slots, arithmetic)[0].size
    if held is None or noise > arithmetic.nothing:
        raise Refusal(f"{where} does not count: its values are not zero, or it has no sink", where)
    worth, off = held.worth(0)
    counts = np.arange(axes.longest + 1, dtype=np.float64)
    slack = relative + 4 * arithmetic.gamma(3)
    keys = max(axes.longest, arithmetic.keys)
    if (keys + 1) * arithmetic.unit > 1:
        slack += arithmetic.gamma(keys + 1)  # counts beyond the integers of the system
    exact = worth / (counts + 1)
    arithmetic.within(np.array([abs(worth) + off + keys * noise]))
    radius = (np.abs(exact) + off + noise) * slack + off + noise
    if off or noise or not grain_of(np.array([worth])):
        radius = radius + 2 * (keys + 2) * arithmetic.least  # products and quotients so small may be lost
    return between((node,), *_at_values(axes, node, exact - radius, exact + radius))


def _at_values(axes: Axes, node: Node, low: Array, high: Array) -> tuple[Array, Array]:
    chosen = [int(v) for v in axes.values[node]]
    return low[chosen], high[chosen]


def _averaged(
    head: Head,
    held: SinkBounds | None,
    number: int,
    node: SOpNode,
    slots: list[Wide],
    relative: float,
    axes: Axes,
    arithmetic: Arithmetic,
    where: str,
) -> Wide:
    """What an output column holds for each value of an aggregate."""
    assert isinstance(node, Aggregate)
    column = vectors(head.value, slots, arithmetic)[number]
    places = _places(column, node.value, axes, where)
    unique = axes.unique[node.selector]
    several = not unique
    size = column.size
    if held is not None:
        size = max(size, abs(float(held.low[number])), abs(float(held.high[number])))
    keys = max(axes.longest, arithmetic.keys)
    arithmetic.within(np.array([(keys + 1) * size]))  # they may be added up before they are divided
    wide = 2 * size * relative
    if several:
        wide += 2 * size * arithmetic.gamma(keys + 3)
    fixed = [column.low] if held is None else [column.low, held.low[number : number + 1]]
    known = column.known and (held is None or held.low[number] == held.high[number])
    if not known or not all(map(grain_of, fixed)):
        wide += 2 * (keys + 2) * arithmetic.least  # products and quotients so small may be lost
    # several equal values have that value as their mean, whatever stands for it
    numbers = [v for v in axes.set_of(node.value) if not isinstance(v, (str, bool))]
    mixes = (
        several and len(places) > 1 and bool(numbers) and not same_values(node, axes.set_of(node.value), axes.longest)
    )
    off = _off(places)

    def at(value: Atom) -> tuple[float, float]:
        bounds = [places[value]] if value in places else []
        if held is not None and value == node.default:
            bounds.append((float(held.low[number]), float(held.high[number])))
        if mixes and not isinstance(value, str) and math.isfinite(value):
            bounds.append((float(value) - off, float(value) + off))
        if not bounds and len(places) == 1 and not isinstance(value, str):
            bounds = list(places.values())  # three times 0.1 by three is not 0.1, and the column is that of 0.1
        if not bounds:
            bounds = [(0.0, 0.0)]  # only without a sink and with a default that never happens
        return min(b[0] for b in bounds), max(b[1] for b in bounds)

    prefix = axes.means.get(node)
    if prefix is None:
        low, high = (np.array(ends) for ends in zip(*(at(v) for v in axes.values[node]), strict=True))
        return between((node,), low - wide, high + wide)
    low, high = _of_means(prefix.values, {*places, node.default}, at, off if mixes else None)
    # by place and sum; where there is no such sum, any number stands for none
    return between((Indices(), node), (low - wide)[prefix.index], (high + wide)[prefix.index])


def _of_means(
    means: Sequence[float], own: set[Any], at: Callable[[Atom], tuple[float, float]], off: float | None
) -> tuple[Array, Array]:
    """The bounds of a column for each of many means: `off` around them, but for those of which more is known."""
    values = np.array(means)
    low, high = values - (off or 0.0), values + (off or 0.0)
    special = np.ones(len(values), bool) if off is None else np.array([v in own for v in means])
    for k in np.nonzero(special)[0].tolist():
        low[k], high[k] = at(means[k])
    return low, high


def _off(places: dict[Atom, tuple[float, float]]) -> float:
    """How far the column is from the numbers themselves; infinite where they stand for something else."""
    return max(
        (max(abs(low - v), abs(high - v)) for v, (low, high) in places.items() if not isinstance(v, str)), default=0.0
    )


def _places(column: Wide, value: SOpNode, axes: Axes, where: str) -> dict[Atom, tuple[float, float]]:
    """The bounds of a column for each value of the s-op that is averaged."""
    values = axes.of(value)
    over = tuple(dict.fromkeys((*column.axes, *values.axes)))
    shape = [len(axes.values[a]) for a in over]
    if math.prod(shape) > 4_000_000:
        raise Refusal(f"{where}: a value depends on {math.prod(shape):,} combinations", where, too_many=True)
    low = np.broadcast_to(onto(column.low, column.axes, over, shape), shape).reshape(-1)
    high = np.broadcast_to(onto(column.high, column.axes, over, shape), shape).reshape(-1)
    codes = np.broadcast_to(onto(values.codes, values.axes, over, shape), shape).reshape(-1)
    feasible = axes.feasible(over)
    fine = codes >= 0 if feasible is None else (codes >= 0) & np.broadcast_to(feasible, shape).reshape(-1)
    least, most = np.full(len(values.listed), np.inf), np.full(len(values.listed), -np.inf)
    np.minimum.at(least, codes[fine], low[fine])
    np.maximum.at(most, codes[fine], high[fine])
    found: dict[Atom, tuple[float, float]] = {}
    for v, a, b in zip(values.listed, least.tolist(), most.tolist(), strict=True):
        if a <= b:  # it occurs; equal values of different types are one
            known = found.get(v)
            found[v] = (a, b) if known is None else (min(a, known[0]), max(b, known[1]))
    return found


def is_sum_of(selector: SelectorNode, parts: Sequence[SelectorNode]) -> bool:
    """Whether every pair is selected by as many of the parts as by the whole: by all outcomes of the comparisons."""
    leaves = list(dict.fromkeys(leaf for s in (selector, *parts) for leaf in comparisons(s)))
    kinds = list(dict.fromkeys((leaf.key, leaf.query) for leaf in leaves))
    if len(kinds) > 8:
        return False
    for cell in itertools.product((-1, 0, 1), repeat=len(kinds)):
        signs = dict(zip(kinds, cell, strict=True))
        if sum(_holds(p, signs) for p in parts) != _holds(selector, signs):
            return False
    return True


def _holds(selector: SelectorNode, signs: dict[tuple[SOpNode, SOpNode], int]) -> bool:
    return outcome_of_pairs(selector, signs)


def outcome_of_pairs(selector: SelectorNode, signs: dict[tuple[SOpNode, SOpNode], int]) -> bool:
    """Whether a pair is selected, given how each key compares with each query."""
    found: dict[Node, bool] = {}
    for node in made_of(selector):
        match node:
            case Select():
                found[node] = bool(HOLDS[node.op](signs[node.key, node.query]))
            case And():
                found[node] = found[node.left] and found[node.right]
            case Or():
                found[node] = found[node.left] or found[node.right]
    return found[selector]
