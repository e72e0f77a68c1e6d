"""The exact support function of the attention over all words of a class: the greatest u . y(word), for many u.

Lemma. Let N and D > 0 be the numerator and the denominator of u . y(word), and F(t) the greatest N - t D over the
class. If F(t) <= 0 then u . y <= t for every word; if F(t) > 0 then u . y <= t + F(t) / Dmin, where Dmin is at most
every D. N - t D is a sum over positions, so F(t) is one max-plus dynamic program. Dinkelbach's iteration sets t to the
value t + F / D of the word that has the maximum, and ends after a few rounds since F is convex and decreasing in t.

Arithmetic. A word's sum of gains is computed within a share (N + 10) 2^-53 of D max |u . v - t|, so after division by
its own D the error is at most 1e-13 times that maximum for words of up to 800 letters; bounds are raised by 1e-12.
"""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from capax.auditor.bounds.paths import Paths
from capax.auditor.bounds.tables import AnswerQuery, HeadTable
from capax.model.parts import Array

LEAST_DENOMINATOR: Final = 1e-200
"""Below this a denominator counts as underflown: only the greatest value of a key bounds the output then."""

SLACK: Final = 1e-12
ROUNDS: Final = 40
MULTIPLIERS: Final = (1.0, 0.6)
"""Shares of the proposed multiplier that are tried in a slice."""

CHUNK: Final = 2_000_000
"""About how many gains are held at once."""


@dataclass(frozen=True, slots=True, eq=False)
class WordClasses:
    """Classes of words of one query: letters (classes, N, alphabet) and goals (classes, goal states)."""

    paths: Paths
    letters: Array
    goal: Array
    slices: "Slices | None" = None

    def __len__(self) -> int:
        return len(self.letters)

    def empty(self) -> Array:
        """Which classes (K,) have no word, slices left aside."""
        gains = np.where(np.moveaxis(self.letters, 0, 2), 0.0, -np.inf)
        best, _ = self.paths.best(gains, np.zeros(gains.shape[:2]), self.goal)
        return np.asarray(np.isneginf(best))

    def select(self, which: Array) -> "WordClasses":
        """Some of the classes."""
        slices = None if self.slices is None else self.slices.select(which)
        return replace(self, letters=self.letters[which], goal=self.goal[which], slices=slices)


@dataclass(frozen=True, slots=True, eq=False)
class Slices:
    """For each class intervals (K, D) of p . y along directions p (K, D, m): the words whose outputs lie in all.

    `shares` (K, D, m) proposes the multipliers shares . u for the intervals' ends; any multipliers are sound. Places of
    directions that are left over are zero.
    """

    direction: Array
    low: Array
    high: Array
    shares: Array

    def select(self, which: Array) -> "Slices":
        """Those of some of the classes."""
        return Slices(self.direction[which], self.low[which], self.high[which], self.shares[which])


def support(query: AnswerQuery, classes: WordClasses, of: Array, u: Array, tolerance: Array | float = 0.0) -> Array:
    """For rows u (rows, m) and classes `of` (rows,): numbers that no word's u . y exceeds; -inf for an empty class.

    With several heads the sum of their supports. The result is at most the exact support plus `tolerance` and 1e-12 of
    the largest |u . v| (one head).

    In a slice low <= p . y <= high, weak duality: for any multiplier t, u . y = (u - t p) . y + t p . y, which is at
    most the support of u - t p plus t high (t >= 0) or t low (t < 0); so for several directions, with the sums over
    them. The least of a few multipliers is taken.
    """
    result = _support_all(query, classes, of, u, tolerance)
    slices = classes.slices
    if slices is None:
        return result
    p, multiplier = slices.direction[of], np.einsum("rdm,rm->rd", slices.shares[of], u)
    for share in MULTIPLIERS:
        t = share * multiplier
        ends = np.where(t >= 0, t * slices.high[of], t * slices.low[of])
        moved = u - np.einsum("rd,rdm->rm", t, p)
        other = _support_all(query, classes, of, moved, tolerance) + ends.sum(axis=1)
        size = np.abs(ends).sum(axis=1) + np.abs(other)
        other = np.where(np.isneginf(other), other, other + SLACK * size)
        result = np.minimum(result, other)
    return result


def _support_all(query: AnswerQuery, classes: WordClasses, of: Array, u: Array, tolerance: Array | float) -> Array:
    result, start = np.zeros(len(u)), 0
    for head, size in zip(query.heads, query.sizes, strict=True):
        part = u[:, start : start + size]
        result = result + _support_head(head, classes, of, part, tolerance)[0]
        start += size
    return result


