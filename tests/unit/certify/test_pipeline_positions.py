"""What is checked beside the weights: functions of the position, and the scale of a head."""

import math
from dataclasses import replace

import numpy as np
import pytest

import capax
from capax import indices
from capax.certify.intervals.arithmetic import IntervalArithmetic
from capax.certify.parts.pairs import Side, scaled
from capax.certify.recheck.recheck import recheck
from capax.model.positions import Positions


@pytest.mark.parametrize(("function", "factor"), [("i/n", 4.0), ("i", 1.0)])
def test_functions_of_the_length_are_not_certified(function: str, factor: float) -> None:
    model = capax.compile(indices, alphabet="ab", max_length=4).model
    assert model.positions.functions == ("i",)
    weight = np.asarray(model.positions.weight) * np.float32(factor)
    other = replace(model, positions=Positions((function,), weight, model.positions.table))
    assert other("abab") == [0, 1, 2, 3]  # the longest words say nothing of shorter ones
    assert recheck(other).holds == (function == "i") == (other("ab") == [0, 1])


def rounded(number: float) -> float:
    """The nearest number with eight digits, as bfloat16 has."""
    mantissa, exponent = math.frexp(number)
    return math.ldexp(round(mantissa * 2**8), exponent - 8)


@pytest.mark.parametrize("scale", [1 + 3 * 2.0**-8, 1 + 2.0**-8, 100.7, 1 / 3])
def test_a_scale_is_rounded_before_it_is_used(scale: float) -> None:
    for query in np.arange(128, 256) / 128:
        side = Side(np.array([[query]]), np.array([[query]]), True, 2.0**-7, {}, None)
        found = scaled(side, scale, IntervalArithmetic("bfloat16", {}))
        assert found.low[0, 0] <= rounded(query * rounded(scale)) <= found.high[0, 0]
