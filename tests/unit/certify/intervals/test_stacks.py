"""Many sums at once: each holds what is really computed, whatever way it is found."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from capax.certify.intervals import arithmetic as intervals
from capax.certify.intervals import stacks
from capax.certify.intervals.arithmetic import IntervalArithmetic
from capax.certify.intervals.stacks import Stack, joined_stacks, listed, stacked
from capax.certify.intervals.tensor import IntervalTensor, between, exactly
from capax.rasp.ir.nodes import Indices, Input

PLACE, TOKEN = Indices(), Input("asis")
SIZES = {PLACE: 3, TOKEN: 2}
TYPES: dict[str, Any] = {"float32": np.float32, "float64": np.float64}
KINDS = [(), (PLACE,), (TOKEN,), (PLACE, TOKEN), (TOKEN, PLACE)]


@st.composite
def wides(draw: st.DrawFn) -> IntervalTensor:
    """A number over some axes; some of its values may be in doubt."""
    axes = draw(st.sampled_from(KINDS))
    shape = tuple(SIZES[a] for a in axes)
    size = int(np.prod(shape))
    low = np.array(draw(st.lists(st.integers(-40, 40).map(lambda n: n / 4), min_size=size, max_size=size)))
    if draw(st.booleans()):
        return exactly(axes, low.reshape(shape))
    width = np.array(draw(st.lists(st.sampled_from([0.0, 0.1, 3.0]), min_size=size, max_size=size)))
    return between(axes, low.reshape(shape), (low + width).reshape(shape))


@st.composite
def maps(draw: st.DrawFn) -> tuple[list[IntervalTensor], Any, Any]:
    """Numbers, weights of which many are zero and many columns alike, and biases."""
    inputs = draw(st.lists(wides(), min_size=1, max_size=5))
    few = st.lists(st.sampled_from([0.0, 0.0, 0.0, 1.0, -1.0, 0.1]), min_size=len(inputs), max_size=len(inputs))
    kinds = draw(st.lists(few, min_size=1, max_size=3))
    chosen = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=6))
    bias = draw(st.lists(st.sampled_from([0.0, 0.0, 1.0, -0.3]), min_size=len(chosen), max_size=len(chosen)))
    return inputs, np.array(chosen).T, np.array(bias)


def at(x: IntervalTensor, cell: tuple[int, int], end: str) -> Fraction:
    """A bound at a place and a token."""
    index = tuple(cell[0] if axis is PLACE else cell[1] for axis in x.axes)
    return Fraction(float(getattr(x, end)[index]))


def inside(x: IntervalTensor, cell: tuple[int, int], end: Fraction, dtype: Any) -> Any:
    """The number of a system that is nearest to an end of an interval, within it."""
    near = dtype(float(end))
    low, high = at(x, cell, "low"), at(x, cell, "high")
    if not low <= Fraction(float(near)) <= high:
        near = np.nextafter(near, dtype(-np.inf if Fraction(float(near)) > high else np.inf))
    return near


@pytest.fixture(params=["as it is", "in small lots, one by one"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The two ways to add up."""
    if request.param != "as it is":
        monkeypatch.setattr(stacks, "MANY_CELLS", 1)
        monkeypatch.setattr(intervals, "AT_ONCE", 8)


@pytest.mark.usefixtures("way")
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(([between((), np.array(0.0), np.array(0.1))], np.ones((1, 2)), np.ones(2)), "float32", True)
@example(([between((PLACE,), np.zeros(3), np.full(3, 0.1))] * 2, np.eye(2), np.ones(2)), "float32", True)
@example(([between((PLACE,), np.zeros(3), np.full(3, 0.1))] * 2, np.ones((2, 1)), np.ones(1)), "float32", True)
@given(maps(), st.sampled_from(sorted(TYPES)), st.booleans())
def test_all_sums_of_numbers_within_bounds_are_within_bounds(
    case: tuple[list[IntervalTensor], Any, Any], system: str, top: bool
) -> None:
    inputs, weight, bias = case
    dtype = TYPES[system]
    weight, bias = weight.astype(dtype), bias.astype(dtype)
    found = IntervalArithmetic(system, SIZES).sums(inputs, weight, bias)
    assert len(found) == len(bias)
    for column, made in enumerate(found):
        for cell in np.ndindex(3, 2):
            total, computed = Fraction(float(bias[column])), bias[column]
            for x, factor in zip(inputs, weight[:, column], strict=True):
                given = at(x, cell, "high" if bool(factor > 0) is top else "low")
                total += Fraction(float(factor)) * given
                if factor:
                    computed = dtype(computed + dtype(factor * inside(x, cell, given, dtype)))
            for one in (total, Fraction(float(computed))):
                assert at(made, cell, "low") <= one <= at(made, cell, "high")


@given(st.lists(wides(), max_size=8))
def test_numbers_come_back_from_stacks(numbers: list[IntervalTensor]) -> None:
    parts = [p for s in stacked(numbers) for p in ([s] if len(s.indices) < 2 else halves(s))]
    for found in (stacked(numbers), parts, joined_stacks(parts)):
        for mine, own in zip(listed(found, len(numbers)), numbers, strict=True):
            assert mine.axes == own.axes
            assert np.array_equal(mine.low, own.low)
            assert np.array_equal(mine.high, own.high)


@pytest.mark.parametrize("at_once", [5, 6, 100])
def test_joined_stacks_are_no_larger_than_what_is_worked_out_at_once(
    at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three numbers over places in stacks of their own: six bounds are joined where as many fit, and no more."""
    monkeypatch.setattr(stacks, "AT_ONCE", at_once)
    numbers = [exactly((PLACE,), np.full(3, float(k))) for k in range(2)]
    apart = [part for one in range(2) for part in stacked(numbers, [one])]
    joined = joined_stacks(apart)
    assert [s.indices for s in joined] == ([[0, 1]] if at_once >= 6 else [[0], [1]])
    assert [x.low.tolist() for x in listed(joined, 2)] == [[0.0] * 3, [1.0] * 3]
    large = stacked(numbers)
    assert joined_stacks(large) == large  # what is one stack already stays one


def halves(stack: Stack) -> list[Stack]:
    """A stack in two parts."""
    both = (slice(0, 1), slice(1, None))
    return [Stack(stack.axes, stack.indices[k], stack.low[k], stack.high[k]) for k in both]


@given(st.lists(wides(), min_size=1, max_size=8))
def test_positive_parts_are_those_of_each(numbers: list[IntervalTensor]) -> None:
    one_by_one = [IntervalArithmetic("float32", SIZES).relu(x) for x in numbers]
    found = listed([part for stack in stacked(numbers) for part in stack.relu()], len(numbers))
    for mine, own in zip(found, one_by_one, strict=True):
        assert mine.axes == own.axes
        assert np.array_equal(mine.low, own.low)
        assert np.array_equal(mine.high, own.high)


@given(st.lists(wides(), min_size=1, max_size=8))
def test_grains_are_those_of_each(numbers: list[IntervalTensor]) -> None:
    for stack in stacked(numbers):
        assert [g for (g,) in stack.grains.tolist()] == [numbers[k].grain for k in stack.indices]
        assert stack.known == all(numbers[k].known for k in stack.indices)
