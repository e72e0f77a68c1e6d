"""Grids of weights, and a prediction beside them."""

from time import process_time

import numpy as np
import pytest

from capax import aggregate, indices, select, tokens
from capax.draw.ink.svg import svg
from capax.draw.subjects.heat import heat, side_by_side
from capax.errors import CapaxError


def test_a_numpy_matrix_is_a_grid() -> None:
    """Arrays and lists give the same view."""
    assert heat(np.eye(3)) == heat([[1, 0, 0], [0, 1, 0], [0, 0, 1]])


def test_equal_weights_do_not_differ() -> None:
    """An average of all keys predicts equal weights."""
    mean = aggregate(select(indices, indices, ">=") | select(indices, indices, "<"), indices)
    view = side_by_side(mean, "abcd", np.full((4, 4), 0.25))
    assert view.difference == (0, 0, 0, 0)


def test_differences_are_total_variation() -> None:
    """Half the sum of absolute differences, for each query."""
    swap = aggregate(select(indices, 1 - indices, "=="), tokens)
    view = side_by_side(swap, "ab", [[0.25, 0.75], [0, 1]])
    assert view.difference == (0.25, 1.0)


def test_a_head_of_an_inner_layer() -> None:
    """A layer and a head can be named."""
    from capax.app.resolve import resolve

    view = side_by_side(resolve("reverse").program, "abc", np.full((3, 3), 1 / 3), layer=1)
    assert max(view.difference) < 1e-12


@pytest.mark.parametrize("matrix", [[[1, 0]], [], [[2.0]], [["a"]], [[float("nan")]], np.ones((2, 3)), 3])
def test_what_is_no_matrix_of_weights_is_refused(matrix: object) -> None:
    """With the reason."""
    with pytest.raises(CapaxError) as caught:
        heat(matrix)  # type: ignore[arg-type]
    assert caught.value.code == "bad-option"


def test_an_element_wise_program_looks_nowhere() -> None:
    """It has no head to compare."""
    with pytest.raises(CapaxError, match="element-wise"):
        side_by_side(indices + 1, "ab", [[1, 0], [0, 1]])


def test_many_different_weights_take_no_time() -> None:
    """300 x 300 of them in under a second of processor time."""
    places = range(300)
    matrix = [[(1 + (i * 300 + j) % 89_989) / 90_000 for j in places] for i in places]
    before = process_time()
    svg(heat(matrix))
    assert process_time() - before < 1
