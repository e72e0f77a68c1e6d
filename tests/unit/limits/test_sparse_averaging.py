"""Sparse averaging: worked numbers, and sets that share an embedding."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capax.limits import limit
from capax.limits.sparse_averaging import log2_sets
from tests.support.outcomes import count_outcome, least_share


@least_share("two sets with one code", 0.5)
@given(st.integers(1, 5), st.integers(0, 6), st.integers(1, 3), st.randoms(use_true_random=False))
@settings(max_examples=50)
def test_too_few_bits_confuse_two_sets(q: int, more: int, bits: int, random: object) -> None:
    """Any map from sets to fewer codes than sets gives two sets one code, and signs whose means differ by 2/q."""
    n = 2 * q + 1 + more
    sets = list(combinations(range(n - 1), q))
    assert float(log2_sets(n, q)) == pytest.approx(math.log2(len(sets)))
    result = limit("sparse-averaging").run(n=n, q=q, dim=1, bits=bits)
    assert result.vacuous == (2**bits >= len(sets))
    if not result.vacuous:
        codes: dict[int, tuple[int, ...]] = {}
        drawn = [(chosen, codes.setdefault(random.randrange(2**bits), chosen)) for chosen in sets]  # type: ignore[attr-defined]
        chosen, other = next(pair for pair in drawn if pair[0] != pair[1])
        signs = np.array([1.0 if j in chosen and j not in other else -1.0 for j in range(n)])
        means = signs[list(chosen)].mean(), signs[list(other)].mean()
        assert abs(means[0] - means[1]) >= 2 / q - 1e-12
    count_outcome("vacuous" if result.vacuous else "two sets with one code")


def test_sets_that_are_not_counted() -> None:
    """The short form is a lower bound, and never below q."""
    for n, q in ((10**6, 3000), (2**300, 5), (6001, 3000)):
        short = float(log2_sets(n, q))
        exact = math.log2(math.comb(n - 1, q))
        assert q <= short <= exact * (1 + 1e-9) + 1e-6


def test_recurrent_and_feedforward() -> None:
    """The paper's halves and the whole."""
    found = limit("sparse-averaging").run(n=101, dimension=3, q=2)
    assert found["recurrent: least state, paper"].value == 50
    assert found["recurrent: least state"].value == 100
    assert found["feedforward: least width, paper"].value == 151.5
    assert found["feedforward: least width"].value == 303
    one = limit("sparse-averaging")
    assert not one.run(network="recurrent", n=101, q=2, state=99).vacuous
    assert one.run(network="recurrent", n=101, q=2, state=100).vacuous
    assert not one.run(network="feedforward", n=101, q=2, width=100).vacuous
    assert one.run(network="feedforward", n=101, q=2, width=101).vacuous
