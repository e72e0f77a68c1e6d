"""Decoding: that the answer that is read from the last numbers is the program's, for all combinations of values."""

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, cached_property, partial
from typing import Any

import numpy as np

from capax.certify.intervals.arithmetic import IntervalArithmetic
from capax.certify.intervals.axis_merge import AxisMerge, plain
from capax.certify.intervals.tensor import IntervalTensor
from capax.certify.not_certified import NotCertified
from capax.certify.parts.fraction_answers import fraction_margins, fractions_of
from capax.certify.parts.logit_differences import bound_margins, class_margins
from capax.certify.values.axes import Axes
from capax.certify.values.coded_values import Values
from capax.model.model import Model
from capax.model.parts import Array
from capax.model.vocabulary import Classes, Fractions, Nearest
from capax.rasp.analysis.output_spec import OutputSpec
from capax.rasp.ir.nodes import Node
from capax.rasp.ir.types import Atom

MOST_KINDS = 2**22
"""Up to this many kinds of combinations it is listed which of them occur."""


def decoding_margin(
    model: Model, spec: OutputSpec, slots: list[IntervalTensor], axes: Axes, arithmetic: IntervalArithmetic
) -> float:
    """The least distance to a wrong answer, over all combinations of values."""
    stream = [arithmetic.merge_axes(s) for s in slots]
    readout = model.readout.map
    logits = arithmetic.read(stream, readout.weight, readout.bias, merge=True)
    right_over = cache(partial(_right_over, model.decoding, spec, axes, arithmetic))
    right, bounds, answers = _answered(spec, logits, axes, right_over)
    if isinstance(model.decoding, Classes):
        margins = bound_margins(right, bounds)
        if margins.min(initial=np.inf) <= 0 and readout.weight.any():
            read = [stream[i] for i in np.nonzero(readout.weight.any(axis=1))[0]]
            right, bounds, answers = _answered(spec, read, axes, right_over)
            low, high = (np.stack([b[end] for b in bounds]) for end in (0, 1))
            margins = class_margins(readout, right, low, high, arithmetic)
    elif isinstance(model.decoding, Fractions):
        fractions = fractions_of(model.decoding, answers, axes.budget, typed=spec.typed)
        margins = fraction_margins(model.decoding.most, fractions, right, *bounds[0])
    else:
        assert isinstance(model.decoding, Nearest)
        margins = _nearest(model.decoding, right, *bounds[0])
    least = float(margins.min(initial=np.inf))
    if least <= 0:
        worst = answers[right[int(np.argmin(margins))]]
        why = (
            f"the answer {worst!r} does not have the highest logit"
            if isinstance(model.decoding, Classes)
            else "an answer is nearer to another value than to its own"
        )
        raise NotCertified(why, "the readout", margin=least)
    return least


_Answers = tuple["Combinations", Array, Sequence[Atom]]
"""Combinations of values of axes, for each of them the index of the right answer, and all answers."""


def _answered(
    spec: OutputSpec,
    numbers: Sequence[IntervalTensor],
    axes: Axes,
    right_over: Callable[[tuple[Node, ...]], _Answers],
) -> tuple[Array, list[tuple[Array, Array]], Sequence[Atom]]:
    """For each kind of combination the index of the right answer and the bounds of some numbers; and all answers."""
    over = tuple(dict.fromkeys([*axes.of(spec.root).axes, *(a for x in numbers for a in plain(x.axes))]))
    combinations, right, answers = right_over(over)
    return *_kinds(combinations, right, len(answers), numbers), answers


def _right_over(
    decoding: Any, spec: OutputSpec, axes: Axes, arithmetic: IntervalArithmetic, over: tuple[Node, ...]
) -> _Answers:
    """The right answers of the combinations of some axes that can happen."""
    column = axes.of(spec.root)
    shape = arithmetic.shape(over, "the answer")
    codes = np.broadcast_to(axes.expand(column, over), shape).reshape(-1)
    feasible = axes.feasible(over)
    ok = codes >= 0
    if feasible is not None:
        ok &= np.broadcast_to(feasible, shape).reshape(-1)
    cells = np.nonzero(ok)[0]
    right, answers = _right(decoding, spec, replace(column, axes=(), codes=codes[cells]), axes)
    if (right < 0).any():
        cells, right = cells[right >= 0], right[right >= 0]
    return Combinations(over, shape, cells), right, answers


