"""Answers that are decoded as fractions: the nearest one with a denominator up to a bound."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from capax.certify.certify_budget import WorkBudget
from capax.certify.not_certified import NotCertified
from capax.model.parts import Array
from capax.model.vocabulary import Fractions
from capax.rasp.ir.types import Atom

EQUAL = 2.0**-42
"""Numbers that differ by less than this, relative to their size, are equal up to rounding, with room to compute it."""


@dataclass(frozen=True, slots=True, eq=False)
class FractionAnswers:
    """For each answer a fraction, in units, that is decoded to it: its numerator and its denominator."""

    numerators: Array
    denominators: Array


def fractions_of(decoding: Fractions, answers: Sequence[Atom], budget: WorkBudget, *, typed: bool) -> FractionAnswers:
    """The fraction of each answer, with the least denominator; refuses an answer that none is decoded to.

    All decoded answers have one type: where types count, another is none of them.
    """
    kind = int if decoding.whole else float
    fine = set(map(type, answers)) <= ({kind} if typed else {int, bool, float})
    if not fine or not np.isfinite(np.array(answers, float)).all():
        for answer in answers:
            if isinstance(answer, str) or not math.isfinite(answer) or (typed and type(answer) is not kind):
                raise NotCertified(f"the answer {answer!r} is not among the model's answers", "the readout")
    unit = float(decoding.exact_unit)
    values: Array = np.array(answers, np.float64)
    numerators, denominators, left = _convergents(values, unit, decoding.most, budget)
    for denominator in range(1, decoding.most + 1):
        if not len(left):
            break
        budget.spend(len(left) // 16)  # a few operations on whole arrays
        wanted = values[left]
        tops = np.rint(wanted / unit * denominator)
        fits = _equal(tops / denominator * unit, wanted)
        numerators[left[fits]], denominators[left[fits]] = tops[fits], denominator
        left = left[~fits]
    if len(left) or float(np.abs(numerators).max(initial=0.0)) >= 2**50:
        worst = answers[int(left[0])] if len(left) else max(answers, key=lambda v: abs(float(v)))
        raise NotCertified(f"the answer {worst!r} is not among the model's answers", "the readout")
    return FractionAnswers(numerators, denominators)


def _equal(one: Array, two: Array) -> Array:
    return np.asarray(np.abs(one - two) <= EQUAL * np.abs(two))


def _convergents(values: Array, unit: float, most: int, budget: WorkBudget) -> tuple[Array, Array, Array]:
    """Numerators and denominators of values, by their continued fractions, and which values have none that fits.

    The fraction nearest to a number among those with a denominator as large is one of its convergents, of which there
    are few: this is faster than to try all denominators.
    """
    numerators, denominators = np.zeros(len(values)), np.zeros(len(values))
    left, others = np.arange(len(values)), [np.zeros(0, np.int64)]
    rest = values / unit
    top, below = np.floor(rest), np.ones(len(values))
    tops, belows = np.ones(len(values)), np.zeros(len(values))  # of the convergent before
    rest = rest - top
    while len(left):
        budget.spend(len(left) // 16)
        fits = _equal(top / below * unit, values[left])
        numerators[left[fits]], denominators[left[fits]] = top[fits], below[fits]
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            inverse = 1 / rest
            whole = np.floor(inverse)
            after = whole * top + tops, whole * below + belows
            further = inverse - whole
        going = ~fits & (after[1] <= most)
        others.append(left[~fits & ~going])
        tops, belows, top, below = top[going], below[going], after[0][going], after[1][going]
        rest, left = further[going], left[going]
    return numerators, denominators, np.sort(np.concatenate(others))


def fraction_margins(most: int, answers: FractionAnswers, right: Array, low: Array, high: Array) -> Array:
    """How far numbers are from where another fraction than the right one becomes the nearest.

    Lemma. Two different fractions with denominators m and M differ by at least 1/(m M), since their difference is one
    with the denominator m M. So a number that is nearer than 1/(2 m M) to a fraction with the denominator m is nearer
    to it than to any other with a denominator up to M.
    """
    values = answers.numerators / answers.denominators
    rounding = 2.0**-52 * (1 + np.abs(values))
    off = np.maximum(high - values[right], values[right] - low) + rounding[right]
    return np.asarray((1 - 2.0**-50) / (2 * answers.denominators * most))[right] - off * (1 + 2.0**-50)
