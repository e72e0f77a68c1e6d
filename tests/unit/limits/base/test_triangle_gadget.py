"""The gadget of set disjointness in directed graphs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax.limits.base.triangle_gadget import checked, gadget, side
from capax.tasks.tri_id_digraph import TASK


@pytest.mark.parametrize("n", [3, 4, 5, 6, 7])
def test_all_sets_at_small_sizes(n: int) -> None:
    """Also where one or two vertices are left over."""
    assert checked(n) == 4 ** (side(n) ** 2)


def test_all_sets_at_nine_vertices() -> None:
    """All 2^18 pairs of sets, by matrix products: the trace of the cube counts directed triangles."""
    bits = (np.arange(512)[:, None] >> np.arange(9)) & 1
    a, b = bits.reshape(-1, 3, 3), bits.reshape(-1, 3, 3)
    for one in a:
        matrices = np.zeros((512, 9, 9), np.int64)
        matrices[:, :3, 3:6] = one
        matrices[:, 3:6, 6:] = b.transpose(0, 2, 1)
        matrices[:, 6:, :3] = np.eye(3, dtype=np.int64)
        traces = np.trace(matrices @ matrices @ matrices, axis1=1, axis2=2)
        assert ((traces > 0) == (one * b).any(axis=(1, 2))).all()
    rows = gadget(bits[77].tolist(), bits[300].tolist(), 9)
    matrices = np.zeros((9, 9), np.int64)
    matrices[:3, 3:6], matrices[3:6, 6:], matrices[6:, :3] = a[77], b[300].T, np.eye(3)
    assert rows == ["".join(map(str, row)) for row in matrices.tolist()]


@given(st.integers(3, 20), st.data())
def test_a_row_depends_on_one_party(n: int, data: st.DataObject) -> None:
    """Alice's bits change u's rows alone, Bob's v's alone; the rest is public; a triangle is an element of both."""
    k = side(n)
    bit = st.lists(st.integers(0, 1), min_size=k * k, max_size=k * k)
    a, a2, b, b2 = (data.draw(bit) for _ in range(4))
    rows = gadget(a, b, n)
    assert gadget(a2, b, n)[k:] == rows[k:]
    assert (gadget(a, b2, n)[:k], gadget(a, b2, n)[2 * k :]) == (rows[:k], rows[2 * k :])
    meet = {i for i in range(k) for j in range(k) if a[i * k + j] and b[i * k + j]}
    assert [i for i, one in enumerate(TASK.reference(rows)[:k]) if one] == sorted(meet)
