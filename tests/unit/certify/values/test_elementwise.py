"""Operations on whole columns give what they give one by one, with the same types."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from capax.certify.values.elementwise import AT_ONCE, LOGIC, apply_rowwise
from capax.rasp.ir.ops import OPS, apply_op

ATOMS = st.one_of(
    st.integers(-(2**27), 2**27),
    st.integers(-3, 3),
    st.floats(-1e9, 1e9),
    st.sampled_from([0.5, -0.0, 1.0, True, False, 1e300]),
)


@given(st.sampled_from(sorted({*AT_ONCE, *LOGIC})), st.lists(st.tuples(ATOMS, ATOMS), min_size=1, max_size=6))
@example("*", [(1e300, 1e300)])
def test_columns(op: str, rows: list[tuple[object, object]]) -> None:
    columns = []
    for number in range(OPS[op].arity):
        column = np.empty(len(rows), object)
        column[:] = [row[number] for row in rows]
        columns.append(column)
    found = apply_rowwise(op, lambda *a: apply_op(op, *a), columns).tolist()
    expected = [apply_op(op, *row[: OPS[op].arity]) for row in rows]
    assert [(type(v), repr(v)) for v in found] == [(type(v), repr(v)) for v in expected]
