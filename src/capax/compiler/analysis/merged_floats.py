"""Results of an operation that differ by rounding only count as one: 7/3 - 1 and 4/3 are two floats near each other.

Weights could tell such floats apart only by steps that are as steep as they are near. So one float stands for all that
are roundings of one fraction. How far the others are from it is slack, which `check_rounding` follows: a program whose
outcomes would change by it is compiled again with all floats listed one by one.
"""

import math
from collections.abc import Iterable
from fractions import Fraction
from itertools import pairwise
from typing import Final

from capax.compiler.analysis.value_sets import NEAR
from capax.rasp.ir.types import Atom

LEFT_OVER: Final = 2.0**-46
"""What rounding leaves where large numbers cancel is no more than this share of the greatest."""

MOST_DENOMINATOR: Final = 10_000


def stand_ins_of_floats(values: Iterable[Atom]) -> dict[float, float]:
    """What stands for floats of a list of which some differ by rounding only; nothing where none do.

    It is the float nearest to the fraction that they are roundings of.

    >>> stand_ins_of_floats([0.5, 4 / 3, 7 / 3 - 1])
    {1.3333333333333335: 1.3333333333333333}
    >>> stand_ins_of_floats([0, 1e-17, 0.5]), stand_ins_of_floats([0.1, 0.2, 3])
    ({1e-17: 0.0}, {})
    """
    numbers = sorted({v for v in values if not isinstance(v, str) and math.isfinite(v)})
    if len(numbers) < 2:
        return {}
    left_over = LEFT_OVER * float(max(abs(numbers[0]), abs(numbers[-1])))
    if not any(_near(one, two, left_over) for one, two in pairwise(numbers)):
        return {}
    stand = {v: _fraction(v, left_over) for v in numbers if isinstance(v, float) and not v.is_integer()}
    return {v: near for v, near in stand.items() if near != v}


def _near(one: float, two: float, left_over: float) -> bool:
    whole = all(isinstance(v, int) or v.is_integer() for v in (one, two))
    return not whole and two - one <= max(NEAR * max(abs(one), abs(two)), left_over)


def _fraction(value: float, left_over: float) -> float:
    """The float nearest to a fraction with a small denominator of which a float is a rounding; else the float."""
    near = Fraction(value).limit_denominator(MOST_DENOMINATOR)
    return float(near) if abs(float(near) - value) <= max(2.0**-44 * abs(value), left_over) else value
