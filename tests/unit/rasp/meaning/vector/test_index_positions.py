"""Keys before and after each position, against the comparison of every pair."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax.rasp.ir.nodes import COMPARISONS
from capax.rasp.ir.ops import OPS
from capax.rasp.meaning.vector.batch import make_batch
from capax.rasp.meaning.vector.index import PositionRuns
from capax.rasp.meaning.vector.terms import MASKS


@pytest.mark.parametrize("op", [op for op in COMPARISONS if op not in ("==", "!=")])
@pytest.mark.parametrize("dtype", [np.int64, object])
@given(lengths=st.lists(st.integers(1, 5), min_size=1, max_size=3), data=st.data())
def test_sums_and_best_keys(op: str, dtype: Any, lengths: list[int], data: st.DataObject) -> None:
    """Counts, sums, the key where there is one, and the highest score."""
    batch, _ = make_batch(["a" * n for n in lengths])
    runs = PositionRuns(batch, MASKS[op])
    weights = np.array(data.draw(st.lists(st.integers(-9, 9), min_size=batch.size, max_size=batch.size)), dtype)
    scores = np.array(data.draw(st.permutations(range(batch.size))), np.int64)
    word, position = batch.word.tolist(), batch.position.tolist()
    some = range(batch.size)
    rows = [[k for k in some if word[k] == word[q] and OPS[op].apply(position[k], position[q])] for q in some]
    assert runs.counts().tolist() == [len(row) for row in rows]
    assert runs.sums(weights).tolist() == [sum(weights[k] for k in row) for row in rows]
    assert runs.best(scores).tolist() == [max((int(scores[k]) for k in row), default=-1) for row in rows]
    for key, row in zip(runs.single().tolist(), rows, strict=True):
        assert 0 <= key < batch.size
        assert len(row) != 1 or [key] == row
