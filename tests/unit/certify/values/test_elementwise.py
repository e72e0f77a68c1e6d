"""Operations on whole columns give what they give one by one, with the same types."""

from typing import Any

import numpy as np
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from capax.certify.values.coded_values import MANY, coded
from capax.certify.values.elementwise import AT_ONCE, LOGIC, apply_rowwise, coded_at_once
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


NUMBERS = (
    st.lists(st.integers(-9, 9), min_size=1)
    | st.lists(st.floats(-4, 4) | st.just(-0.0), min_size=1)
    | st.lists(st.sampled_from([0, 0.0, 1.0, 2**26, "a", True]), min_size=1, max_size=2)
)


@settings(max_examples=200)
@given(st.sampled_from(sorted(AT_ONCE)), NUMBERS, NUMBERS, st.integers(0, 2**32 - 1))
def test_many_rows_have_the_codes_of_their_values(op: str, one: list[Any], two: list[Any], seed: int) -> None:
    """As if each value were computed by itself, where that is done at once."""
    source, listed = np.random.default_rng(seed), [one, two][: OPS[op].arity]
    codes = [source.integers(0, len(values), MANY) for values in listed]
    at_once = coded_at_once(op, listed, codes)
    assume(at_once is not None)
    assert at_once is not None
    rows = [[values[c] for c in own.tolist()] for values, own in zip(listed, codes, strict=True)]
    expected, known = coded(apply_op(op, *row) for row in zip(*rows, strict=True))
    found = [at_once[1][c] for c in at_once[0].tolist()]
    assert [(type(v), repr(v)) for v in found] == [(type(known[c]), repr(known[c])) for c in expected.tolist()]
    assert sorted(map(repr, at_once[1])) == sorted(map(repr, known))
