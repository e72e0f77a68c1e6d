"""Languages with end markers, and before their last symbol."""

from hypothesis import given, settings

from capax.formal.acceptance import before_last, end_marker, marked, unordered_last_symbol
from capax.formal.automata.dfa import Dfa, is_partially_ordered, words_up_to
from capax.formal.automata.regex import regex_dfa
from tests.support.formal_strategies import automata


def test_a_marker_is_no_symbol() -> None:
    """Dollars, as many as it takes."""
    assert [end_marker(alphabet) for alphabet in ("ab", "a$", ("$", "$$"))] == ["$", "$$", "$$$"]


@given(automata(states=4, letters="ab"))
@settings(max_examples=60, deadline=None)
def test_marked_and_shifted_languages_by_definition(dfa: Dfa) -> None:
    """A word with one marker at its end is in the marked language if the word is; a quotient adds its symbol."""
    with_marker = marked(dfa)
    marker = with_marker.alphabet[-1]
    for word in words_up_to(dfa.alphabet, 4):
        assert with_marker.accepts([*word, marker]) == dfa.accepts(word)
        assert not with_marker.accepts(word)
        assert not with_marker.accepts([*word, marker, marker])
        for symbol in dfa.alphabet:
            assert before_last(dfa, symbol).accepts(word) == dfa.accepts([*word, symbol])


@given(automata(states=4, letters="ab"))
@settings(max_examples=60, deadline=None)
def test_a_marker_is_the_last_symbol_before_which_the_language_stands(dfa: Dfa) -> None:
    """So a marked language is ordered before its last symbol exactly if the language is ordered."""
    assert (unordered_last_symbol(marked(dfa)) is None) == is_partially_ordered(dfa.minimal())
    if is_partially_ordered(dfa.minimal()):
        assert unordered_last_symbol(dfa) is None


def test_known_languages_read_before_the_end() -> None:
    """The last symbol is seen; the one before it is not."""
    assert unordered_last_symbol(regex_dfa(".*a", "ab")) is None
    assert unordered_last_symbol(regex_dfa(".*ab", "ab")) == "b"
    assert unordered_last_symbol(regex_dfa("(ab)*")) == "b"
