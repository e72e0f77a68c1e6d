"""Numbers over an axis of their values: the same numbers, over fewer combinations."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from capax.certify.intervals.arithmetic import IntervalArithmetic
from capax.certify.intervals.axis_merge import AxisMerge
from capax.certify.intervals.tensor import IntervalTensor, between
from capax.rasp.ir.nodes import Const

A, B = Const(0), Const(1)
SIZES = {A: 24, B: 30}


def number(seed: int, few: int, noise: float) -> IntervalTensor:
    """A number over two axes with few values."""
    source = np.random.default_rng(seed)
    values = source.integers(-few, few + 1, (24, 30)).astype(float)
    return between((A, B), values - noise, values + noise)


def test_a_fold_is_undone() -> None:
    arithmetic = IntervalArithmetic("float32", SIZES)
    x = number(0, 5, 0.25)
    made = arithmetic.merge_axes(x)
    (fold,) = made.axes
    assert isinstance(fold, AxisMerge)
    assert made.low.shape == (fold.count,) == (11,)
    back = arithmetic.split_axes(made)
    assert back.axes == (A, B)
    assert np.array_equal(back.low, x.low)
    assert np.array_equal(back.high, x.high)


def test_an_axis_that_does_not_count_is_no_axis_of_a_fold() -> None:
    arithmetic = IntervalArithmetic("float32", SIZES)
    values = np.broadcast_to(np.arange(24.0)[:, None] // 3, (24, 30))
    made = arithmetic.merge_axes(between((A, B), values, values + 0.5))
    (fold,) = made.axes
    assert isinstance(fold, AxisMerge)
    assert fold.inner == (A,)
    back = arithmetic.split_axes(made)
    assert back.axes == (A,)
    assert np.array_equal(back.low, values[:, 0])
    sums = arithmetic.sums([made, between((B,), *[np.arange(30.0)] * 2)], np.ones((2, 1)), np.zeros(1))[0]
    off = values + np.arange(30.0) - arithmetic.split_axes(sums).low
    assert ((off >= 0) & (off < 1e-4)).all()


def test_many_values_are_left_alone() -> None:
    arithmetic = IntervalArithmetic("float32", SIZES)
    x = between((A, B), np.arange(720.0).reshape(24, 30), np.arange(720.0).reshape(24, 30))
    assert arithmetic.merge_axes(x) is x


@settings(max_examples=60)
@given(
    st.integers(0, 99), st.integers(0, 9), st.sampled_from([0.0, 2.0**-10]), st.sampled_from(["float64", "bfloat16"])
)
def test_sums_over_folds_hold_what_sums_hold(seed: int, kinds: int, noise: float, numbers: str) -> None:
    """With folds a bound is as good as without, up to sizes that are joined, and never tighter than the exact sums."""
    source = np.random.default_rng(seed)
    inputs = [number(seed, 2, noise), number(seed + 1, 3, noise), between((A,), *[np.arange(24.0)] * 2)]
    base = source.integers(-2, 3, (3, 3)).astype(float)
    weight, bias = np.repeat(base, 5, axis=1), source.integers(-3, 4, 15).astype(float)
    weight[kinds % 3] = 0
    plain, other = IntervalArithmetic(numbers, SIZES), IntervalArithmetic(numbers, SIZES)
    before = plain.sums(inputs, weight, bias)
    after = [other.split_axes(x) for x in other.sums([other.merge_axes(x) for x in inputs], weight, bias, merge=True)]
    for one, two in zip(before, after, strict=True):
        low, high = (np.broadcast_to(_over(x, two), (24, 30)) for x in (two.low, two.high))
        assert (low <= _over(one.low, one) + 1e-12).all()
        assert (high >= _over(one.high, one) - 1e-12).all()
        assert (high - low <= (_over(one.high, one) - _over(one.low, one)) * 1.5 + 0.6).all()


def _over(array: np.ndarray, x: IntervalTensor) -> np.ndarray:
    return array[:, None] if x.axes == (A,) else array


def test_several_numbers_over_one_fold_are_unfolded_together() -> None:
    """Each of them to what it was, also where they meet numbers with other axes."""
    inputs = [number(0, 5, 0.25), number(0, 5, 0.25), number(1, 10**6, 0.0)]
    inputs[1] = between((A, B), -inputs[0].high, -inputs[0].low)
    weight = np.array([[1.0, 2.0, 3.0, 1.0], [1.0, 1.0, -1.0, 2.0], [1.0, -1.0, 1.0, 2.0]])
    arithmetic = IntervalArithmetic("float32", SIZES)
    short = [arithmetic.merge_axes(x) for x in inputs]
    assert short[0].axes == short[1].axes != (A, B) == short[2].axes
    before = IntervalArithmetic("float32", SIZES).sums(inputs, weight, np.zeros(4))
    for x, y in zip(before, arithmetic.sums(short, weight, np.zeros(4)), strict=True):
        assert y.axes == (A, B)
        assert np.array_equal(x.low, y.low)
        assert np.array_equal(x.high, y.high)
