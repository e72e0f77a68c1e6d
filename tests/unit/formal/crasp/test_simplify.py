"""Shorter formulas mean the same."""

import pytest
from hypothesis import given, settings

from capax.formal.automata.dfa import words_up_to
from capax.formal.crasp.simplify import simplified
from capax.formal.logic.counting import Counting, counting_depth, counting_subformulas, counting_values
from capax.formal.logic.counting_text import counting_printed, parse_counting
from tests.support.counting_formulas import counting

WORDS = list(words_up_to("ab", 4))


@pytest.mark.parametrize(
    ("given_text", "text"),
    [
        ("a & #[a] >= 1", "'a'"),
        ("a & !b & (b | #[b] >= 1)", "'a' & (#['b'] >= 1)"),
        ("#[a] >= 1 & #[a] >= 2", "#['a'] >= 2"),
        ("#[a] >= 2 & #[a] <= 1", "false"),
        ("2*#[a] - 2*#[b] >= 1", "#['a'] - #['b'] >= 1"),
        ("#[(a & #[b] >= 2) | (b & #[b] >= 2)] >= 1", "#[#['b'] >= 2] >= 1"),
        ("a | (a & #[b] >= 1)", "'a'"),
        ("#[a & b] >= 0", "true"),
    ],
)
def test_formulas_become_shorter(given_text: str, text: str) -> None:
    """By each of the rules."""
    assert counting_printed(simplified(parse_counting(given_text), "ab", marker=False)) == text


@settings(max_examples=150, deadline=None)
@given(counting(atoms=True, leaves=8))
def test_the_meaning_is_kept(formula: Counting) -> None:
    """At every position, also before the first letter; and at an end marker, where it may be read there."""
    plain, marked = (simplified(formula, "ab", marker=marker) for marker in (False, True))
    for word in WORDS:
        assert counting_values(plain, word) == counting_values(formula, word)
        assert counting_values(marked, (*word, "")) == counting_values(formula, (*word, ""))
    for one in (plain, marked):
        assert counting_depth(one) <= counting_depth(formula)
        assert len(counting_subformulas(one)) <= len(counting_subformulas(formula))
