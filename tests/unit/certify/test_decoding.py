"""Decoding: combinations that agree in all are looked at once."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax.certify import decoding, values
from capax.certify.certificate import at_length
from capax.certify.recheck import wanted_of
from capax.certify.values import IMPOSSIBLE, coded
from tests.perturbed import PROGRAMS, compiled


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_margin_is_that_of_all_combinations(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = compiled(name)
    wanted = wanted_of(made.model, made.program.node, causal=False)  # type: ignore[arg-type]
    length = made.model.max_length or 1
    found = at_length(made.model, wanted, "float32", length)
    monkeypatch.setattr(decoding, "MOST_KINDS", 0)
    assert at_length(made.model, wanted, "float32", length) == found
    assert found.length == length


@given(st.lists(st.one_of(st.floats(allow_nan=False), st.sampled_from([0.0, -0.0, 1.5, IMPOSSIBLE]))))
def test_floats_are_told_apart_at_once(given: list[Any]) -> None:
    slow = coded(given)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(values, "MANY", 1)
        fast = coded(given)
    for codes, listed in (slow, fast):
        back = [IMPOSSIBLE if c < 0 else listed[c] for c in codes.tolist()]
        assert [repr(v) for v in back] == [repr(v) for v in given]
        assert len({repr(v) for v in listed}) == len(listed)
