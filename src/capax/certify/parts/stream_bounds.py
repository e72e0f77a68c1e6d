"""The residual stream of a model over axes: the embedding, then MLPs; what heads add comes from elsewhere."""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from capax.certify.certificate import StageFigures
from capax.certify.intervals.arithmetic import IntervalArithmetic
from capax.certify.intervals.stacks import NEAR, Stack, error_of, joined_stacks, listed, stacked
from capax.certify.intervals.tensor import ZERO, IntervalTensor, between, exactly
from capax.certify.not_certified import NotCertified
from capax.certify.parts.by_value import by_value
from capax.certify.systems import cast, check_plain
from capax.certify.values.axes import TOKEN, Axes
from capax.model.model import Model
from capax.model.parts import Array, Mlp
from capax.rasp.ir.nodes import Indices


def embedded(model: Model, axes: Axes, arithmetic: IntervalArithmetic) -> list[IntervalTensor]:
    """The stream before the first sublayer, one number per slot."""
    tokens = model.embedding.astype(np.float64)
    n = axes.longest
    positions, *others = (cast(_at_positions(model.positions.values, n), system) for system in arithmetic.systems)
    if any(not np.array_equal(positions, other) for other in others):
        raise NotCertified(f"positions are not the same numbers in {arithmetic.numbers}", "the embedding")
    check_plain(positions, "a position function", arithmetic.systems[0], arithmetic.least)
    slots: list[IntervalTensor] = []
    has_tokens, weights = np.asarray(tokens.any(axis=0)), np.asarray(model.positions.weight, np.float64)
    table = None if model.positions.table is None else np.asarray(model.positions.table, np.float64)
    for slot in range(model.width):
        parts: list[IntervalTensor] = []
        if has_tokens[slot]:
            parts.append(exactly((TOKEN,), tokens[:, slot]))
        for row in np.nonzero(weights[:, slot])[0].tolist():
            factor = weights[row, slot].reshape(1, 1)
            parts += arithmetic.sums([exactly((Indices(),), positions[:, row])], factor, np.zeros(1))
        if table is not None and table[:, slot].any():
            parts.append(exactly((Indices(),), table[:n, slot]))
        slots.append(added(parts, arithmetic))
    return slots


def _at_positions(values: Callable[[int], Array], n: int) -> Array:
    """The values of position functions at the first n positions; they must not depend on the length of the word."""
    rows = values(n)
    if not np.array_equal(rows, values(n + 1)[:n]):
        raise NotCertified("a position function depends on the length of the word", "the embedding")
    return rows


def added(parts: list[IntervalTensor], arithmetic: IntervalArithmetic) -> IntervalTensor:
    """The sum of numbers, rounded."""
    if len(parts) == 1 and not parts[0].axes:
        return parts[0]
    terms = [p for p in parts if p.low.any() or p.high.any()]
    if not terms:
        return ZERO
    if len(terms) == 1:
        return terms[0]
    return arithmetic.sums(terms, np.ones((len(terms), 1)), np.zeros(1))[0]


def through_mlp(
    mlp: object, slots: list[IntervalTensor], axes: Axes, arithmetic: IntervalArithmetic, where: str, *, coarse: bool
) -> tuple[list[IntervalTensor], list[Callable[[], StageFigures]]]:
    """The stream after an MLP, and the figures of its stages, which are worked out where they are asked for."""
    if not isinstance(mlp, Mlp) or mlp.activation != "relu":
        raise NotCertified(f"{where} is not a ReLU network", where)
    inputs = stacked(
        [arithmetic.merge_axes(s) for s in slots], np.nonzero(np.asarray(mlp.maps[0].weight).any(axis=1))[0]
    )
    copies: dict[int, int] = {}  # units that hold a slot, or its negative: slot + 1 with the sign
    figures: list[Callable[[], StageFigures]] = []
    for number, stage in enumerate(mlp.maps[:-1]):
        before = arithmetic.stacks(inputs, stage.weight, stage.bias, merge=True)
        after = joined_stacks(part for stack in before for part in stack.relu(arithmetic.silu))
        copies = copies_of(np.asarray(stage.weight), np.asarray(stage.bias), slots if not number else None, copies)
        figures.append(partial(figures_of, f"{where}, stage {number + 1}", before, after))
        inputs = after
        if coarse:
            units, following = listed(after, stage.outputs), np.asarray(mlp.maps[number + 1].weight)
            inputs = stacked(
                shorter_together(units, by_value(units, axes, arithmetic, narrow=True), following, arithmetic)
            )
    last = mlp.maps[-1]
    results = []
    changes = listed(arithmetic.stacks(inputs, last.weight, last.bias), last.outputs)
    weight, bias = np.asarray(last.weight), np.asarray(last.bias)
    writes = weight.any(axis=0) | (bias != 0)
    if not arithmetic.silu:
        for slot in np.nonzero((weight >= 0).all(axis=0) & (bias >= 0))[0].tolist():
            changes[slot] = _not_negative(changes[slot])
    for slot, (old, change) in enumerate(zip(slots, changes, strict=True)):
        if not writes[slot]:
            results.append(old)
        elif _is_cleared(weight[:, slot], float(bias[slot]), slot, copies, old):
            results.append(_left(old, arithmetic.silu))
        else:
            results.append(added([old, change], arithmetic))
    return results, figures


