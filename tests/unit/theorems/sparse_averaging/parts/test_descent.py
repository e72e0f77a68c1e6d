"""The ReLU network that makes dual vectors by descent."""

from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from capax.model.arithmetic.select import arithmetic
from capax.model.run.forward import apply_mlp
from capax.theorems.sparse_averaging.parts.descent import BOUND, descend, descent_mlp
from capax.theorems.sparse_averaging.parts.dual import sign_keys
from capax.theorems.sparse_averaging.parts.oracle_free_unit import bits_of, deviation


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
