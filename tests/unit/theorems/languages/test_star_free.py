"""Automata without groups, by a cascade of resets."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from capax.formal.automata.cascade import HasGroupError, cascade
from capax.formal.automata.dfa import Dfa
from capax.formal.automata.regex import regex_dfa
from capax.theorems.languages.star_free import by_resets
from tests.support.all_words import disagreement, right_along
from tests.support.formal_strategies import automata
from tests.support.outcomes import count_outcome, least_share

LONG = st.lists(st.integers(0, 2), min_size=30, max_size=80)


@least_share("a model", 0.3)
@settings(max_examples=50)
@given(automata(), st.sampled_from(["hard", "softmax"]), LONG)
@example(regex_dfa("(a(a(ab)*b)*b)*", "ab"), "softmax", [0] * 30)
def test_automata_without_groups_by_resets(dfa: Dfa, attention: str, numbers: list[int]) -> None:
    """All short words and every place of a longer one; a group is refused."""
    try:
        levels = len(cascade(dfa).levels)
    except HasGroupError:
        with pytest.raises(HasGroupError):
            by_resets(dfa, attention, 80, "float64")
        count_outcome("a group")
        return
    count_outcome("a model")
    model = by_resets(dfa, attention, 80, "float64")
    assert model.size.heads == (1,) * levels
    assert disagreement(model, dfa.accepts, dfa.alphabet, 8 if len(dfa.alphabet) < 3 else 5) is None
    assert right_along(model, dfa, numbers)
