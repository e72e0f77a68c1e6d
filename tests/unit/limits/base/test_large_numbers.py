"""Numbers of any size: logarithms, and whole numbers as parameters."""

import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax.limits.base.large_numbers import Count, ceil_log2, log2, shown, whole


@given(st.integers(1, 10**400))
def test_precise_logarithms(value: int) -> None:
    """Against the logarithms of Python, and against bit lengths."""
    assert float(log2(value)) == pytest.approx(math.log2(value), rel=1e-12, abs=1e-12)
    assert 2 ** ceil_log2(value) >= value
    assert value == 1 or 2 ** (ceil_log2(value) - 1) < value
    assert whole(value) == pytest.approx(Decimal(value), rel=Decimal("1e-50"))


@pytest.mark.parametrize(
    ("text", "value"),
    [("12", 12), ("10_000", 10000), ("10,000", 10000), ("1e3", 1000), ("1.5e3", 1500), ("2^10", 1024), ("2**10", 1024)],
)
def test_counts_are_read(text: str, value: int) -> None:
    """Written out, in scientific notation, or as powers."""
    assert Count("n", 1, "a size", 1).read(text) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (12345, "12,345"),
        (10**15, "10^15"),
        (2**100, "2^100"),
        (3**1000, "about 2^1585"),
        (-(2**80), "-2^80"),
    ],
)
def test_counts_are_shown(value: int, text: str) -> None:
    """Written out while they are short."""
    assert shown(value) == text
