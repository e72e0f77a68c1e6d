"""What is checked beside the weights: functions of the place, and the scale of a head."""

from dataclasses import replace

import numpy as np
import pytest

import capax
from capax import indices
from capax.certify.intervals import Arithmetic
from capax.certify.pairs import Side, scaled
from capax.certify.recheck import recheck
from capax.model.positions import Positions


@pytest.mark.parametrize(("function", "factor"), [("i/n", 4.0), ("i", 1.0)])
def test_functions_of_the_length_are_not_certified(function: str, factor: float) -> None:
    model = capax.compile(indices, alphabet="ab", max_length=4).model
    assert model.positions.functions == ("i",)
    weight = np.asarray(model.positions.weight) * np.float32(factor)
    other = replace(model, positions=Positions((function,), weight, model.positions.table))
    assert other("abab") == [0, 1, 2, 3]  # the longest words say nothing of shorter ones
    assert recheck(other).holds == (function == "i") == (other("ab") == [0, 1])


@pytest.mark.parametrize(("numbers", "digits"), [("float32", 24), ("bfloat16", 8)])
def test_a_scale_is_rounded_before_it_is_used(numbers: str, digits: int) -> None:
    scale, query = 1 + 2.0**-digits, 1 + 2.0 ** (1 - digits)  # the scale is rounded down to 1
    side = Side(np.array([[query]]), np.array([[query]]), True, 2.0 ** (1 - digits), {}, None)
    found = scaled(side, scale, Arithmetic(numbers, {}))
    assert found.low[0, 0] <= query * 1.0
    scale, query = 1 + 3 * 2.0**-digits, 1 + 3 * 2.0 ** (1 - digits)  # both roundings go up
    side = Side(np.array([[query]]), np.array([[query]]), True, 2.0 ** (1 - digits), {}, None)
    found = scaled(side, scale, Arithmetic(numbers, {}))
    assert found.high[0, 0] >= query * (1 + 4 * 2.0**-digits)
