"""Automata whose groups only count positions."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from capax.formal.automata.classification import classify
from capax.formal.automata.dfa import Dfa
from capax.formal.automata.regex import regex_dfa
from capax.theorems.languages import periodic_positions
from tests.support.all_words import disagreement, right_along
from tests.support.formal_strategies import automata

LONG = st.lists(st.integers(0, 2), min_size=30, max_size=80)


@settings(max_examples=60, deadline=None)
@given(automata(), LONG)
@example(regex_dfa("((aa)*b)*"), [0] * 31)
@example(regex_dfa("(aa|bb)*"), [0, 0, 1, 1] * 10)
def test_groups_that_count_places(dfa: Dfa, numbers: list[int]) -> None:
    """Where there is a route the language is in AC0, and the model right on all short words and along a long one."""
    least = dfa.minimal()
    for route in periodic_positions.routes(least, 20):
        found = classify(least)
        assert found.in_ac0
        assert not found.star_free
        model = route.build()
        assert disagreement(model, least.accepts, least.alphabet, 8 if len(least.alphabet) < 3 else 5) is None
        assert right_along(model, least, numbers)


@pytest.mark.parametrize("pattern", ["(aa)*", "(aaaa)*", "((a|b){3})*", "(abab)*", "(aa|bb)*", "((aa)*b)*"])
def test_known_languages_have_a_period(pattern: str) -> None:
    """Those of the literature that are in AC0 and not star-free; parity has none."""
    assert len(list(periodic_positions.routes(regex_dfa(pattern), 20))) == 1
    assert not list(periodic_positions.routes(regex_dfa("(b|ab*a)*"), 20))
