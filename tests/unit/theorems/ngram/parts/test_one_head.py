"""The scores of a single head."""

import pytest

from capax.theorems.ngram.parts.one_head import product_rows, sparse_slope


@pytest.mark.parametrize("numbers", ["float64", "float32"])
@pytest.mark.parametrize("k", [1, 2, 3, 4, 5, 6, 7])
def test_the_stated_length_of_the_product(numbers: str, k: int) -> None:
    """(2 T)^k is below the integers of the system, and the next T's is not."""
    most = product_rows(numbers, k)
    limit = {"float64": 2**53, "float32": 2**24}[numbers]
    assert (2 * most) ** k < limit <= (2 * most + 2) ** k


def test_slopes_of_sparsemax() -> None:
    """In the interval in which exactly the last k rows have weight."""
    for k in range(2, 12):
        assert 2 / (k * (k + 1)) <= sparse_slope(k) < 2 / (k * (k - 1))
