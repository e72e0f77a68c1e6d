"""Head dimensions follow the calculus of scores."""

import numpy as np
import pytest

from capax import best, indices, key, query, tokens
from capax.rasp.analysis.head_size import head_size
from capax.rasp.python.program import Selector

SAME, BEFORE, FIRST = key(tokens) == query(tokens), key(indices) < query(indices), key(indices) == 0


@pytest.mark.parametrize(
    ("selector", "masked", "mask", "bare"),
    [
        (SAME, "3", None, "3"),
        (BEFORE, "0", "strict past", "(n-1)"),
        (key(indices) <= query(indices), "0", "causal", "(n-1)"),
        (~(key(indices) <= query(indices)), "0", "strict future", "(n-1)"),
        (SAME & BEFORE, "3", "strict past", "3 + (n-1)"),
        (FIRST, "1", None, "1"),
        (SAME & FIRST & BEFORE, "4", "strict past", "4 + (n-1)"),
        (key(tokens) < query(tokens), "v", None, "v"),
        (key(indices) != query(indices), "(n-1)", None, "(n-1)"),
        (SAME | FIRST, "at most 2*v, by a table", None, "at most 2*v, by a table"),
        (~(SAME & BEFORE), "at most v*n, by a table", None, "at most v*n, by a table"),
        (best(SAME & BEFORE, indices), "5", "strict past", "5 + (n-1)"),
    ],
)
def test_sizes(selector: Selector, masked: str, mask: str | None, bare: str) -> None:
    """Conjunctions add, masks are free, comparisons of positions cost n - 1."""
    with_masks = head_size(selector.node, masks=True)
    assert (str(with_masks), with_masks.mask) == (masked, mask)
    assert str(head_size(selector.node, masks=False)) == bare


@pytest.mark.parametrize("n", [2, 5, 9])
def test_positions_without_a_mask_need_n_minus_1(n: int) -> None:
    """The lower bound: a table that is 0 where key < query and at most -1 elsewhere has rank n, whatever its entries.

    Scores of a head of dimension d, less the highest of each row, have rank at most d + 1.
    """
    size = head_size(BEFORE.node, masks=False).at(n, 0)
    rng = np.random.default_rng(n)
    for _ in range(20):
        table = np.where(np.arange(n)[None, :] < np.arange(n)[:, None], 0.0, -1.0 - rng.random((n, n)))
        assert np.linalg.matrix_rank(table) == n == size + 1


@pytest.mark.parametrize("n", [3, 8])
def test_equality_needs_3(n: int) -> None:
    """-(x - y)^2 has rank 3, and is 0 exactly where the values are equal."""
    x = np.arange(n, dtype=float)
    table = -((x[:, None] - x[None, :]) ** 2)
    assert np.linalg.matrix_rank(table) == head_size(SAME.node, masks=False).at(n, n)
    assert ((table == 0) == np.eye(n, dtype=bool)).all()


def test_the_table_of_sort_is_large_enough() -> None:
    """The order of sort tells v * n kinds of keys apart, as many as the table has dimensions."""
    v, n = 6, 8
    goes_before = (key(tokens) < query(tokens)) | (SAME & BEFORE)
    pairs = [(token, place) for token in range(v) for place in range(n)]
    table = np.array([[k < q for k in pairs] for q in pairs], dtype=float)
    kinds = len({tuple(column) for column in table.T})
    assert kinds <= head_size(goes_before.node, masks=True).at(n, v) == v * n
