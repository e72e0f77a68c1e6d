"""Bounds of sums against sums that are really computed in floats."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capax.budget import Budget
from capax.certify.certify_budget import WorkBudget
from capax.certify.intervals.arithmetic import (
    LARGEST,
    LEAST,
    LEAST_EXPONENT,
    ROUNDOFF,
    IntervalArithmetic,
    _proportional_columns,
)
from capax.certify.intervals.tensor import between, exactly, grain_of
from capax.certify.not_certified import NotCertified
from capax.rasp.ir.nodes import Indices, Input

PLACE, TOKEN = Indices(), Input("asis")
SIZES = {PLACE: 3, TOKEN: 2}
TYPES: dict[str, Any] = {"float32": np.float32, "float64": np.float64}

whole = st.integers(-50, 50).map(float)
halves = st.integers(-400, 400).map(lambda n: n / 8)
rough = st.floats(-1e3, 1e3, width=32).filter(lambda x: x == 0 or abs(x) > 1e-20)
systems = st.sampled_from(sorted(TYPES))


@st.composite
def cases(draw: st.DrawFn) -> Any:
    """Inputs over the place, over the token and over both, weights and a bias, all representable in float32."""
    kind = draw(st.sampled_from([whole, halves, rough]))
    shapes = draw(st.lists(st.sampled_from([(), (PLACE,), (TOKEN,), (PLACE, TOKEN)]), min_size=1, max_size=6))
    inputs = []
    for axes in shapes:
        shape = [SIZES[a] for a in axes]
        count = int(np.prod(shape))
        inputs.append((axes, np.array(draw(st.lists(kind, min_size=count, max_size=count))).reshape(shape)))
    weight = np.array(draw(st.lists(kind, min_size=len(inputs), max_size=len(inputs))))[:, None]
    return inputs, weight, np.array([draw(kind)])


def onto(axes: tuple[Any, ...], array: Any) -> Any:
    """An array over some axes as one over place and token."""
    shape = [SIZES[a] if a in axes else 1 for a in (PLACE, TOKEN)]
    moved = array.T if axes == (TOKEN, PLACE) else array
    return np.broadcast_to(moved.reshape(shape), (3, 2))


def computed(terms: list[Any], order: Any, dtype: Any) -> Any:
    """The sum of arrays in an order, by halves or one after the other."""
    terms = [terms[k] for k in order]
    if len(terms) % 2:
        total = dtype(0)
        for term in terms:
            total = (total + term).astype(dtype)
        return total
    while len(terms) > 1:
        terms = [(a + b).astype(dtype) for a, b in zip(terms[::2], terms[1::2], strict=False)] + (
            [terms[-1]] if len(terms) % 2 else []
        )
    return terms[0]


@settings(max_examples=300, deadline=None)
@given(cases(), systems, st.data())
def test_sums_hold_what_is_computed(case: Any, system: str, data: st.DataObject) -> None:
    inputs, weight, bias = case
    dtype = TYPES[system]
    bounds = IntervalArithmetic(system, SIZES).sums([exactly(a, x) for a, x in inputs], weight, bias)[0]
    low, high = onto(bounds.axes, bounds.low), onto(bounds.axes, bounds.high)
    products = [
        (onto(a, x).astype(dtype) * dtype(w)).astype(dtype) for (a, x), w in zip(inputs, weight[:, 0], strict=True)
    ]
    terms = [*products, np.full((3, 2), bias[0], dtype)]
    order = data.draw(st.permutations(range(len(terms))))
    found = computed(terms, order, dtype).astype(np.float64)
    assert (low <= found).all()
    assert (found <= high).all()


@settings(max_examples=200, deadline=None)
@given(cases(), systems)
def test_sums_that_are_called_exact_are(case: Any, system: str) -> None:
    inputs, weight, bias = case
    bounds = IntervalArithmetic(system, SIZES).sums([exactly(a, x) for a, x in inputs], weight, bias)[0]
    low, high = onto(bounds.axes, bounds.low), onto(bounds.axes, bounds.high)
    for cell in np.ndindex(3, 2):
        true = sum(
            (
                Fraction(float(onto(a, x)[cell])) * Fraction(float(w))
                for (a, x), w in zip(inputs, weight[:, 0], strict=True)
            ),
            Fraction(float(bias[0])),
        )
        assert Fraction(float(low[cell])) <= true <= Fraction(float(high[cell]))
        if low[cell] == high[cell]:
            assert Fraction(float(low[cell])) == true


def test_whole_numbers_are_exact_in_every_system() -> None:
    inputs = [exactly((PLACE,), np.arange(3.0)), exactly((TOKEN,), np.array([5.0, -7.0]))]
    for system in ("float64", "float32", "bfloat16"):
        made = IntervalArithmetic(system, SIZES).sums(inputs, np.array([[2.0], [1.0]]), np.array([3.0]))[0]
        assert made.error == 0
        assert made.grain == 1


def test_whole_numbers_beyond_the_digits_of_bfloat16_are_not() -> None:
    made = IntervalArithmetic("bfloat16", SIZES).sums(
        [exactly((PLACE,), np.array([0.0, 200.0, 300.0]))], np.ones((1, 1)), np.ones(1)
    )[0]
    assert made.error > 0
    assert made.low[0] == made.high[0] == 1


@given(st.lists(st.floats(-100, 100), min_size=3, max_size=3), st.lists(st.floats(0, 9), min_size=3, max_size=3))
def test_the_positive_part_of_an_interval(low: list[float], wide: list[float]) -> None:
    bottom, top = np.array(low), np.array(low) + np.array(wide)
    found = IntervalArithmetic("float32", SIZES).relu(between((PLACE,), bottom, top))
    for t in (0.0, 0.3, 1.0):
        inside = np.maximum(bottom + t * (top - bottom), 0)
        assert (found.low <= inside).all()
        assert (inside <= found.high + 1e-12).all()
    assert (found.low >= 0).all()


@given(st.lists(st.floats(-1e6, 1e6), max_size=6))
def test_grains_divide(values: list[float]) -> None:
    grain = grain_of(np.array(values))
    assert grain >= 0
    assert grain <= 1
    if grain:
        assert Fraction(grain).numerator == 1, "a power of two"
        assert all((Fraction(v) / Fraction(grain)).denominator == 1 for v in values)


def test_grains_of_known_numbers() -> None:
    assert [grain_of(np.array(v)) for v in ([], [0.0], [3.0, 8.0], [0.75, 2.0], [2.0**-61])] == [1, 1, 1, 0.25, 0]
    assert grain_of(np.array([np.inf])) == 0


def test_sums_of_too_many_terms_have_no_bound_in_short_floats() -> None:
    with pytest.raises(NotCertified, match="no bound in bfloat16"):
        IntervalArithmetic("bfloat16", SIZES).gamma(200)
    assert IntervalArithmetic("float32", SIZES).gamma(200) < 2e-5


def test_work_is_counted() -> None:
    arithmetic = IntervalArithmetic("float32", SIZES, WorkBudget(Budget(5)))
    with pytest.raises(NotCertified, match="too many combinations"):
        arithmetic.sums([exactly((PLACE, TOKEN), np.ones((3, 2)))], np.ones((1, 1)), np.zeros(1))


@pytest.mark.parametrize("weight", [1e39, float("inf"), float("nan")])
def test_what_overflows_or_is_no_number_is_refused(weight: float) -> None:
    with pytest.raises(NotCertified, match="too large"):
        IntervalArithmetic("float32", SIZES).sums([exactly((), np.ones(()))], np.array([[weight]]), np.zeros(1))


@pytest.mark.parametrize("numbers", sorted(TYPES))
@pytest.mark.parametrize("power", [0, 1, 30])
def test_products_that_are_too_small_may_become_zero(numbers: str, power: int) -> None:
    """Bounds of sums of products below the least normal number hold the exact sum, and zero."""
    least = float(np.finfo(TYPES[numbers]).tiny)
    x, w = np.sqrt(least) * 2.0**-power, np.sqrt(least) / 4
    arithmetic = IntervalArithmetic(numbers, SIZES, WorkBudget())
    for number in (exactly((), np.array(x)), between((), np.array(x), np.array(x * 2))):
        (found,) = arithmetic.sums([number, number], np.array([[w], [w / 2]]), np.zeros(1))
        assert (found.low <= 0).all()
        assert (found.high >= 2 * x * w).all()


def test_slack_covers_what_is_lost_below_the_least_number() -> None:
    """Each of the products, and the sum, may lose up to the least normal number, whatever their size is."""
    for numbers in sorted(TYPES):
        least = float(np.finfo(TYPES[numbers]).tiny)
        arithmetic = IntervalArithmetic(numbers, SIZES, WorkBudget())
        for terms in (1, 2, 50):
            assert arithmetic.slack(np.zeros(()), terms) >= (terms + 1) * least
            assert arithmetic.slack(np.ones(()), terms) >= terms * arithmetic.unit


def test_the_ends_of_number_systems() -> None:
    """Least normal numbers and roundoffs; bfloat16 has the exponents of float32, and 8 bits."""
    for numbers, dtype in TYPES.items():
        assert LEAST[numbers] == float(np.finfo(dtype).tiny)
        assert ROUNDOFF[numbers] == float(np.finfo(dtype).eps) / 2
        assert LARGEST[numbers] < float(np.finfo(dtype).max) / 2**7
        assert np.exp(dtype(LEAST_EXPONENT[numbers])) == 0
    assert (LEAST["bfloat16"], ROUNDOFF["bfloat16"]) == (LEAST["float32"], 2.0**-8)
    assert (LARGEST["bfloat16"], LEAST_EXPONENT["bfloat16"]) == (LARGEST["float32"], LEAST_EXPONENT["float32"])


@given(st.lists(st.integers(-9, 9), min_size=2, max_size=12), st.integers(1, 40), st.booleans(), systems)
def test_multiples_of_one_sum_are_what_each_is_by_itself(
    factors: list[int], base: int, noisy: bool, system: str
) -> None:
    """Columns that are multiples of each other, as of the logits 2 c x - c^2: the same bounds, over other axes."""
    sizes = {PLACE: 40, TOKEN: 30}
    arithmetic = IntervalArithmetic(system, sizes)
    here, token = np.arange(40.0), np.arange(30.0) / 4
    noise = 2.0**-12 if noisy else 0.0
    inputs = [between((PLACE,), here - noise, here + noise), exactly((TOKEN,), token)]
    weight = np.array([[f * base, -f * base / 2] for f in factors]).T
    bias = -(np.array(factors, np.float64) ** 2)
    together = arithmetic.sums(inputs, weight, bias, merge=True)
    for column, number in enumerate(together):
        alone = arithmetic.sums(inputs, weight[:, column : column + 1], bias[column : column + 1])[0]
        split = arithmetic.split_axes(number)
        ends = [
            np.broadcast_to(onto_sizes(x.axes, end, sizes), (40, 30)) for x in (split, alone) for end in (x.low, x.high)
        ]
        assert (ends[0] <= ends[2] + 1e-9).all()
        assert (ends[1] >= ends[3] - 1e-9).all()
        exact = (base * factors[column] * (here[:, None] - token[None, :] / 2)) + bias[column]
        assert (ends[0] <= exact).all()
        assert (exact <= ends[1]).all()
        assert noisy or np.array_equal(ends[0], ends[1])


def onto_sizes(axes: tuple[Any, ...], array: Any, sizes: dict[Any, int]) -> Any:
    """An array over place, token, both or none, as one that spreads over both."""
    moved = array.T if axes == (TOKEN, PLACE) else array
    return moved.reshape([sizes[a] if a in axes else 1 for a in (PLACE, TOKEN)])


def test_multiples_that_are_not_exact_are_no_group() -> None:
    """4/3 of a weight, and what has more digits than float32."""
    weight = np.array([[3.0, 4.0, 6.0, 12.0, 1.5], [9.0, 12.0, 18.0, 36.0, 4.0]])
    groups = [(g.columns, g.factors.tolist()) for g in _proportional_columns(weight, [0, 1, 2, 3, 4])]
    assert sorted(groups) == [([0, 2, 3], [1.0, 2.0, 4.0]), ([1], [1.0]), ([4], [1.0])]
    rough = _proportional_columns(np.array([[0.1, 0.3, 0.2], [0.2, 0.6, 0.4]]), [0, 1, 2])
    assert [g.columns for g in rough] == [[0], [1], [2]], "numbers beyond float32 are not multiplied"
    opposite = _proportional_columns(np.array([[1.0, -1.0], [2.0, -2.0]]), [0, 1])
    assert len(opposite) == 2, "factors are positive"