def extreme_words(query: AnswerQuery, classes: WordClasses, of: Array, u: Array) -> Array:
    """Words (rows, N) that have the greatest u . y in their classes; with several heads, words that are near it."""
    start, gains = 0, np.zeros(())
    for head, size in zip(query.heads, query.sizes, strict=True):
        part = u[:, start : start + size]
        _, t = _support_head(head, classes, of, part, 0.0)
        gain = head.weight[..., None] * (head.value @ part.T - t)
        # The best word of the sum of N - t D over the heads, each divided by a denominator of its own.
        middle = head.constant_weight + head.weight.mean(axis=1).sum()
        gains = gains + gain / middle
        start += size
    allowed = np.moveaxis(classes.letters[of], 0, 2)
    shape = (*classes.letters.shape[1:], len(of))
    return classes.paths.words(np.where(allowed, np.broadcast_to(gains, shape), -np.inf), classes.goal[of])


def _support_head(
    head: HeadTable, classes: WordClasses, of: Array, u: Array, tolerance: Array | float
) -> tuple[Array, Array]:
    """The supports (rows,) of one head, and for each row a t just below the best value of a word, in parts."""
    tolerance = np.broadcast_to(np.asarray(tolerance, np.float64), len(u))
    step = max(1, CHUNK // max(1, head.weight.size))
    result, last = np.zeros(len(u)), np.zeros(len(u))
    for k in range(0, len(u), step):
        part = slice(k, k + step)
        values, constant = np.tensordot(head.value, u[part], axes=(2, 1)), u[part] @ head.constant_value
        result[part], last[part] = _dinkelbach(head, values, constant, classes, of[part], tolerance[part])
    return result, last


def support_of(
    head: HeadTable, values: Array, constant: Array, classes: WordClasses, of: Array, tolerance: Array
) -> Array:
    """The greatest mean (rows,), by a head's weights, of values (N, alphabet, rows) and constant ones (rows,)."""
    return _dinkelbach(head, values, constant, classes, of, tolerance)[0]


def _dinkelbach(
    head: HeadTable, values: Array, constant: Array, classes: WordClasses, of: Array, tolerance: Array
) -> tuple[Array, Array]:
    """The bounds (rows,) of the lemma, up to a tolerance, and a t just below the best value seen."""
    allowed = np.moveaxis(classes.letters[of], 0, 2)
    low, high = _least_denominators(head, classes)[of], _greatest(head, values, allowed, constant)
    scale = np.abs(high) + np.abs(values).max(axis=(0, 1), initial=0.0)
    bound, last = high.copy(), np.full(len(of), -np.inf)
    active = np.flatnonzero(low > LEAST_DENOMINATOR)
    t = np.minimum(constant, high)[active]
    for round_ in range(ROUNDS):
        if not len(active):
            break
        at = t + SLACK * scale[active]
        gains = head.weight[..., None] * (values[..., active] - at)
        gains = np.where(allowed[..., active], gains, -np.inf)
        best, weight = classes.paths.best(gains, head.weight, classes.goal[of[active]])
        best = best + (constant[active] - at) * head.constant_weight
        empty = np.isneginf(best)
        upper = at + np.maximum(best, 0.0) / low[active] + SLACK * scale[active]
        bound[active] = np.where(empty, -np.inf, np.minimum(bound[active], upper))
        too_high = (best <= 0) & (round_ == 0)  # a start above the support: the next round is below or at it
        going = ~empty & ((best > tolerance[active] * low[active]) | too_high)
        with np.errstate(invalid="ignore"):
            t = at + best / (head.constant_weight + weight)
        last[active] = np.maximum(last[active], t)
        active, t = active[going], t[going]
    # Just below the best value seen, the word that has it is the only one with a positive sum of gains.
    return bound, np.where(np.isfinite(last), last - 1e-9 * scale, 0.0)


def _least_denominators(head: HeadTable, classes: WordClasses) -> Array:
    """For each class a number (classes,) that is at most every word's denominator."""
    weight = np.where(classes.letters, head.weight, np.inf).min(axis=2)
    total = weight.sum(axis=1) * (1 - SLACK) + head.constant_weight
    return np.where(np.isfinite(total), total, 1.0)


def _greatest(head: HeadTable, values: Array, allowed: Array, constant: Array) -> Array:
    """The greatest u . v (rows,) of a key: no mean of values exceeds it."""
    top = np.where(allowed, values, -np.inf).max(axis=(0, 1), initial=-np.inf)
    if head.constant_score > -np.inf:
        top = np.maximum(top, constant)
    return np.asarray(top + SLACK * np.abs(top))
