"""Squares of integers by ReLU units.

Statement: for integers 0 <= x < 2^S there is a ReLU network of S stages with at most 4 units each that gives x^2
exactly, in any number system that holds integers up to 4^S and their halves.
Idea: with t = x / 2^S and the tooth g(t) = 2 min(t, 1 - t), t^2 = t - sum over s of g^s(t) / 4^s, where the sum over
s = 1 ... S is exact at multiples of 2^-S. Each stage folds once more and carries the sum so far.
Cite: Yarotsky (2017), "Error bounds for approximations with deep ReLU networks": the same sum, there as an
approximation between the grid's points.
"""

from collections.abc import Mapping

from capax.theorems.weights.stream import Terms

Stages = list[dict[str, dict[str, float]]]


def square(reads: Terms, bits: int, name: str) -> tuple[Stages, dict[str, float]]:
    """The stages of units for the square of a sum that is an integer of `bits` bits, and the square as their sum.

    Numbers are kept as multiples of 2^-bits; the units of a stage are called `name ...`.
    """
    assert bits >= 1
    half = 0.5
    stages: Stages = []
    scaled = {source: coefficient / 2**bits for source, coefficient in reads.items()}
    fold: Mapping[str, float] = scaled  # t, then the teeth, as a sum of the stage before
    rest: Mapping[str, float] = scaled  # t minus the teeth so far
    for s in range(bits):
        low, high, rest_unit = f"{name} low", f"{name} high", f"{name} rest"
        stages.append({low: dict(fold), high: _minus(fold, half), rest_unit: dict(rest)})
        # The tooth of t is 2 relu(t) - 4 relu(t - 1/2) on [0, 1].
        fold = {low: 2.0, high: -4.0}
        weight = 4.0 ** -(s + 1)
        rest = {rest_unit: 1.0, low: -2.0 * weight, high: 4.0 * weight}
    return stages, {unit: coefficient * 4.0**bits for unit, coefficient in rest.items()}


def _minus(terms: Terms, constant: float) -> dict[str, float]:
    return {**terms, "": terms.get("", 0.0) - constant}
