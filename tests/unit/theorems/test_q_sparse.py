"""q-sparse averaging: dual vectors, curves, the units built of them, and how they are measured."""

import math
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from capax import CapaxError, theorems
from capax.model.arithmetic.select import arithmetic
from capax.model.run.forward import apply_mlp
from capax.model.run.reference import define
from capax.tasks.q_sparse_averaging import TASK
from capax.theorems.sparse_averaging.parts.curve import curve_keys, curve_query
from capax.theorems.sparse_averaging.parts.descent import BOUND, descend, descent_mlp
from capax.theorems.sparse_averaging.parts.dual import BELOW, least_norm_dual, nearest_dual, sign_keys
from capax.theorems.sparse_averaging.parts.measure import measure
from capax.theorems.sparse_averaging.parts.oracle_free_unit import bits_of, deviation, oracle_free_unit
from capax.theorems.sparse_averaging.parts.radon import least_dimension, radon
from capax.theorems.sparse_averaging.parts.random_unit import (
    RandomKeys,
    random_unit,
    smallest_m,
    smallest_working_m,
    subsets_for,
)
from capax.theorems.sparse_averaging.parts.reading import Reading, point_vector
from capax.theorems.sparse_averaging.parts.search import smallest
from capax.theorems.sparse_averaging.parts.subsets import hard_for_curve, hard_for_keys
from capax.theorems.sparse_averaging.parts.unit import oracle_unit, table_unit


@st.composite
def subset_of_keys(draw: st.DrawFn) -> tuple[np.ndarray, tuple[int, ...]]:
    """Random sign keys and a subset of their places."""
    length = draw(st.integers(3, 20))
    q = draw(st.integers(1, min(4, length - 1)))
    keys = sign_keys(length, draw(st.integers(1, 24)), draw(st.integers(0, 50)))
    return keys, tuple(sorted(draw(st.sets(st.integers(0, length - 1), min_size=q, max_size=q))))


@given(subset_of_keys())
def test_a_dual_vector_is_feasible_and_shortest(case: tuple[np.ndarray, tuple[int, ...]]) -> None:
    """1 on the subset, at most 1/2 elsewhere, and the conditions of the least norm: no active row pulls upwards."""
    keys, subset = case
    v = least_norm_dual(keys, subset)
    assume(v is not None)
    assert v is not None
    products = keys @ v
    inside = list(subset)
    outside = np.delete(np.arange(len(keys)), inside)
    np.testing.assert_allclose(products[inside], 1, atol=1e-8)
    assert (products[outside] <= BELOW + 1e-8).all()
    # Random feasible moves do not shorten it: along a direction that keeps 1 and lowers no slack, the norm grows.
    active = [j for j in outside.tolist() if products[j] > BELOW - 1e-8]
    held = keys[inside + active]
    multipliers = np.linalg.lstsq(held.T, v, rcond=None)[0]
    np.testing.assert_allclose(held.T @ multipliers, v, atol=1e-7)
    if np.linalg.matrix_rank(held) == len(held):
        assert (multipliers[len(inside) :] <= 1e-7).all()


@given(st.integers(0, 30), st.integers(2, 12))
def test_more_columns_keep_a_dual(seed: int, m: int) -> None:
    """Keys for a smaller m are the first columns, so a dual vector with a zero added is one for m + 1."""
    small, large = sign_keys(9, m, seed), sign_keys(9, m + 1, seed)
    np.testing.assert_array_equal(large[:, :m], small)
    v = least_norm_dual(small, (1, 4))
    if v is not None:
        assert least_norm_dual(large, (1, 4)) is not None


@given(st.sampled_from(["circle", "line"]), st.integers(4, 16), st.data())
def test_a_curve_singles_out_a_subset(curve: str, length: int, data: st.DataObject) -> None:
    """The scores are 0 on the subset and low elsewhere; on the line exactly 0."""
    q = data.draw(st.integers(1, 3))
    subset = sorted(data.draw(st.sets(st.integers(0, length - 1), min_size=q, max_size=q)))
    keys = curve_keys(curve, length, q)  # type: ignore[arg-type]
    query = curve_query(curve, length, subset, 0.1)  # type: ignore[arg-type]
    scores = keys @ query
    assert keys.shape == (length, 2 * q + 1)
    np.testing.assert_allclose(scores[subset], 0, atol=0 if curve == "line" else 1e-4)
    assert (np.delete(scores, subset) <= -math.log(40 * length) + 1e-4).all()


@given(st.integers(1, 4), st.integers(0, 99), st.data())
def test_radon_certificates(q: int, seed: int, data: st.DataObject) -> None:
    """Below 2q dimensions there is a subset on which the weights of any query are off by 1/q."""
    m = data.draw(st.integers(1, 2 * q - 1))
    length = 3 * q + data.draw(st.integers(0, 5))
    random = np.random.default_rng(seed)
    keys = random.normal(size=(length, m)) if seed % 2 else sign_keys(length, m, seed)
    found = radon(keys, q, random)
    assert found is not None
    assert len(found.subset) == q
    assert set(found.inside) <= set(found.subset)
    assert not set(found.outside) & set(found.subset)
    assert math.isclose(sum(found.inside.values()), 1)
    assert math.isclose(sum(found.outside.values()), 1)
    assert found.gap < 1e-7
    right = bits_of(length, (found.subset,))[0] / q
    for scale in (0.1, 1, 10, 100):
        scores = keys @ random.normal(size=m) * scale
        weights = np.exp(scores - scores.max())
        assert np.abs(weights / weights.sum() - right).sum() >= 1 / q - 1e-6