def _not_negative(x: IntervalTensor) -> IntervalTensor:
    """A sum of numbers that are not negative, as units are: in floats, too, it is not negative, in whatever order."""
    return x if x.known or float(x.low.min()) >= 0 else between(x.axes, np.maximum(x.low, 0.0), x.high)


def _left(old: IntervalTensor, silu: float) -> IntervalTensor:
    """What is left of a slot that is cleared: nothing, unless units are not quite ReLUs and it may be near zero."""
    near = (old.low < NEAR * silu) & (old.high > -NEAR * silu) & ~((old.low == 0) & (old.high == 0))
    return between((), np.asarray(-2 * silu), np.asarray(2 * silu)) if silu and near.any() else ZERO


def refuse_long_rows(slots: Sequence[IntervalTensor], arithmetic: IntervalArithmetic, where: str) -> None:
    """Refuses rows that are longer than a norm before the next map allows."""
    if arithmetic.reach == math.inf:
        return
    length = math.sqrt(sum(slot.size**2 for slot in slots)) * (1 + 2.0**-20)
    if not length <= arithmetic.reach:
        raise NotCertified(f"{where}: a row may be {length:.4g} long, and norms allow {arithmetic.reach:.4g}", where)


def shorter_together(
    units: Sequence[IntervalTensor], by_values: Sequence[IntervalTensor], weight: Array, arithmetic: IntervalArithmetic
) -> list[IntervalTensor]:
    """Units over s-ops that they are functions of, or as they were: what has fewer combinations where they are read.

    Six digits of a number at one position are functions of token and position, of which there are few together; as six
    axes they have a million combinations. Either form holds. `weight` is that of the map that reads them.
    """
    chosen = list(by_values)
    kinds: dict[tuple[Any, ...], list[int]] = {}
    for index, (old, new) in enumerate(zip(units, by_values, strict=True)):
        if old.axes != new.axes:
            kinds.setdefault(old.axes, []).append(index)
    for members in kinds.values():
        trial = list(chosen)
        for index in members:
            trial[index] = units[index]
        columns = weight[:, weight[members].any(axis=0)] != 0
        if _combinations(trial, columns, arithmetic) < _combinations(chosen, columns, arithmetic):
            chosen = trial
    return chosen


def _combinations(numbers: Sequence[IntervalTensor], columns: Array, arithmetic: IntervalArithmetic) -> int:
    """Over how many combinations of values the sums of some columns go, all together; True where one is read."""
    kinds: dict[tuple[Any, ...], list[int]] = {}
    for index, number in enumerate(numbers):
        kinds.setdefault(number.axes, []).append(index)
    reads = np.stack([columns[members].any(axis=0) for members in kinds.values()])
    patterns, counts = np.unique(reads, axis=1, return_counts=True)
    total = 0
    for pattern, count in zip(patterns.T.tolist(), counts.tolist(), strict=True):
        joint = arithmetic.joined([kind for kind, is_read in zip(kinds, pattern, strict=True) if is_read])
        total += count * math.prod(arithmetic.sizes[a] for a in joint)
    return total


def copies_of(weight: Array, bias: Array, slots: list[IntervalTensor] | None, before: dict[int, int]) -> dict[int, int]:
    """The units that hold a slot (or its negative part) unchanged: they read one thing, once, with no bias.

    Those that read nothing, and so hold zero, have 0.
    """
    copies: dict[int, int] = dict.fromkeys(np.nonzero(~weight.any(axis=0) & (bias <= 0))[0].tolist(), 0)
    for unit in np.nonzero(((weight != 0).sum(axis=0) == 1) & (bias == 0))[0].tolist():
        read = int(np.nonzero(weight[:, unit])[0][0])
        factor = float(weight[read, unit])
        if slots is not None and abs(factor) == 1:
            copies[unit] = int(factor) * (read + 1)
        elif slots is None and factor == 1 and before.get(read):
            copies[unit] = before[read]
    return copies


def _is_cleared(weight: Array, bias: float, slot: int, copies: dict[int, int], old: IntervalTensor) -> bool:
    """Whether exactly the slot's own content is taken away from it: relu(x) - relu(-x) is x, without rounding."""
    read = [r for r in np.nonzero(weight)[0].tolist() if copies.get(r) != 0]
    if bias or not len(read) or any(r not in copies for r in read):
        return False
    factors = {copies[r]: float(weight[r]) for r in read}
    positive, negative = factors.get(slot + 1), factors.get(-(slot + 1))
    if len(factors) != len(read) or set(factors) - {slot + 1, -(slot + 1)}:
        return False
    needs_positive, needs_negative = bool((old.high > 0).any()), bool((old.low < 0).any())
    return (positive == -1 or (positive is None and not needs_positive)) and (
        negative == 1 or (negative is None and not needs_negative)
    )


def figures_of(where: str, before: Sequence[Stack], after: Sequence[Stack]) -> StageFigures:
    """The figures of a stage, from its numbers before and after the units."""
    margin: float | None = None
    for x in before:
        if x.known:
            continue
        # on exact numbers nothing can be lost
        noisy = x.high > x.low
        least = min(
            float(x.low.min(where=noisy & (x.low > 0), initial=np.inf)),
            -float(x.high.max(where=noisy & (x.high < 0), initial=-np.inf)),
        )
        if least < math.inf:
            margin = least if margin is None else min(margin, least)
    return StageFigures(where, sum(len(x.indices) for x in before), error_of(before), error_of(after), margin)
