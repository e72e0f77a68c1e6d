"""Triangles by matrix products."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from capax.tasks.tri_id_graph import TASK as GRAPH


@given(st.integers(0, 10_000), st.integers(3, 9))
def test_triangles_by_matrix_products(seed: int, n: int) -> None:
    """A vertex is in a triangle if the diagonal of the cube of the matrix says so."""
    word = GRAPH.samples(1, n, seed)[0]
    matrix = np.array([[int(bit) for bit in row] for row in word])
    assert (matrix == matrix.T).all()
    closed_walks = np.diagonal(matrix @ matrix @ matrix)
    assert GRAPH.reference(word) == [int(count > 0) for count in closed_walks]
