"""Attention units beside their definition."""

from itertools import combinations

import numpy as np
import pytest

from capax.model.run.reference import define
from capax.tasks.q_sparse_averaging import TASK
from capax.theorems.sparse_averaging.parts.dual import nearest_dual, sign_keys
from capax.theorems.sparse_averaging.parts.oracle_free_unit import oracle_free_unit
from capax.theorems.sparse_averaging.parts.random_unit import (
    RandomKeys,
    random_unit,
    smallest_m,
)
from capax.theorems.sparse_averaging.parts.reading import TokenReading, point_vector
from capax.theorems.sparse_averaging.parts.unit import oracle_unit, table_unit


@pytest.mark.parametrize("shape", ["pairs", "spread"])
def test_the_definition_agrees(shape: str) -> None:
    """The plain definition of a model gives the means too, for vectors in two dimensions."""
    length, q = 6, 2
    reading = TokenReading(length, q, 2, shape)  # type: ignore[arg-type]
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
    word = TokenReading(7, 2, 1).word([1, -1, 1, 1, -1, -1, 1], which[3:10])
    np.testing.assert_allclose(oracle(word), table(word), atol=1e-12)
    assert oracle.size.oracles == 1
    assert table.size.oracles == 0
