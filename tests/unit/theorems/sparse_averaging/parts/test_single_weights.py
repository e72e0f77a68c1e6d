"""The weights of a head, one by one."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from capax.theorems.sparse_averaging.parts.dual import sign_keys
from capax.theorems.sparse_averaging.parts.reading import TokenReading
from capax.theorems.sparse_averaging.parts.single_weights import SingleWeights, single_weights, weights_report
from capax.theorems.sparse_averaging.parts.unit import table_unit


@given(st.integers(1, 6), st.integers(0, 20), st.floats(0.01, 0.99), st.integers(0, 10**6))
def test_the_bounds_follow(q: int, more: int, error: float, seed: int) -> None:
    """Scores moved by up to eps/4 in the worst ways leave the weights within what is derived."""
    n = q + more
    alpha = math.ceil(2 * math.log(4 * n / error))
    random = np.random.default_rng(seed)
    scores = np.where(np.arange(n) < q, alpha, alpha / 2) + random.choice([-1, 1], n) * error / 4
    weights = np.exp(scores - scores.max())
    weights /= weights.sum()
    outside = float(weights[q:].max(initial=0.0))
    w = SingleWeights(float(q * weights[:q].min()), float(q * weights[:q].max()), outside, (0,))
    assert w.follows(error * (1 + 1e-12), n)


def test_the_bounds_of_the_slides_do_not_follow() -> None:
    """One score of many up and the others down: the weight is above (1/q)(1 + eps/2), and below (1/q) e^(eps/2)."""
    q, error = 50, 0.5
    scores = np.full(q, -error / 4)
    scores[0] = error / 4
    weights = np.exp(scores) / np.exp(scores).sum()
    w = SingleWeights(float(q * weights.min()), float(q * weights.max()), 0.0, (0,))
    assert w.follows(error, q)
    assert not w.slide(error)


def test_a_model_is_measured() -> None:
    """The weights of a unit with orthogonal keys are those of its scores; a lower sharpness is noticed."""
    two = np.array([[1.0, 1.0], [1.0, -1.0]])
    keys, subsets = np.kron(two, two), ((0, 1), (1, 3))
    reading = TokenReading(4, 2, 1)
    for sharp, right in ((20.0, True), (2.0, False)):
        queries = np.array([sharp * keys[list(s)].sum(axis=0) / 4 for s in subsets])
        model = table_unit(keys, queries, subsets, 1, "float64")
        w = single_weights(model, reading, subsets, 0)
        one = math.exp(sharp) / (2 * math.exp(sharp) + 2)
        np.testing.assert_allclose((w.least, w.largest), 2 * one)
        np.testing.assert_allclose(w.outside, one / math.exp(sharp))
        report = weights_report(model, reading, subsets, 0.1, 0, all_of_them=False)
        assert report.holds is right
        assert (report.counterexample is None) is right


def test_keys_of_columns() -> None:
    """The keys for m are the first columns of those for m + 1, which the search for the least m relies on."""
    assert (sign_keys(5, 7, 0) == sign_keys(5, 8, 0)[:, :7]).all()
