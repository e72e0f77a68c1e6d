"""Heads part by part: bounds that hold for every pair of a query and a key."""

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from capax.certify.extremes import separate
from capax.certify.intervals import Arithmetic
from capax.certify.pairs import Side, scores, shares
from capax.certify.wide import between, exactly
from capax.rasp.nodes import Const

A, B = Const(0), Const(1)


def test_a_sum_of_two_functions_is_separated() -> None:
    x, y = np.arange(5.0) ** 2, -np.arange(3.0)
    parts = separate(exactly((A, B), x[:, None] + y[None, :]))
    assert [p.axes for p in parts] == [(A,), (B,)]
    assert np.array_equal(parts[0].low[:, None] + parts[1].low[None, :], x[:, None] + y[None, :])


def test_a_product_and_a_noisy_number_are_left_alone() -> None:
    x, y = np.arange(1.0, 5), np.arange(1.0, 4)
    product = exactly((A, B), x[:, None] * y[None, :])
    assert separate(product) == [product]
    noisy = between((A, B), x[:, None] + y - 0.1, x[:, None] + y + 0.1)
    assert separate(noisy) == [noisy]


def one_side(source: np.random.Generator, rows: int, width: int, noise: float) -> Side:
    middle = source.integers(-4, 5, (rows, width)).astype(float)
    return Side(middle - noise, middle + noise, noise == 0, 1.0, {}, None)


@given(st.integers(0, 999), st.sampled_from([0.0, 2.0**-12]), st.sampled_from(["float32", "bfloat16"]))
def test_shares_add_up_to_bounds_on_the_scores(seed: int, noise: float, numbers: str) -> None:
    source, arithmetic = np.random.default_rng(seed), Arithmetic(numbers, {})
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
    """And so is what is too large for exact sums."""
    alone = exactly((A,), np.arange(3.0))
    assert separate(alone) == [alone]
    assert separate(exactly((), np.array(1.0)))[0].axes == ()
    x, y = np.arange(5.0), np.arange(3.0)
    for size, parts in ((2.0**49, 2), (2.0**50, 1)):
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
