"""Prefixes of recurrent models that share a state, and vectors that a first layer does not see."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from capax.limits.witnesses.search.fool_nets import null_vector
from capax.limits.witnesses.search.recurrent import batch_prefix_collision, prefix_collision


def state_after(step: object, start: object, prefix: tuple[int, ...]) -> object:
    """The state after a prefix."""
    for symbol in prefix:
        start = step(start, symbol)  # type: ignore[operator]
    return start


@given(st.integers(1, 12), st.integers(0, 10**6), st.sampled_from([2, 3]))
def test_few_bits_of_state_collide(bits: int, seed: int, symbols: int) -> None:
    """Any step function on m bits has two prefixes of at most m + 1 symbols with one state."""
    table = np.random.default_rng(seed).integers(0, 2**bits, (2**bits, symbols)).tolist()

    def step(state: int, symbol: int) -> int:
        return table[state][symbol]  # type: ignore[no-any-return]

    found = prefix_collision(step, 0, bits + 1, symbols=symbols)
    assert found.one is not None
    assert found.two is not None
    assert found.one != found.two
    assert len(found.one) == len(found.two) == found.length <= bits + 1
    assert state_after(step, 0, found.one) == state_after(step, 0, found.two)
    arrays = np.array(table)
    batch = batch_prefix_collision(lambda s, x: arrays[s[:, 0], x][:, None], np.array([0]), bits + 1, symbols=symbols)
    assert batch.one is not None
    assert batch.two is not None
    assert batch.length == found.length
    assert state_after(step, 0, batch.one) == state_after(step, 0, batch.two)


def test_a_state_that_keeps_everything_is_not_fooled() -> None:
    found = prefix_collision(lambda state, bit: (*state, bit), (), 12)
    assert found.one is None
    assert found.prefixes == 2**12
    assert found.every


def test_longer_prefixes_are_tried_at_random() -> None:
    """A machine that forgets after 25 symbols is caught, though not all prefixes of that length are tried."""
    found = batch_prefix_collision(
        lambda s, x: np.where(s[:, 1:] >= 24, [[0, 0]], np.stack([2 * s[:, 0] + x + 1, s[:, 1] + 1], axis=1)),
        np.array([0, 0]),
        30,
    )
    assert found.one is not None
    assert found.length == 25
    assert not found.every


@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 10**6), st.booleans())
def test_null_vectors_are_exact(units: int, inputs: int, seed: int, floats: bool) -> None:
    random = np.random.default_rng(seed)
    weight = random.normal(size=(units, inputs)) if floats else random.integers(-2, 3, (units, inputs))
    vector = null_vector(weight.tolist())
    rank = np.linalg.matrix_rank(weight)
    assert (vector is None) == (rank == inputs)
    if vector is not None:
        assert any(vector)
        for row in weight.tolist():
            assert sum(Fraction(w) * v for w, v in zip(row, vector, strict=True)) == 0
