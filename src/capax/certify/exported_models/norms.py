"""Sums that read the stream through norms that do almost nothing, and a stream that passes through them.

The bounds on one norm are those of `capax.model.export.hugging_face.norm_bounds`: a direction x is kept as a pair of
coordinates (x + a / 2, -x + a / 2) with |a| <= A, and a norm makes (c - s)(1 + d) + e of a coordinate c, with one d
for a row.

Lemma (reads). Where norms stand before the maps, a map with the weights w gives (1 + d) sum w x + bias up to
(3 u + gamma(2 m + 1)) sum |w| (|x| + A / 2 + s) (1 + 2 eta0) + gamma(2 m + 1) |bias|, for m directions that it reads.
Where they stand after the sublayers, let L be the product of all 1 + d that a row has passed, and let the stream be
L x: then a map gives L sum w x + bias up to gamma(2 m + 1) (sum |w| (|L x| + A / 2) + |bias|); what is written, o, adds
o / L to x; and a norm adds e / L to x. So a factor that all directions of a row have in common stays one.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from capax.certify.certify_budget import WorkBudget
from capax.certify.intervals.arithmetic import GUARD, OWN, IntervalArithmetic
from capax.certify.intervals.tensor import IntervalTensor, between, exactly
from capax.certify.not_certified import NotCertified
from capax.certify.parts.stream_bounds import added
from capax.model.export.hugging_face.norm_bounds import NormError
from capax.model.parts import Array
from capax.rasp.ir.nodes import Node

EXP_UNITS: Final = 32
"""exp may be off by this many units in the last place: attention kernels have fast ones."""
NOTHING: Final = 2.0**-6
"""The values of a head that counts are zero up to noise, which is far below this."""


class Noisy(IntervalArithmetic):
    """Sums of intervals that read the stream through norms."""

    def __init__(
        self,
        numbers: str,
        sizes: dict[Node, int],
        budget: WorkBudget,
        feasible: Callable[[tuple[Any, ...]], Array | None],
        error: NormError,
        *,
        after: bool,
    ) -> None:
        super().__init__(numbers, sizes, budget, feasible)
        self.error, self.after = error, after
        self.least_exponent = -np.inf  # what underflows is no more than its exact value
        # two weights of one softmax, each with an exp and a rounded difference of scores
        self.exp_error = 2 * (2 * EXP_UNITS + 8) * self.unit * GUARD
        self.nothing = NOTHING
        self.passed = 0.0  # how far the product of all factors so far can be from 1
        self.own = 0.0  # how far the sums of pairs can be from what they have in common
        self._turn = 0.0  # and by how much the last sublayer may have changed that

    @property
    def common(self) -> float:
        """How far from 1 the factor is that all directions have in common when a row is read."""
        return self.passed if self.after else self.error.factor

    def _beside(self) -> float:
        """How much larger a coordinate can be, as it is read, than the direction."""
        return self.error.apart / 2 + (0.0 if self.after else self.error.shift)

    def _loss(self, terms: Any) -> Any:
        """The part of the coordinates that rounding can change when this many directions are read and summed."""
        own = 0.0 if self.after else 3 * self.unit
        return (own + self.gamma(2 * terms + 1)) * (1 + 2 * self.common) * GUARD

    def lost(self, weights: Array, sizes: Array, terms: Any) -> Any:
        """How far rounding can take what maps with such absolute values of weights read, (inputs, ...), from it."""
        beside = sizes * (1 + self.common) + self._beside()
        return self._loss(terms) * (weights.T @ beside) + 2 * (terms + 2) * self.least

    def read(
        self, given: Sequence[IntervalTensor], weight: Array, bias: Array, *, merge: bool = False
    ) -> list[IntervalTensor]:
        """What a map that reads the stream gives."""
        weight, bias = np.asarray(weight, np.float64), np.asarray(bias, np.float64)
        if not weight.shape[1]:
            return []
        columns, which = np.unique(weight, axis=1, return_inverse=True)
        plain = self.sums(given, columns, np.zeros(columns.shape[1]), merge=merge)
        terms = (columns != 0).sum(axis=0)
        loss = self.lost(np.abs(columns), np.array([x.size for x in given]), terms)
        results = []
        for row, more in zip(which.reshape(-1).tolist(), bias.tolist(), strict=True):
            if not terms[row]:
                results.append(exactly((), np.array(more)))
                continue
            x = plain[row]
            size = np.maximum(np.abs(x.low), np.abs(x.high))
            self.within(size + abs(more))
            off = size * self.common + loss[row] + self.gamma(2 * terms[row] + 1) * abs(more)
            off = off * GUARD + 4 * OWN * (size + abs(more))
            results.append(between(x.axes, x.low + more - off, x.high + more + off))
        return results

    @property
    def common_factor(self) -> float:
        """How far from 1 the factor of a row may be."""
        return self.common

    def logit_noise(self, weight: Array, bias: Array, sizes: Array) -> Array:
        """How far rounding can take what a map reads from what it would be, but for the factor of the row."""
        size = np.abs(weight).T @ sizes + np.abs(bias)[:, None]
        self.within(size)
        terms = (weight != 0).sum(axis=0)[:, None]
        off = self.lost(np.abs(weight), sizes, terms) + self.gamma(2 * terms + 1) * np.abs(bias)[:, None]
        return np.asarray(off * GUARD + 4 * OWN * size)

    def apart(
        self, given: Sequence[IntervalTensor], weight: Array, bias: Array
    ) -> tuple[list[IntervalTensor], Array | None]:
        """What a map gives but for its bias and for the factor that the row has; and the bias."""
        weight, bias = np.asarray(weight, np.float64), np.asarray(bias, np.float64)
        self.shared = self.common
        plain = self.sums(given, weight, np.zeros(weight.shape[1]))
        terms = (weight != 0).sum(axis=0)
        off = self.lost(np.abs(weight), np.array([x.size for x in given]), terms)
        off = (off + self.gamma(2 * terms + 1) * np.abs(bias)) * GUARD / (1 - self.common)
        return [self.wider(x, o) if t else x for x, o, t in zip(plain, off, terms, strict=True)], bias

    def noise_of(self, x: IntervalTensor) -> float:
        """How far what a unit reads of one direction can be from what the stream has there."""
        shared = 0.0 if self.after else self.common * x.size
        return shared + float(self.lost(np.ones(1), np.array([x.size]), 1))

    def wrote(
        self, old: IntervalTensor, changes: list[IntervalTensor], terms: int, absolute: float, gone: float | None = None
    ) -> IntervalTensor:
        """A direction after this many products were added to it, whose absolute values sum up to `absolute`.

        `gone` is the sum of the absolute values of further products, which cancelled.
        """
        if not terms:
            return old
        changes = [self._over_factor(c) for c in changes]
        total = added([old, *changes], self)
        size = (old.size + absolute + (gone or 0.0)) * (1 + 2 * self.passed)
        relative = float(self.gamma(terms + 2)) * GUARD
        self.apart_by(2 * relative * (size + self.error.apart))
        # coordinates are larger than directions; with what cancelled, the sum has more terms than were bounded
        beyond = self.error.apart / 2 + (2 * self.passed * size if gone is None else size)
        return self.wider(total, relative * beyond / (1 - self.passed))

    def apart_by(self, more: float) -> None:
        """Notes by how much one sublayer can change the sum of the coordinates of a pair."""
        self._turn = max(self._turn, more)

    def _over_factor(self, x: IntervalTensor) -> IntervalTensor:
        """What is written, divided by the factor of the row."""
        if not self.passed:
            return x
        off = np.maximum(np.abs(x.low), np.abs(x.high)) * (GUARD * self.passed / (1 - self.passed))
        return between(x.axes, x.low - off, x.high + off)

    def wider(self, x: IntervalTensor, off: Any) -> IntervalTensor:
        """A number with wider bounds."""
        more = (off + OWN * np.maximum(np.abs(x.low), np.abs(x.high))) * GUARD
        return between(x.axes, x.low - more, x.high + more)

    def rows(self, rows: Sequence[Sequence[IntervalTensor]], where: str) -> None:
        """Refuses rows that are too long for the bounds on norms, or pairs that are not."""
        self.own, self._turn = self.own + self._turn, 0.0
        for slots in rows:
            length = float(np.sqrt(np.square([x.size for x in slots]).sum())) * (1 + self.passed) * GUARD
            if not length <= self.error.reach:
                raise NotCertified(
                    f"{where}: a row of the stream may be {length:.4g} long, and the bounds on norms hold up to "
                    f"{self.error.reach:.4g}",
                    where,
                )
        if not self.own <= self.error.own:
            raise NotCertified(f"{where}: the coordinates of a pair may be no longer opposite", where)

    def normed(self, rows: Sequence[Sequence[IntervalTensor]], where: str) -> list[list[IntervalTensor]]:
        """Rows of the stream after a norm that stands in it."""
        self.rows(rows, where)
        error, before = self.error, self.passed
        self.passed = ((1 + before) * (1 + error.factor) - 1) * GUARD
        if not self.passed < 0.5:
            raise NotCertified(f"{where}: norms change the stream too much", where)
        part = 3 * self.unit * (1 + error.factor) * GUARD
        self.own = (self.own + 2 * part * (error.reach + error.apart + error.shift)) * (1 + error.factor)

        def one(x: IntervalTensor) -> IntervalTensor:
            size = np.maximum(np.abs(x.low), np.abs(x.high)) * (1 + before)
            return self.wider(x, part * (size + error.apart / 2 + error.shift) / (1 - self.passed))

        return [[one(x) for x in slots] for slots in rows]
