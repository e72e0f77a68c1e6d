"""The definition, at the ends of what it takes."""

import pytest

from capax.errors import CapaxError
from capax.rasp.reference import look_up


@pytest.mark.parametrize("kind", ["list", "string"])
def test_indices_count_from_both_ends(kind: str) -> None:
    """As in Python: from -size to size - 1, and nothing beyond."""
    entries = dict(enumerate("abc"))
    assert [look_up(kind, entries, i) for i in range(-3, 3)] == list("abcabc")
    for beyond in (-4, 3):
        with pytest.raises(CapaxError, match=f"index {beyond} is out of range for a {kind} of length 3") as caught:
            look_up(kind, entries, beyond)
        assert caught.value.code == "index-range"
        assert caught.value.hint == "keep the index between -3 and 2"
