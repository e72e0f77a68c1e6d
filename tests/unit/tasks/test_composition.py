"""Composition of functions by definition."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from capax.tasks.composition import TASK as COMPOSITION


@given(st.integers(2, 4), st.integers(1, 4), st.integers(0, 1_000))
def test_composition_by_functions(n: int, functions: int, seed: int) -> None:
    """The tables as Python functions."""
    word = COMPOSITION.samples(1, n, seed, functions=functions)[0]
    value = word[-1]
    for table in np.array(word[:-1]).reshape(functions, n):
        value = int(table[value])
    assert COMPOSITION.reference(word, functions=functions) == value
