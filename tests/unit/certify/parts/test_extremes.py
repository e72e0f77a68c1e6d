"""Heads part by part: bounds that hold for every pair of a query and a key."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax.certify.intervals.arithmetic import IntervalArithmetic
from capax.certify.intervals.tensor import between, exactly
from capax.certify.parts.extremes import Reader, extremes, over_seen, parts_of, separate, sides_of, whole
from capax.certify.parts.pairs import Side, scores, shares
from capax.certify.values.axes import NARROW, Axes
from capax.certify.values.coded_values import expand
from capax.model.parts import Affine, Head, Mask
from capax.rasp.ir.nodes import And, Const, Indices, Input, Map, Select, Width

A, B = Const(0), Const(1)


def test_a_sum_of_two_functions_is_separated() -> None:
    x, y = np.arange(5.0) ** 2, -np.arange(3.0)
    parts = separate(exactly((A, B), x[:, None] + y[None, :]))
    assert [p.axes for p in parts] == [(A,), (B,)]
    assert np.array_equal(parts[0].low[:, None] + parts[1].low[None, :], x[:, None] + y[None, :])


def test_a_product_is_left_alone_and_a_noisy_number_has_a_doubt() -> None:
    x, y = np.arange(1.0, 5), np.arange(1.0, 4)
    product = exactly((A, B), x[:, None] * y[None, :])
    assert separate(product) == [product]
    noisy = between((A, B), x[:, None] + y - 0.1, x[:, None] + y + 0.1)
    one, two, doubt = separate(noisy)
    assert (one.axes, two.axes, doubt.axes) == ((A,), (B,), ())
    total = one.low[:, None] + two.low
    assert (total + doubt.low <= noisy.low).all()
    assert (noisy.high <= total + doubt.high).all()
    assert float(doubt.high) == -float(doubt.low) < 0.11
    more = np.zeros((4, 3))
    more[-1, -1] = 0.1
    rough = between((A, B), noisy.low + more, noisy.high + more)  # a sum, but for more than rounding
    assert separate(rough) == [rough]


@given(st.integers(0, 999), st.sampled_from([0.0, 2.0**-30, 2.0**-16]))
def test_what_is_separated_contains_the_number(seed: int, noise: float) -> None:
    """Whatever rounding made of a sum: the parts with their doubt contain it."""
    source = np.random.default_rng(seed)
    x, y = source.normal(size=4) * 2.0 ** source.integers(-5, 40), source.normal(size=3)
    middle = (x[:, None] + y) * (1 + noise * source.uniform(-1, 1, (4, 3)))
    number = between((A, B), middle - abs(noise), middle + abs(noise))
    parts = separate(number)
    low = sum(expand(p.low, p.axes, (A, B), [4, 3]) for p in parts)
    high = sum(expand(p.high, p.axes, (A, B), [4, 3]) for p in parts)
    assert (low <= number.low).all()
    assert (high >= number.high).all()


def test_a_number_over_a_flag_is_one_over_what_the_flag_is_made_of() -> None:
    """Where a comparison sees that, and nowhere else; a flag of a flag, too."""
    first = Map("==", (Indices(), Const(0)))
    other = Map("not", (first,))
    root = Width(And(Select(Map("+", (first, Indices())), Const(1), "=="), Select(other, Const(1), "==")))
    axes = Axes(root, ("a",), 12, coarse=NARROW)
    assert first in axes.cuts
    number = between((first,), np.array([2.0, 5.0]), np.array([3.0, 5.0]))  # not first, and first
    wide = over_seen(number, {Indices()}, axes)
    assert wide.axes == (Indices(),)
    assert wide.low.tolist() == [5.0] + [2.0] * 11
    assert wide.high.tolist() == [5.0] + [3.0] * 11
    assert over_seen(number, set(), axes) is number
    assert over_seen(number, {Indices(), first}, axes) is number
    assert over_seen(exactly((Indices(),), np.arange(12.0)), {first}, axes).axes == (Indices(),)


def one_side(source: np.random.Generator, rows: int, width: int, noise: float) -> Side:
    middle = source.integers(-4, 5, (rows, width)).astype(float)
    return Side(middle - noise, middle + noise, noise == 0, 1.0, {}, None)


@given(st.integers(0, 999), st.sampled_from([0.0, 2.0**-12]), st.sampled_from(["float32", "bfloat16"]))
def test_shares_add_up_to_bounds_on_the_scores(seed: int, noise: float, numbers: str) -> None:
    source, arithmetic = np.random.default_rng(seed), IntervalArithmetic(numbers, {})
    parts = [(one_side(source, 3, 2, noise), one_side(source, 4, 2, noise)) for _ in range(2)]
    (a, b), (c, d) = shares(parts, arithmetic)
    joined = []
    for k in range(2):
        one, two = parts[0][k], parts[1][k]
        pairs = list(itertools.product(range(one.count), range(two.count)))
        low, high = (np.array([[*getattr(one, e)[i], *getattr(two, e)[j]] for i, j in pairs]) for e in ("low", "high"))
        joined.append(Side(low, high, one.exact, 1.0, {}, None))
    low, high = scores(joined[0], joined[1], arithmetic)
    assert ((a[:, None, :, None] + c[None, :, None, :]).reshape(9, 16) <= low + 1e-12).all()
    assert ((b[:, None, :, None] + d[None, :, None, :]).reshape(9, 16) >= high - 1e-12).all()


def test_one_axis_is_left_alone() -> None:
    """What is too large for exact sums has a doubt."""
    alone = exactly((A,), np.arange(3.0))
    assert separate(alone) == [alone]
    assert separate(exactly((), np.array(1.0)))[0].axes == ()
    x, y = np.arange(5.0), np.arange(3.0)
    for size, parts in ((2.0**49, 2), (2.0**50, 3)):
        large = exactly((A, B), x[:, None] + y[None, :] + size - 6.5 + 0.5)
        assert len(separate(large)) == parts


def test_three_axes_are_separated_as_far_as_they_can_be() -> None:
    """An axis that does not add up with the others stays with them."""
    c = Const(2)
    x, y, z = np.arange(2.0)[:, None, None], np.arange(1.0, 4)[None, :, None], np.arange(1.0, 3)[None, None, :]
    assert [p.axes for p in separate(exactly((A, B, c), x + y + z))] == [(A,), (B,), (c,)]
    parts = separate(exactly((A, B, c), x + y * z))
    assert [p.axes for p in parts] == [(A,), (B, c)]
    assert np.array_equal(parts[0].low[:, None, None] + parts[1].low[None], x + y * z)


@pytest.mark.parametrize("mask", ["none", "causal", "strict past"])
def test_a_mask_is_a_part_that_sees_places(mask: Mask) -> None:
    """With everything else that depends on the places of queries and keys; without a mask there is none."""
    one = Affine(np.ones((1, 1)), np.zeros(1))
    token, place = Input("asis"), Indices()
    selector = And(Select(token, token, "=="), Select(place, place, "<="))
    axes = Axes(Width(selector), (0, 1), 3)
    numbers = [exactly((token,), np.arange(2.0))]
    reader = Reader(Head(one, one, one, np.ones((1, 1)), mask=mask), selector, numbers, numbers, None, "head")
    parts = parts_of(reader, axes)
    assert len(parts) == 2
    assert [(p.dimensions, len(p.conjuncts), p.by_position) for p in parts] == [
        ([0], 1, False),
        ([], 1, mask != "none"),
    ]
    assert whole(reader).by_position == (mask != "none")
    assert (whole(reader).dimensions, whole(reader).conjuncts) == ([0], [selector])


def test_parts_give_the_extremes_of_the_whole() -> None:
    """Selected pairs, others, and the sink, where a selector and a score are made of two parts."""
    source = np.random.default_rng(3)
    token, place = Input("asis"), Indices()
    selector = And(Select(token, token, "=="), Select(place, place, "<="))
    axes = Axes(Width(selector), (0, 1), 3)
    arithmetic = IntervalArithmetic("float32", {a: len(v) for a, v in axes.values.items()})
    one = Affine(np.ones((1, 2)), np.zeros(2))
    for mask in ("none", "causal"):
        head = Head(one, one, one, np.ones((2, 1)), mask=mask, scale=4.0)  # type: ignore[arg-type]
        sides = [
            [
                exactly((token,), source.integers(-3, 4, 2).astype(float)),
                exactly((place,), source.integers(-3, 4, 3) * 1.0),
            ]
            for _ in range(2)
        ]
        sink = np.array([1.0, -2.0])
        reader = Reader(head, selector, sides[0], sides[1], sink, "head")
        together, apart = (
            extremes(reader, [(part, sides_of(reader, part, axes, arithmetic)) for part in parts], arithmetic)
            for parts in ([whole(reader)], parts_of(reader, axes))
        )
        (a, b), (c, d) = ([x.low for x in side] for side in sides)
        pairs = [(i, j, k, m) for i in range(2) for j in range(2) for k in range(3) for m in range(3)]
        scores = {p: 4 * (a[p[0]] * c[p[1]] + b[p[2]] * d[p[3]]) for p in pairs}
        chosen = [s for (i, j, k, m), s in scores.items() if i == j and m <= k]
        others = [s for (i, j, k, m), s in scores.items() if not (i == j and m <= k) and (mask == "none" or m <= k)]
        own = [4 * (x * sink[0] + y * sink[1]) for x in a for y in b]
        assert together.chosen == apart.chosen == (min(chosen), max(chosen))
        assert together.others == apart.others == max(others)
        assert together.sink == apart.sink == (min(own), max(own))
