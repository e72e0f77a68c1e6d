"""The residual stream of a model over axes: the embedding, then MLPs; what heads add comes from elsewhere."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from capax.certify.axes import TOKEN, Axes, spread
from capax.certify.fold import plain
from capax.certify.intervals import ZERO, Arithmetic, Wide, between, exactly
from capax.certify.refusal import Refusal
from capax.model.model import Model
from capax.model.parts import Array, Mlp
from capax.rasp.nodes import Indices


@dataclass(frozen=True, slots=True)
class StageFigures:
    """What is known of one stage of an MLP: its units, how large its noise is before and after, and the margin.

    `margin` is how far below zero the noisy inputs of units that are surely closed stay, and how far above zero those
    of units that are surely open are; None where no unit has noise.
    """

    where: str
    units: int
    error_in: float
    error_out: float
    margin: float | None


def embedded(model: Model, axes: Axes, arithmetic: Arithmetic) -> list[Wide]:
    """The stream before the first sublayer, one number per slot."""
    tokens = model.embedding.astype(np.float64)
    n = axes.longest
    places, *others = (_cast(_at_places(model.positions.values, n), system) for system in arithmetic.systems)
    if any(not np.array_equal(places, other) for other in others):
        raise Refusal(f"positions are not the same numbers in {arithmetic.numbers}", "the embedding")
    slots: list[Wide] = []
    for slot in range(model.width):
        parts: list[Wide] = []
        if tokens[:, slot].any():
            parts.append(exactly((TOKEN,), tokens[:, slot]))
        for row, weights in enumerate(np.asarray(model.positions.weight, np.float64)):
            if weights[slot]:
                factor = weights[slot].reshape(1, 1)
                parts += arithmetic.sums([exactly((Indices(),), places[:, row])], factor, np.zeros(1))
        if model.positions.table is not None and np.asarray(model.positions.table)[:, slot].any():
            parts.append(exactly((Indices(),), np.asarray(model.positions.table, np.float64)[:n, slot]))
        slots.append(added(parts, arithmetic))
    return slots


def _at_places(values: Callable[[int], Array], n: int) -> Array:
    """The values of position functions at the first n places; they must not depend on the length of the word."""
    found = values(n)
    if not np.array_equal(found, values(n + 1)[:n]):
        raise Refusal("a position function depends on the length of the word", "the embedding")
    return found


def _cast(values: Array, numbers: str) -> Array:
    """The values of position functions as the number system holds them."""
    if numbers == "bfloat16":
        bits = values.astype(np.float32).view(np.uint32)
        rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) & np.uint32(0xFFFF0000)
        return rounded.astype(np.uint32).view(np.float32).astype(np.float64)
    return values.astype(numbers).astype(np.float64)


def added(parts: list[Wide], arithmetic: Arithmetic) -> Wide:
    """The sum of numbers, rounded."""
    kept = [p for p in parts if p.low.any() or p.high.any()]
    if not kept:
        return ZERO
    if len(kept) == 1:
        return kept[0]
    return arithmetic.sums(kept, np.ones((len(kept), 1)), np.zeros(1))[0]


def through_mlp(
    mlp: object, slots: list[Wide], axes: Axes, arithmetic: Arithmetic, where: str, *, forget: bool
) -> tuple[list[Wide], list[Callable[[], StageFigures]]]:
    """The stream after an MLP, and the figures of its stages, which are worked out where they are asked for."""
    if not isinstance(mlp, Mlp) or mlp.activation != "relu":
        raise Refusal(f"{where} is no ReLU network", where, "only ReLU networks are certified")
    inputs = [arithmetic.folded(s) for s in slots]
    copies: dict[int, int] = {}  # units that hold a slot, or its negative: slot + 1 with the sign
    figures: list[Callable[[], StageFigures]] = []
    for number, stage in enumerate(mlp.maps[:-1]):
        before = arithmetic.sums(inputs, stage.weight, stage.bias, fold=True)
        after = [arithmetic.relu(x) for x in before]
        copies = copies_of(np.asarray(stage.weight), np.asarray(stage.bias), slots if not number else None, copies)
        figures.append(partial(figures_of, f"{where}, stage {number + 1}", before, after))
        inputs = by_value(after, axes, arithmetic, narrow=True) if forget else after
    last = mlp.maps[-1]
    results = []
    changes = arithmetic.sums(inputs, last.weight, last.bias)
    for slot, (old, change) in enumerate(zip(slots, changes, strict=True)):
        if _is_cleared(np.asarray(last.weight)[:, slot], float(last.bias[slot]), slot, copies, old):
            results.append(ZERO)
        elif not np.asarray(last.weight)[:, slot].any() and not last.bias[slot]:
            results.append(old)
        else:
            results.append(added([old, change], arithmetic))
    return results, figures


def by_value(slots: list[Wide], axes: Axes, arithmetic: Arithmetic, *, narrow: bool = False) -> list[Wide]:
    """The numbers, with those that are functions of an s-op that is an axis as numbers over that axis.

    With `narrow` also numbers over a single axis are tried, if they take few values.
    """
    found: list[Wide] = []
    for slot in slots:
        if narrow or any(set(plain(slot.axes)) <= set(made.axes) for made in axes.cuts.values()):
            slot = arithmetic.unfolded(slot)
            slot = _by_value(slot, axes) if len(slot.axes) > 1 or (narrow and _few(slot)) else slot
        found.append(slot)
    return found


def _few(slot: Wide) -> bool:
    return slot.error == 0 and slot.low.size >= 32 and 4 * len(np.unique(slot.low)) <= slot.low.size


def _by_value(slot: Wide, axes: Axes) -> Wide:
    for node, made in axes.cuts.items():
        if not set(slot.axes) <= set(made.axes):
            continue
        if len(slot.axes) == 1 and 2 * len(axes.values[node]) > slot.low.size:
            continue
        shape = [len(axes.values[a]) for a in made.axes]
        low, high = (
            np.broadcast_to(spread(x, slot.axes, made.axes, shape), shape).reshape(-1) for x in (slot.low, slot.high)
        )
        rows = axes.rows(node)
        fine = rows >= 0
        count = len(axes.values[node])
        least, most = np.full(count, np.inf), np.full(count, -np.inf)
        np.minimum.at(least, rows[fine], low[fine])
        np.maximum.at(most, rows[fine], high[fine])
        if (most - least).max(initial=0.0) <= 2 * slot.error:
            return between((node,), least, most)
    return slot


def copies_of(weight: Array, bias: Array, slots: list[Wide] | None, before: dict[int, int]) -> dict[int, int]:
    """The units that hold a slot (or its negative part) unchanged: they read one thing, once, with no bias."""
    found: dict[int, int] = {}
    for unit in range(weight.shape[1]):
        read = np.nonzero(weight[:, unit])[0]
        if len(read) != 1 or bias[unit]:
            continue
        factor = float(weight[read[0], unit])
        if slots is not None and abs(factor) == 1:
            found[unit] = int(factor) * (int(read[0]) + 1)
        elif slots is None and factor == 1 and int(read[0]) in before:
            found[unit] = before[int(read[0])]
    return found


def _is_cleared(weight: Array, bias: float, slot: int, copies: dict[int, int], old: Wide) -> bool:
    """Whether exactly the slot's own content is taken away from it: relu(x) - relu(-x) is x, without rounding."""
    read = np.nonzero(weight)[0]
    if bias or not len(read) or any(int(r) not in copies for r in read):
        return False
    held = {copies[int(r)]: float(weight[r]) for r in read}
    positive, negative = held.get(slot + 1), held.get(-(slot + 1))
    if len(held) != len(read) or set(held) - {slot + 1, -(slot + 1)}:
        return False
    needs_positive, needs_negative = bool((old.high > 0).any()), bool((old.low < 0).any())
    return (positive == -1 or (positive is None and not needs_positive)) and (
        negative == 1 or (negative is None and not needs_negative)
    )


def figures_of(where: str, before: list[Wide], after: list[Wide]) -> StageFigures:
    """The figures of a stage, from its numbers before and after the units."""
    margin: float | None = None
    for x in before:
        if x.known:
            continue
        # on exact numbers nothing can be lost
        least = min(
            float(x.low.min(where=(x.low > 0) & (x.high > x.low), initial=np.inf)),
            -float(x.high.max(where=(x.high < 0) & (x.high > x.low), initial=-np.inf)),
        )
        if least < math.inf:
            margin = least if margin is None else min(margin, least)
    error_in = max((x.error for x in before), default=0.0)
    return StageFigures(where, len(before), error_in, max((x.error for x in after), default=0.0), margin)
