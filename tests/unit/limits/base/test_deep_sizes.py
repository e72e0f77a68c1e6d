"""The sizes of the proof for several layers: logarithms of sums."""

import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax.limits.base.deep_sizes import add


@given(st.lists(st.integers(0, 4000), min_size=1, max_size=5))
def test_logarithms_of_sums(exponents: list[int]) -> None:
    """Against whole numbers."""
    total = sum(2**exponent for exponent in exponents)
    assert float(add(*map(Decimal, exponents))) == pytest.approx(math.log2(total), abs=1e-9)
