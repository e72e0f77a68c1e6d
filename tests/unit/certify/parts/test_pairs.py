"""Queries and keys of a head: masks, scaled queries, and bounds on scores against exact ones."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax.certify.certify_budget import WorkBudget
from capax.certify.intervals.arithmetic import LARGEST, LEAST, IntervalArithmetic
from capax.certify.not_certified import NotCertified
from capax.certify.parts import pairs
from capax.certify.parts.pairs import MOST_PAIRS, Side, _unique_rows, count_pairs, scaled, scores, selected, visible
from capax.model.parts import Affine, Head, Mask
from capax.model.run.attention import seen
from capax.rasp.ir.nodes import And, Indices, Input, Not, Or, Select

ONE = Affine(np.ones((1, 1)), np.zeros(1))
X = Input("asis")


def side(low: Any, high: Any = None, *, exact: bool = True, grain: float = 1.0, **more: Any) -> Side:
    """Rows between bounds."""
    low = np.array(low, float)
    return Side(low, low if high is None else np.array(high, float), exact, grain, {}, None, **more)


@pytest.mark.parametrize("mask", ["none", "causal", "strict past", "future", "strict future"])
def test_masks_show_what_heads_see(mask: Mask) -> None:
    """For rows that know their places; all where places are not told apart."""
    head = Head(ONE, ONE, ONE, np.ones((1, 1)), mask=mask)
    places = np.array([2, 0, 1])
    rows = Side(np.zeros((3, 1)), np.zeros((3, 1)), True, 1.0, {}, places)
    assert np.array_equal(np.broadcast_to(visible(head, rows, rows), (3, 3)), seen(mask, places, places))
    assert visible(head, side([[0.0]]), rows).all()


def test_what_selectors_say_of_ranks() -> None:
    """As the language compares a key with a query."""
    ranks = np.array([0, 1, 2])
    rows = Side(np.zeros((3, 1)), np.zeros((3, 1)), True, 1.0, {X: ranks, Indices(): ranks[::-1]}, None)
    less, equal = Select(X, X, "<"), Select(Indices(), X, "==")
    assert selected(less, rows, rows).tolist() == [[k < q for k in range(3)] for q in range(3)]
    assert selected(equal, rows, rows).tolist() == [[2 - k == q for k in range(3)] for q in range(3)]
    for op, holds in (("!=", np.not_equal), (">", np.greater), ("<=", np.less_equal), (">=", np.greater_equal)):
        assert np.array_equal(selected(Select(X, X, op), rows, rows), holds(ranks[None, :], ranks[:, None]))
    both, either = selected(And(less, equal), rows, rows), selected(Or(less, equal), rows, rows)
    assert np.array_equal(both, selected(less, rows, rows) & selected(equal, rows, rows))
    assert np.array_equal(either, selected(less, rows, rows) | selected(equal, rows, rows))
    assert np.array_equal(selected(Not(less), rows, rows), ~selected(less, rows, rows))


def test_too_many_pairs_are_refused_and_others_counted() -> None:
    budget = WorkBudget()
    arithmetic, before = IntervalArithmetic("float32", {}, budget), budget.verdict.spent
    count_pairs(side(np.zeros((30, 1))), side(np.zeros((7, 1))), arithmetic)
    assert budget.verdict.spent - before == 210
    queries, fits, beyond = np.zeros((4000, 1)), np.zeros((4250, 1)), np.zeros((4251, 1))
    count_pairs(side(queries), side(fits), arithmetic)
    assert MOST_PAIRS == 4000 * 4250
    with pytest.raises(NotCertified, match="too many pairs") as caught:
        count_pairs(side(queries), side(beyond), IntervalArithmetic("float32", {}))
    assert caught.value.too_many


@pytest.mark.parametrize("numbers", ["float64", "float32"])
def test_scales_beyond_the_system_are_refused(numbers: str) -> None:
    arithmetic, rows = IntervalArithmetic(numbers, {}), side([[1.0]])
    for scale in (LEAST[numbers], -LEAST[numbers], LARGEST[numbers], 0.0, 1.0):
        scaled(rows, scale, arithmetic)
    for scale in (LEAST[numbers] / 2, LARGEST[numbers] * 2, -LARGEST[numbers] * 2):
        with pytest.raises(NotCertified, match="cannot represent the scale"):
            scaled(rows, scale, arithmetic)


@given(
    st.integers(-50, 50).map(float),
    st.sampled_from([0.0, 0.25]),
    st.sampled_from([1.0, 256.0, 3.0, -2.0, 0.5, 0.1, 2.0**-30, 1 / 3]),
    st.sampled_from(["float32", "bfloat16"]),
)
def test_scaled_queries_hold_what_is_computed(x: float, noise: float, scale: float, numbers: str) -> None:
    """The exact product, and the rounded product of a scale that is itself rounded; exact only if it is."""
    rows = side([[x - noise]], [[x + noise]], exact=noise == 0, grain=0.25)
    arithmetic = IntervalArithmetic(numbers, {})
    found = scaled(rows, scale, arithmetic)
    unit = Fraction(arithmetic.unit)
    for end in (x - noise, x, x + noise):
        exact = Fraction(end) * Fraction(scale)
        assert found.low[0, 0] <= exact <= found.high[0, 0]
        if not found.exact and abs(math.frexp(scale)[0]) != 0.5:
            assert found.low[0, 0] <= exact - unit * abs(exact)
            assert found.high[0, 0] >= exact + unit * abs(exact)
    width = float(found.high[0, 0] - found.low[0, 0])
    assert width <= 2 * noise * abs(scale) + 8 * float(unit) * (abs(x) + noise) * abs(scale) + 1e-30
    if found.exact:
        assert noise == 0
        assert width == 0
        assert (Fraction(x) * Fraction(scale) / Fraction(found.grain)).denominator == 1
        digits = abs(Fraction(x) * Fraction(scale)) / Fraction(found.grain)
        assert digits * unit < 1


def test_powers_of_two_lose_nothing_but_the_smallest() -> None:
    """A product below the least number may be lost; others are exact, and so stay."""
    least = LEAST["float32"]
    arithmetic = IntervalArithmetic("float32", {})
    exact = scaled(side([[1.0]], grain=1.0), least, arithmetic)
    assert (exact.exact, exact.low[0, 0], exact.high[0, 0], exact.grain) == (True, least, least, least)
    lost = scaled(side([[0.5]], grain=0.5), least, arithmetic)
    assert not lost.exact
    assert lost.low[0, 0] <= 0
    assert lost.high[0, 0] >= least
    assert lost.high[0, 0] <= 4 * least
    noisy = scaled(side([[1.0]], [[2.0]], exact=False), 0.5, arithmetic)
    assert (noisy.low[0, 0], noisy.high[0, 0]) == (0.5 - 2 * least, 1.0 + 2 * least)
    larger = scaled(side([[1.0]], [[2.0]], exact=False), 4.0, arithmetic)
    assert (larger.low[0, 0], larger.high[0, 0], larger.exact) == (4.0, 8.0, False)


@pytest.mark.parametrize("scale", [1.0, -1.0])
def test_a_scale_of_one_changes_nothing_but_the_sign(scale: float) -> None:
    """However small the numbers are, and whether they are known exactly or not: nothing can be lost."""
    least = LEAST["float32"]
    for rows in (side([[least, 3.0]], [[2 * least, 4.0]], exact=False), side([[least / 4]], grain=least / 4)):
        found = scaled(rows, scale, IntervalArithmetic("float32", {}))
        assert sorted([found.low.tolist(), found.high.tolist()]) == sorted(
            [(rows.low * scale).tolist(), (rows.high * scale).tolist()]
        )
        assert (found.exact, found.grain) == (rows.exact, rows.grain)


@given(st.integers(0, 9999), st.sampled_from([0.0, 2.0**-6]), st.sampled_from([0.0, 2.0**-8]))
def test_scores_with_factors_of_their_rows(seed: int, noise: float, shared: float) -> None:
    """Bounds hold (1 + d) q + b times (1 + d') k + b' at all corners, and are not much wider."""
    source, arithmetic = np.random.default_rng(seed), IntervalArithmetic("float64", {})
    q, k = (source.integers(-4, 5, (2, 3)).astype(float) for _ in range(2))
    a, b = (source.integers(-4, 5, 3).astype(float) for _ in range(2))
    one = side(q - noise, q + noise, exact=False, bias=a, shared=shared)
    two = side(k - noise, k + noise, exact=False, bias=b, shared=shared)
    low, high = scores(one, two, arithmetic)
    met = []
    for signs in source.choice([-1.0, 1.0], (60, 14)):
        d, e = 1 + shared * signs[0], 1 + shared * signs[1]
        row = (q + noise * signs[2:8].reshape(2, 3)) * d + a
        other = (k + noise * signs[8:14].reshape(2, 3)) * e + b
        met.append(row @ other.T)
    assert (low <= np.min(met, axis=0) + 1e-12).all()
    assert (high >= np.max(met, axis=0) - 1e-12).all()
    middle = (q + a) @ (k + b).T
    size = (np.abs(q) + np.abs(a) + 1) @ (np.abs(k) + np.abs(b) + 1).T
    assert (high - middle <= (4 * shared + 2 * noise) * size + 1e-9).all()
    assert (middle - low <= (4 * shared + 2 * noise) * size + 1e-9).all()
    if not noise and not shared:
        assert np.allclose(low, high, atol=1e-9)


def test_rows_are_told_apart_bit_by_bit_with_one_zero() -> None:
    table = np.array([[0.0, 1.0], [-0.0, 1.0], [0.0, 2.0], [0.0, 1.0]])
    assert sorted(_unique_rows(table).tolist()) == [[0.0, 1.0], [0.0, 2.0]]
    assert _unique_rows(np.zeros((5, 0))).shape == (1, 0)


def test_rows_are_told_apart_by_hashes_as_by_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(5).integers(-2, 3, (3 * pairs.MANY_ROWS, 4)).astype(float)
    few, many = pairs._unique_rows(rows[:900].copy()), pairs._unique_rows(rows.copy())
    for some, given_rows in ((few, rows[:900]), (many, rows)):
        assert len(some) == len({*map(tuple, some.tolist())})
        assert {*map(tuple, some.tolist())} == {*map(tuple, given_rows.tolist())}
    monkeypatch.setattr(pairs, "FACTOR", np.uint64(0))  # all rows have one hash
    assert pairs._unique_by_hash(rows) is None
    assert len(pairs._unique_rows(rows.copy())) == len(many)
