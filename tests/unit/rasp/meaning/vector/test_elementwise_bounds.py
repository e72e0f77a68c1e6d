"""Arrays of integers are used where a bound says that 64 bits suffice, and only there."""

from dataclasses import replace

import pytest

from capax.rasp.ir.ops import OPS, FunctionCall, Op
from capax.rasp.meaning.vector.column import from_values
from capax.rasp.meaning.vector.elementwise import apply_columns
from capax.rasp.meaning.vector.strings import StringTable

CUBE = Op("cube", FunctionCall(("x",)), lambda x: x * x * x, result="number", array=lambda x: x * x * x)


@pytest.mark.parametrize("bound", [None, lambda sizes: max(sizes) ** 3])
def test_a_cube_of_large_integers_does_not_wrap_around(monkeypatch: pytest.MonkeyPatch, bound: object) -> None:
    monkeypatch.setitem(OPS, "cube", replace(CUBE, bound=bound))
    for values in ([1, -2, 3], [2**40, -(2**31), 5]):
        column, failed = apply_columns("cube", [from_values(values, StringTable())])
        assert failed is None
        assert column.values() == [x**3 for x in values]


def test_integers_go_by_arrays_where_a_row_has_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(OPS, "+", replace(OPS["+"], apply=lambda x, y: "one by one"))
    column, _ = apply_columns("+", [from_values([1, 2], StringTable()), from_values([3, 4], StringTable())])
    assert column.values() == [4, 6]