class Combinations:
    """Some combinations of values of axes, at which numbers are looked up."""

    def __init__(self, over: tuple[Node, ...], shape: list[int], cells: Array) -> None:
        self.over, self.shape, self.cells = over, shape, cells
        self.sizes = dict(zip(over, shape, strict=True))

    @cached_property
    def coordinates(self) -> dict[Node, Array]:
        """The index of each combination on the axes."""
        return dict(zip(self.over, np.unravel_index(self.cells, self.shape), strict=True)) if self.over else {}

    def of(self, axes: tuple[Any, ...]) -> Array:
        """Where in a list of a number's bounds over some axes, which may be merged, each combination is."""
        if axes == self.over:
            return self.cells
        indices = [self._along(a) for a in axes]
        sizes = [a.count if isinstance(a, AxisMerge) else self.sizes[a] for a in axes]
        return self._flat(indices, sizes)

    def _along(self, axis: Any) -> Array:
        """The index of each combination on an axis."""
        if not isinstance(axis, AxisMerge):
            return self.coordinates[axis]
        if axis.inner == self.over:
            return np.asarray(axis.index[self.cells])
        inner = [self.coordinates[a] for a in axis.inner]
        return np.asarray(axis.index[self._flat(inner, [self.sizes[a] for a in axis.inner])])

    def _flat(self, indices: list[Array], sizes: list[int]) -> Array:
        if len(indices) == 1:
            return indices[0]
        return np.ravel_multi_index(indices, sizes) if indices else np.zeros(len(self.cells), np.int64)


def _kinds(
    combinations: Combinations, right: Array, answers: int, logits: Sequence[IntervalTensor]
) -> tuple[Array, list[tuple[Array, Array]]]:
    """The right answers and the bounds of all logits: of each combination, or once for those that agree in all."""
    sizes = {x.axes: x.low.size for x in logits}
    index_of = {axes: combinations.of(axes) for axes in sizes}
    every = [answers, *sizes.values()]
    if math.prod(every) <= MOST_KINDS:
        taken: Array = np.zeros(math.prod(every), bool)
        taken[np.ravel_multi_index([right, *index_of.values()], every)] = True
        right, *indices = np.unravel_index(np.nonzero(taken)[0], every)
        index_of = dict(zip(sizes, indices, strict=True))
    return right, [(x.low.reshape(-1)[index_of[x.axes]], x.high.reshape(-1)[index_of[x.axes]]) for x in logits]


def _right(decoding: Any, spec: OutputSpec, values: Values, axes: Axes) -> tuple[Array, Sequence[Atom]]:
    """For each value the index of the answer that it stands for, -1 for what cannot be, and all answers.

    Refuses a shift that does not keep the types apart.
    """
    if not isinstance(decoding, (Classes, Nearest, Fractions)):
        raise NotCertified("answers that are any number are not checked", "the readout")
    if spec.shift is not None:
        for value in axes.set_of(spec.value):
            if isinstance(value, str) or not abs(value) < spec.shift / 2:
                raise NotCertified("the shift between types of answers is too small", "the readout")
    occurring = values.occurring()
    possible = list(dict.fromkeys(occurring))
    if spec.shift is not None:
        possible = [v for v in possible if spec.can_be(v)]
    if isinstance(decoding, Fractions):
        if spec.shift is not None:
            raise NotCertified("answers that are decoded as fractions have one type", "the readout")
        answers = spec.read_all(possible)
        if len(possible) == len(occurring):  # no two are equal, and each can be
            return values.numbered(), answers
        return values.mapped({v: i for i, v in enumerate(possible)}, some=True), answers
    rows = dict(zip(possible, _row(spec.read_all(possible), decoding.values, spec.typed).tolist(), strict=True))
    return values.mapped(rows, some=True), decoding.values


def _row(values: Sequence[Atom], known: Sequence[Atom], typed: bool) -> Any:
    """The index of each value in a list, by equality up to rounding; and of the same type if that is asked."""
    exact = {(type(v) if typed else None, v): i for i, v in enumerate(known)}
    alike: dict[type | None, list[Any]] = {}
    for kind, v in exact:
        if not isinstance(v, str):
            alike.setdefault(kind, []).append(v)
    for numbers in alike.values():
        numbers.sort()
    rows = []
    for v in values:
        key = type(v) if typed else None, v
        if key not in exact and not isinstance(v, str) and key[0] in alike:
            near = _nearest_of(v, alike[key[0]])
            if abs(near - v) <= 2.0**-40 * max(abs(near), abs(v)):
                exact[key] = exact[key[0], near]
        rows.append(exact.get(key, -1))
    if -1 in rows:
        raise NotCertified(f"the answer {values[rows.index(-1)]!r} is not among the model's answers", "the readout")
    return np.array(rows, np.int64)


def _nearest_of(value: float, numbers: list[Any]) -> Any:
    index = bisect_left(numbers, value)
    return min(numbers[max(index - 1, 0) : index + 1], key=lambda n: abs(n - value))


def _nearest(decoding: Nearest, right: Any, low: Any, high: Any) -> Any:
    """For each combination how far the number is from the middle between its own code and the next."""
    codes = np.array(decoding.codes)
    edges = np.concatenate([[-np.inf], (codes[1:] + codes[:-1]) / 2, [np.inf]])
    return np.minimum(low - edges[right], edges[right + 1] - high)
