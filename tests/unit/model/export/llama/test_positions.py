"""Positions without a table: units that find the position in a share of attention, and units that write its row."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax.model.export.llama.positions import (
    EXACT,
    SNAP,
    counter,
    rounded,
    shares,
    sums_exactly,
    table_units,
    unit_values,
)

columns = st.sampled_from(
    [
        lambda i: i,
        lambda i: i * i,
        lambda i: (i - 1) ** 2,
        lambda i: i % 3,
        lambda i: (i == 0) * -1,
        lambda i: (i >= 4) * 1,
        lambda i: 2 * i + 5,
    ]
)


@given(st.integers(2, 300))
def test_rounding_finds_the_position(positions: int) -> None:
    """In float32, as the stream adds it up: 2^23 and what the units say of the share, also if that is a bit off."""
    units = counter(positions)
    a = np.arange(positions)
    for off in (-1, 0, 1):
        share = ((1 / (a + 1)) * (1 + off * 2.0**-22)).astype(np.float32)
        held = np.maximum(units.start.astype(np.float32) - share[:, None], np.float32(0))
        said = (held @ units.slope.astype(np.float32)).astype(np.float32)
        assert np.array_equal(np.float32(SNAP["float32"]) + said, SNAP["float32"] + a)
    assert len(units.start) <= 2.2 * positions**0.5 + 2, "few units will do"


@pytest.mark.parametrize("positions", [2, 9, 33, 49])
def test_rounding_finds_the_position_in_bfloat16(positions: int) -> None:
    """Every gate and the sum are rounded to 8 digits, and so is the stream."""
    units = counter(positions, "bfloat16")
    a = np.arange(positions)
    share = rounded(1 / (a + 1), "bfloat16")
    held = rounded(np.maximum(units.start - share[:, None], 0), "bfloat16")
    said = rounded(held @ units.slope, "bfloat16")
    assert np.array_equal(rounded(SNAP["bfloat16"] + said, "bfloat16"), SNAP["bfloat16"] + a)


@given(st.lists(columns, min_size=1, max_size=4), st.integers(2, 60), st.randoms(use_true_random=False))
def test_units_write_the_rows_of_a_table_in_any_order(functions: list[object], length: int, source: object) -> None:
    """In float32 the sum is the row exactly, whatever the order of adding up; squares take one unit."""
    i = np.arange(length)
    table = np.zeros((length + 1, len(functions)))
    table[1:] = np.stack([f(i) for f in functions], axis=1)  # type: ignore[operator]
    units = table_units(table)
    assert units is not None
    values = unit_values(units, np.arange(length + 1.0)).astype(np.float32)
    order = list(range(len(units.knots)))
    source.shuffle(order)  # type: ignore[attr-defined]
    total = np.zeros(table.shape, np.float32)
    for unit in order:
        total = total + values[:, unit, None] * units.rows[unit].astype(np.float32)
    assert np.array_equal(total, table)


def test_what_no_sum_gives_exactly_is_refused() -> None:
    """Sines, rows at BOS, and integers that are too large."""
    a = np.arange(20.0)[:, None]
    assert table_units(np.where(a > 0, np.sin(a), 0)) is None
    assert table_units(a + 1) is None
    assert table_units(np.where(a > 0, EXACT * a, 0)) is not None, "multiples of a power of two are exact"
    assert table_units(np.where(a > 0, (EXACT - 1) * a, 0)) is None
    assert table_units(np.zeros((60, 1)), "bfloat16") is None
    assert sums_exactly(np.array([[1.0, 2.0]]), np.array([0.5, 0.25]))


def test_a_share_of_attention_is_known() -> None:
    """A column of 1 / (a + 1) comes from the head that counts."""
    a = np.arange(9.0)
    table = np.stack([1 / (a + 1), a, np.zeros(9)], axis=1).astype(np.float32)
    assert shares(table, "float32").tolist() == [True, False, False]
