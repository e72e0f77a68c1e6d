"""The search for an m with the property, or with the norm bound."""

import numpy as np
import pytest

from capax.theorems.sparse_averaging.parts.dual import BLOCK, sign_keys
from capax.theorems.sparse_averaging.parts.random_unit import RandomKeys
from capax.theorems.sparse_averaging.parts.rip_search import (
    constant_of,
    dual_lengths,
    gram_of,
    lemma_duals,
    m_with_duals,
    m_with_property,
    meets,
)

KEYS = RandomKeys(8, 2, 5, 20)


def test_an_m_that_is_found_works_and_the_one_before_does_not() -> None:
    """That is all that is said of it."""
    m, dual_m = m_with_property(KEYS, 0.3), m_with_duals(KEYS, 0.3, 2)
    assert m is not None
    assert dual_m is not None
    assert [constant_of(KEYS, k).standing(0.3) for k in (m - 1, m)] == ["fails", "holds"]
    assert [meets(KEYS, k, 0.3) for k in (dual_m - 1, dual_m)] == [False, True]


def test_the_vectors_are_those_that_were_measured() -> None:
    """All sets are in the table here, in the same order."""
    pairs = zip(lemma_duals(KEYS, 60, 0.3), dual_lengths(KEYS, 60, 0.3), strict=True)
    assert all(dual.length.norm == pytest.approx(length.norm) for dual, length in pairs)


def test_columns_drawn_in_blocks_are_the_same_ones() -> None:
    """Column c comes from a seed of its own, whichever block it is in."""
    m = BLOCK + 3
    columns = [np.random.default_rng((5, c)).integers(0, 2, 8) * 2 - 1 for c in range(m)]
    assert (sign_keys(8, m, 5) == np.stack(columns, axis=1)).all()
    assert (np.diagonal(gram_of(KEYS, m)) == m).all()
