"""Formulas of counting logic as text."""

import pytest
from hypothesis import given, settings

from capax.errors import CapaxError
from capax.formal.logic.counting import Counting, LetterBefore, Residue, counting_values
from capax.formal.logic.counting_text import counting_printed, parse_counting
from tests.support.counting_formulas import counting


@settings(max_examples=150, deadline=None)
@given(counting())
def test_printed_formulas_are_read_back(formula: Counting) -> None:
    """They mean the same on all words of up to 4 letters."""
    again = parse_counting(counting_printed(formula))
    for word in ("aaaa", "abab", "abba", "bbab", "baaa", "bbbb"):
        assert counting_values(again, word) == counting_values(formula, word)


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("#[a] > #[b]", "#['a'] - #['b'] >= 1"),
        ("#<[a] <= 2", "#['a'] <= 2"),
        ("P a & H b", "(#['a'] >= 1) & (#[!'b'] <= 0)"),
        ("a | !b", "'a' | !'b'"),
        ("false", "false"),
    ],
)
def test_a_text_is_read(text: str, printed: str) -> None:
    """As C-RASP means it: counts up to here."""
    assert counting_printed(parse_counting(text)) == printed


@pytest.mark.parametrize("text", ["#>[a] >= 1", "a S b", "{i % 2 = 0} & a", "#[a]", "a &"])
def test_what_counting_logic_lacks_is_an_error(text: str) -> None:
    """Counts to the right, other operators, predicates, and what cannot be read."""
    with pytest.raises(CapaxError) as caught:
        parse_counting(text)
    assert caught.value.code == "bad-formula"


def test_atoms_are_printed() -> None:
    """Local and periodic ones."""
    assert counting_printed(LetterBefore("a", 2)) == "'a'[-2]"
    assert counting_printed(Residue(3, 1)) == "pos % 3 == 1"
