"""Iterated composition by tables."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from capax.tasks.inputs.sequential_tables import SequentialLayout
from capax.tasks.iterated_composition import TASK as ITERATED


@given(st.integers(2, 3), st.integers(1, 3), st.integers(1, 3), st.integers(0, 1_000))
def test_iterated_composition_by_tables(n: int, steps: int, choices: int, seed: int) -> None:
    """The tables cut out of the prompt, the last one first, each entered at (w, i)."""
    word = ITERATED.samples(1, n, seed, steps=steps, choices=choices)[0]
    layout = SequentialLayout.uniform(n, steps, choices)
    assert len(word) == layout.length
    tables: dict[int, list[int]] = {}
    rest = list(word)
    for step in range(steps, 0, -1):
        tables[step], rest = rest[: layout.size(step - 1)], rest[layout.size(step - 1) :]
    value, queries = rest[0], rest[1:]
    assert len(queries) == steps - 1
    value = tables[1][value]
    for step, w in enumerate(queries, 2):
        value = np.array(tables[step]).reshape(choices, -1)[w, value]
    assert ITERATED.reference(word, steps=steps, choices=choices) == value
