"""MLPs that read the stream through norms that do almost nothing."""

import numpy as np

from capax.certify.certificate import StageFigures
from capax.certify.exported_models.curves import Curve, curves_of, span
from capax.certify.exported_models.norms import Noisy
from capax.certify.intervals.arithmetic import GUARD, OWN
from capax.certify.intervals.stacks import stacked
from capax.certify.intervals.tensor import IntervalTensor, between
from capax.certify.not_certified import NotCertified
from capax.certify.parts.by_value import by_value
from capax.certify.parts.stream_bounds import copies_of, figures_of
from capax.certify.values.axes import Axes
from capax.model.parts import Affine, Array, Mlp


def through(
    mlp: object, slots: list[IntervalTensor], axes: Axes, noisy: Noisy, where: str, *, coarse: bool
) -> tuple[list[IntervalTensor], StageFigures]:
    """The stream after an MLP of one stage, and the figures of the stage.

    Lemma (cleared slots). If units hold what is read of x and of -x, and the first is taken from x and the second added
    to it, what is left of x is at most twice the noise of a read, whatever x is. Other units that write to x at the
    same time add to what is left.
    """
    if not isinstance(mlp, Mlp) or mlp.activation != "relu" or mlp.depth != 1:
        raise NotCertified(f"{where} is not a network of one stage of ReLUs", where)
    first, last = mlp.maps
    inputs = [noisy.merge_axes(s) for s in slots]
    before = noisy.read(inputs, first.weight, first.bias, merge=True)
    after = [noisy.relu(x) for x in before]
    figures = figures_of(f"{where}, stage 1", stacked(before), stacked(after))
    hidden = by_value(after, axes, noisy, narrow=True) if coarse else after
    copies = copies_of(np.asarray(first.weight), np.asarray(first.bias), slots, {})
    weight: Array = np.array(last.weight, np.float64)
    terms = (weight != 0).sum(axis=0) + (np.asarray(last.bias) != 0)
    cleared_by = [_taken(weight[:, slot], slot, copies) for slot in range(len(slots))]
    for slot, units in enumerate(cleared_by):
        weight[list(units), slot] = 0.0
    absolute = np.abs(weight).T @ np.array([x.size for x in hidden]) + np.abs(last.bias)
    together = _together(first, weight, inputs, axes, noisy, coarse=coarse)
    changes = noisy.sums(hidden, weight, last.bias)
    written = []
    for slot, (old, change, units) in enumerate(zip(slots, changes, cleared_by, strict=True)):
        if not terms[slot]:
            written.append(old)
            continue
        left, gone = (old, None) if not units else _left(old, units, copies, noisy)
        parts = [noisy.split_axes(change)] if weight[:, slot].any() or last.bias[slot] else []
        if slot in together:
            parts, gone = parts + [noisy.split_axes(x) for x in together[slot]], gone or 0.0
        written.append(noisy.wrote(left, parts, int(terms[slot]), float(absolute[slot]), gone))
    return written, figures


def _together(
    first: Affine, weight: Array, inputs: list[IntervalTensor], axes: Axes, noisy: Noisy, *, coarse: bool
) -> dict[int, list[IntervalTensor]]:
    """What units that read one number write together, for each slot to which several of them write.

    Their weights are set to zero: what is left is what other units write.
    """
    curves = curves_of(np.asarray(first.weight, np.float64))
    if not curves:
        return {}
    numbers = noisy.sums(inputs, np.stack([c.column for c in curves], axis=1), np.zeros(len(curves)), merge=True)
    by_slot: dict[int, list[IntervalTensor]] = {}
    for curve, number in zip(curves, numbers, strict=True):
        shared = np.maximum(np.abs(number.low), np.abs(number.high)) * (noisy.common * GUARD)
        low, high = number.low - shared, number.high + shared
        biases = np.asarray(first.bias, np.float64)[curve.units]
        own = _own(curve, biases, inputs, noisy)
        for slot in np.nonzero((weight[curve.units] != 0).sum(axis=0) > 1)[0].tolist():
            written = weight[curve.units, slot]
            used = np.nonzero(written)[0]
            noisy.spend(2 * len(used) * low.size)
            least, most = span(low, high, curve.factors[used], biases[used], written[used])
            off = float(np.abs(written) @ own) * GUARD
            sum_of_units = between(number.axes, least - off, most + off)
            by_slot.setdefault(slot, []).append(
                by_value([sum_of_units], axes, noisy, narrow=True)[0] if coarse else sum_of_units
            )
            weight[curve.units, slot] = 0.0
    return by_slot


def _own(curve: Curve, biases: Array, inputs: list[IntervalTensor], noisy: Noisy) -> Array:
    """How far what each unit of a curve reads can be from the number that they share."""
    terms = int(np.count_nonzero(curve.column))
    column, sizes = np.abs(curve.column), np.array([x.size for x in inputs])
    # a factor and a column may be rounded here, though not their product
    read = noisy.lost(column, sizes, terms) + 4 * OWN * float(column @ sizes)
    return np.asarray(np.abs(curve.factors) * read + float(noisy.gamma(2 * terms + 1)) * np.abs(biases))


def _taken(column: Array, slot: int, copies: dict[int, int]) -> tuple[int, ...]:
    """The units that take the slot's own content away from it; at most one of each sign."""
    units: dict[int, int] = {}
    for unit in np.nonzero(column)[0].tolist():
        copy = copies.get(unit, 0)
        if abs(copy) == slot + 1 and column[unit] == (-1 if copy > 0 else 1):
            units.setdefault(copy, unit)
    return tuple(units.values())


def _left(
    old: IntervalTensor, units: tuple[int, ...], copies: dict[int, int], noisy: Noisy
) -> tuple[IntervalTensor, float]:
    """What is left of a slot, and the size of what cancelled."""
    noise = noisy.noise_of(old) / (1 - noisy.passed)
    signs = {copies[unit] > 0 for unit in units}
    above = 2 * noise + (0.0 if True in signs else max(float(old.high.max()), 0.0))
    below = 2 * noise + (0.0 if False in signs else max(-float(old.low.min()), 0.0))
    return between((), np.asarray(-below), np.asarray(above)), 2 * (old.size + noise)