@pytest.mark.parametrize(("length", "q"), [(4, 3), (2, 1), (7, 6), (9, 3), (16, 3), (3, 1)])
def test_no_size_that_works_is_below_the_bound(length: int, q: int) -> None:
    """Sizes never contradict the bound; below N = 3q fewer than 2q dimensions can do, and it says nothing."""
    least = least_dimension(length, q)
    assert (least is None) == (length < 3 * q)
    rows = theorems.theorem("q-sparse-random").run(length=length, q=q).rows
    row = next(row for row in rows if "any precision" in row.what)
    assert row.bound == ("" if least is None else 2 * q)
    assert least is None or isinstance(row.built, int)
    assert least is None or row.built >= least
    if (length, q) == (4, 3):
        assert row.built < 2 * q


def test_radon_says_nothing_from_2q_on() -> None:
    """With 2q dimensions there need not be such a subset: the curve without its constant coordinate has none."""
    assert radon(curve_keys("circle", 12, 3)[:, 1:], 3, np.random.default_rng(0)) is None


def test_two_q_dimensions_are_enough() -> None:
    """The constant coordinate of the curve's keys changes no weight, so the unit without it is as good."""
    keys, which = curve_keys("circle", 9, 2), tuple(combinations(range(9), 2))
    queries = np.array([curve_query("circle", 9, s, 0.1) for s in which])
    assert measure(table_unit(keys[:, 1:], queries[:, 1:], which, 1, "float64"), Reading(9, 2, 1), which, 0).worst < 0.1


def test_the_measured_deviation_is_the_worst_of_all_signs() -> None:
    """By brute force over all words of signs, for each of some subsets."""
    keys, reading = sign_keys(6, 5, 1), Reading(6, 2, 1)
    which = tuple(combinations(range(6), 2))
    queries = np.array([4 * nearest_dual(keys, s) for s in which])
    model = table_unit(keys, queries, which, 1, "float64")
    worst = 0.0
    for subset in which:
        for signs in product((1, -1), repeat=6):
            word = [(point_vector(s, 1), subset) for s in signs]
            got = model(reading.word(signs, [subset] * 6))
            worst = max(worst, max(abs(g - r[0]) for g, r in zip(got, TASK.answer(word, q=2), strict=True)))
    found = measure(model, reading, which, 0)
    assert math.isclose(found.deviation, worst, rel_tol=1e-9)
    assert math.isclose(found.answer, worst, rel_tol=1e-9)


@pytest.mark.parametrize("shape", ["pairs", "spread"])
def test_the_definition_agrees(shape: str) -> None:
    """The plain definition of a model gives the means too, for vectors in two dimensions."""
    length, q = 6, 2
    reading = Reading(length, q, 2, shape)  # type: ignore[arg-type]
    if shape == "pairs":
        keys = RandomKeys(length, q, seed=0, sets=10)
        model = random_unit(keys, smallest_m(keys), dimension=2, error=0.1, numbers="float64")
    else:
        model = oracle_free_unit(sign_keys(length, 8, 0), q, 2, 12.0, 20, "float64")
    random = np.random.default_rng(5)
    subsets = [tuple(sorted(random.choice(length, q, replace=False).tolist())) for _ in range(length)]
    points = random.choice([1, -1, 2, -2], length).tolist()
    out = np.array(define(model, reading.word(points, subsets)))[reading.rows]
    word = [(point_vector(p, 2), s) for p, s in zip(points, subsets, strict=True)]
    np.testing.assert_allclose(out, TASK.answer(word, q=q, dimension=2), atol=0.1)


def test_an_oracle_answers_as_the_table() -> None:
    """The same weights, by a function of the bits."""
    keys, which = sign_keys(7, 7, 3), tuple(combinations(range(7), 2))
    table = table_unit(keys, np.array([12 * nearest_dual(keys, s) for s in which]), which, 1, "float64")
    oracle = oracle_unit(keys, lambda s: 12 * nearest_dual(keys, s), which, 1, "float64")
    word = Reading(7, 2, 1).word([1, -1, 1, 1, -1, -1, 1], which[3:10])
    np.testing.assert_allclose(oracle(word), table(word), atol=1e-12)
    assert oracle.size.oracles == 1
    assert table.size.oracles == 0


