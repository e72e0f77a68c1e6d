"""Codes of several columns in one."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax.rasp.meaning.vector import codes
from capax.rasp.meaning.vector.codes import combined


@pytest.mark.parametrize("most", [10, codes.MOST_CODES])
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2**62 - 1), st.integers(0, 5)), min_size=1, max_size=8))
def test_codes_of_several_parts_compare_as_they_do(most: int, rows: list[Any]) -> None:
    """In the order of the first part, then the second, and so on, however far apart the codes are."""
    columns = [np.array([row[i] for row in rows], np.int64) for i in range(3)]
    spans = (4, 2**62, 6)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(codes, "MOST_CODES", most)
        keys, queries, count = combined([(c, c, span) for c, span in zip(columns, spans, strict=True)])
    assert keys is queries
    assert count <= codes.MOST_CODES
    assert all(0 <= key < count for key in keys.tolist())
    assert [[a < b for b in keys.tolist()] for a in keys.tolist()] == [[a < b for b in rows] for a in rows]
