"""Feedforward and recurrent networks for q-sparse averaging: exact at their sizes, and fooled below them."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax.model.parts import Affine
from capax.tasks.q_sparse_averaging import TASK
from capax.theorems.sparse_averaging import q_sparse_separation
from capax.theorems.sparse_averaging.parts.feedforward import (
    FeedforwardNet,
    SameLayer,
    feedforward,
    flattened,
    same_layer,
)
from capax.theorems.sparse_averaging.parts.recurrent import inputs_of, merged, recurrent, same_state
from capax.theorems.sparse_averaging.q_sparse_separation import THEOREM


@given(st.integers(2, 9), st.integers(1, 4), st.integers(1, 3), st.integers(0, 99))
def test_both_networks_give_the_mean(length: int, q: int, dimension: int, seed: int) -> None:
    """For the last place of random words, with vectors anywhere in the unit ball."""
    q = min(q, length - 1)
    for word in TASK.samples(3, length, seed, q=q, dimension=dimension):
        right = TASK.answer(word, q=q, dimension=dimension)[-1]
        wide, long = feedforward(length, q, dimension), recurrent(length, q, dimension)
        np.testing.assert_allclose(wide(flattened(word, length)), right, atol=1e-12)
        np.testing.assert_allclose(long(word), right, atol=1e-12)
        assert wide.widths == (length * dimension,)
        assert long.state_size == (length - 1) * dimension


@given(st.integers(2, 9), st.integers(1, 4), st.integers(1, 3), st.integers(0, 99), st.data())
def test_a_narrow_layer_is_fooled(length: int, q: int, dimension: int, seed: int, data: st.DataObject) -> None:
    """Two words with the same first layer and answers that are 1/(q sqrt(d')) or more apart."""
    q = min(q, length - 1)
    units = data.draw(st.integers(1, length * dimension - 1))
    random = np.random.default_rng(seed)
    layer = Affine(random.normal(size=(length * (dimension + 1), units)), random.normal(size=units))
    network = FeedforwardNet((layer, Affine(random.normal(size=(units, dimension)), np.zeros(dimension))))
    found = same_layer(layer, length, q, dimension)
    assert found is not None
    z = np.array(found.z).reshape(length, dimension)
    assert np.linalg.norm(z, axis=1).max() <= 1 + 1e-9
    words = [[(tuple(row), found.subset) for row in sign * z] for sign in (1, -1)]
    one, two = (np.array(TASK.answer(word, q=q, dimension=dimension)[-1]) for word in words)
    assert np.linalg.norm(one - two) / 2 >= 1 / (2 * q * math.sqrt(dimension)) - 1e-9
    assert math.isclose(np.linalg.norm(one - two) / 2, found.error, rel_tol=1e-9)
    got = [network(flattened(word, length)) for word in words]
    np.testing.assert_allclose(got[0], got[1], atol=1e-9)


def test_a_layer_of_full_width_is_not_fooled() -> None:
    """The exact network sees every direction."""
    assert same_layer(feedforward(5, 2, 2).maps[0], 5, 2, 2) is None


def test_the_state_has_a_bit_for_each_place_before_the_last() -> None:
    """Every beginning of signs has a state of its own, of zeros and ones; two slots made one confuse some."""
    network = recurrent(6, 2, 1)
    states = set()
    for signs in product((-1.0, 1.0), repeat=5):
        state = network.state(inputs_of([((z,), (0, 1)) for z in (*signs, 1.0)])[:-1])
        assert set(state.tolist()) <= {0.0, 1.0}
        states.add(tuple(state.tolist()))
    assert len(states) == 2**5
    assert same_state(network, 6, 2) is None
    for q in (1, 2, 3):
        witness = same_state(merged(recurrent(6, q, 1)), 6, q)
        assert witness is not None
        assert abs(witness.right[0] - witness.right[1]) >= 2 / q - 1e-12
        assert witness.error >= 1 / q - 1e-12


def test_the_failures_are_measured() -> None:
    """A layer that sees everything, and a witness with right answers, would not be reported as failures."""
    assert not THEOREM.broken(length=8, q=2, dimension=2).holds
    with pytest.MonkeyPatch.context() as patch:
        harmless = SameLayer((0, 1), (0.0,) * 8, 0.0, 0.0)
        patch.setattr(q_sparse_separation, "same_layer", lambda *_: harmless)
        assert THEOREM.broken(length=8, q=2).parts[0].holds