@pytest.mark.parametrize(
    ("numbers", "most"),
    [
        ("float64", 0.02),
        ("float32", 0.02),
        ("float16", 0.03),
        ("bfloat16", 0.4),
        ("fixed:16.9", 0.03),
        ("fixed:12.6", 0.2),
    ],
)
def test_number_systems(numbers: str, most: float) -> None:
    """What the unit costs in each number system, at N = 12, q = 3."""
    keys = RandomKeys(12, 3, seed=0, sets=10)
    m = smallest_m(keys) + 4
    model = random_unit(keys, m, dimension=1, error=0.1, numbers=numbers)
    which = subsets_for(keys, m)
    assert which.all
    assert measure(model, Reading(12, 3, 1), which.subsets, 0).worst <= most


def test_too_few_bits_fail() -> None:
    """Numbers of six bits do not hold the queries; no m is found, and the smallest with dual vectors is built."""
    assert smallest_working_m(RandomKeys(8, 3, seed=0, sets=10), 0.05, "fixed:6.2") is None
    report = theorems.theorem("q-sparse-random").run(length=8, q=3, error=0.05, numbers="fixed:6.2").check
    assert not report.holds
    assert report.counterexample is not None


@settings(max_examples=20)
@given(st.integers(4, 12), st.integers(1, 3), st.integers(1, 12), st.integers(0, 20))
def test_the_network_makes_the_steps_of_descent(length: int, q: int, steps: int, seed: int) -> None:
    """Its stages compute the definition of the descent from the bits, for every subset at once."""
    keys = sign_keys(length, 10, seed)
    bits = bits_of(length, tuple(combinations(range(length), q))[:50])
    width = length + 10
    mlp = descent_mlp(keys, steps, 7.0, width, list(range(length)), list(range(length, width)))
    assert mlp.depth == steps
    stream = np.concatenate([bits, np.zeros((len(bits), 10))], axis=1)
    added = apply_mlp(mlp, arithmetic("float64"), stream[None])[0]
    coefficients = descend(keys, bits, steps)
    assert np.abs(coefficients).max() < BOUND / 2
    np.testing.assert_allclose(added[:, length:], 7 * coefficients @ keys / 10, atol=1e-9)
    np.testing.assert_array_equal(added[:, :length], 0)


def test_descent_comes_near_the_dual() -> None:
    """After 60 steps the worst error is small, where the matched filter is far off at the same size."""
    keys, which = sign_keys(12, 18, 0), tuple(combinations(range(12), 3))
    bits = bits_of(12, which)
    assert deviation(keys, bits, descend(keys, bits, 60), 13) < 0.02
    assert deviation(keys, bits, bits, 13) > 0.5


def test_the_matched_filter_is_even_for_pairs() -> None:
    """For q = 2 both products on the subset are 1 + <u, u'>, whatever the keys."""
    keys = sign_keys(10, 12, 4)
    for a, b in combinations(range(10), 2):
        products = keys @ (keys[a] + keys[b])
        assert products[a] == products[b]


def test_hard_subsets_are_harder() -> None:
    """Their dual vectors are longer than those of random subsets, on average and at most."""
    random, keys = np.random.default_rng(0), sign_keys(60, 40, 0)
    hard = hard_for_keys(keys, 3, 12, random)
    easy = [tuple(random.choice(60, 3, replace=False)) for _ in hard]
    norms = [
        [float("inf") if (v := least_norm_dual(keys, s)) is None else float(v @ v) for s in some]
        for some in (hard, easy)
    ]
    assert max(norms[0]) > max(norms[1])
    assert np.median(norms[0]) > np.median(norms[1])
    assert all(len(s) == 4 for s in hard_for_curve(30, 4))


@given(st.integers(1, 60), st.integers(1, 60), st.integers(1, 60))
def test_search_finds_the_smallest(threshold: int, start: int, most: int) -> None:
    """Of a property that holds from a threshold on."""
    assume(start <= most)
    expected = max(threshold, start) if threshold <= most else None
    assert smallest(lambda size: size >= threshold, start, most) == expected


@pytest.mark.parametrize(
    ("name", "given_parameters"),
    [
        ("q-sparse-random", {"length": 16, "q": 3, "m": 4}),
        ("q-sparse-random", {"length": 4, "q": 4}),
        ("q-sparse-moment", {"length": 5, "q": 8}),
        ("q-sparse-honest", {"length": 3, "q": 3}),
        ("q-sparse-honest", {"length": 16, "q": 3, "steps": 0, "error": 0.001}),
    ],
)
def test_sizes_that_do_not_go_together_are_refused(name: str, given_parameters: dict[str, int]) -> None:
    """An m that is too small, a q that is too large, an error that no m reaches."""
    with pytest.raises(CapaxError) as raised:
        theorems.theorem(name).run(**given_parameters)
    assert raised.value.code == "bad-option"


def test_a_wrong_model_is_found_out() -> None:
    """A unit whose queries are of the neighbours' subsets is off, and the report has an input that shows it."""
    theorem = theorems.theorem("q-sparse-moment")
    at = theorem.at(length=8, q=2)
    which = tuple(combinations(range(8), 2))
    queries = np.array([curve_query("circle", 8, s, 0.1) for s in which[1:] + which[:1]])
    report = theorem.verify(table_unit(curve_keys("circle", 8, 2), queries, which, 1, "float64"), at)
    assert not report.holds
    assert report.counterexample["subset"]
