"""Tables against the entries one by one."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from capax.errors import CapaxError
from capax.rasp.ir.nodes import Input, Table
from capax.rasp.meaning.reference import look_up
from capax.rasp.meaning.vector.column import from_values
from capax.rasp.meaning.vector.lookups import KeptTable
from capax.rasp.meaning.vector.memo import Memo, Room
from capax.rasp.meaning.vector.strings import StringTable

KEYS = st.one_of(st.sampled_from(["a", "b", "", "ab", "\xff", "\u0100", "§"]), st.integers(0, 3), st.booleans())
RESULTS = [
    st.integers(-2, 2),
    st.booleans(),
    st.sampled_from(["x", "", "xy", "\u0100"]),
    st.sampled_from([0.0, -0.0, 1, True, 2**70, 0.5]),
]


@given(
    st.sampled_from(["members", "dict", "map"]),
    st.one_of(*(st.dictionaries(KEYS, values, max_size=4) for values in RESULTS)),
    st.one_of(st.text("abc\xff§", min_size=1), st.lists(st.text("ab\u0100", max_size=2), min_size=1), st.just([0, 1])),
)
def test_entries(kind: str, entries: dict[Any, Any], values: Any) -> None:
    """Values and their types, and where there is no entry; the second time, too."""
    table = Table(kind, tuple(entries.items()), Input("asis"))
    lookup = KeptTable(table, Memo(Room()))
    column = from_values(list(values), StringTable())
    for _ in range(2):
        found, failed = lookup.at(column)
        for i, value in enumerate(values):
            try:
                expected = look_up(kind, dict(entries), value)
            except CapaxError:
                assert failed is not None
                assert failed[i]
            else:
                assert failed is None or not failed[i]
                assert repr(found.value(i)) == repr(expected)
