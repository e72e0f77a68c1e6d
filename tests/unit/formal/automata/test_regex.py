"""Regular expressions and their automata, against Python's `re`, automata-lib and sets of words."""

import re

import pytest
from automata.fa.dfa import DFA
from automata.fa.nfa import NFA
from hypothesis import example, given, settings
from hypothesis import strategies as st

from capax import CapaxError
from capax.formal.automata import nfa
from capax.formal.automata.dfa import Dfa, words_up_to
from capax.formal.automata.regex import parse_regex, regex_dfa
from tests.support.formal_objects import automata, regexes

WORDS = [*words_up_to("ab", 8)]
SHORT = [*words_up_to("ab", 5)]


@settings(max_examples=60, deadline=None)
@given(regexes("ab"))
@example("(a|b)*a(a|b){2}")
@example("(){2,}")
@example("((a){0}){2,}")
@example("(a+)?b{2}")
def test_the_automaton_of_an_expression_is_that_of_python(text: str) -> None:
    """On all words up to length 8."""
    dfa, pattern = regex_dfa(text, "ab"), re.compile(text)
    for word in WORDS:
        assert dfa.accepts(word) == bool(pattern.fullmatch("".join(word))), (text, word)


@settings(max_examples=40, deadline=None)
@given(regexes("ab").filter(lambda text: not any(sign in text for sign in ("[^", ".", "{0}"))))
def test_the_automaton_is_as_small_as_that_of_automata_lib(text: str) -> None:
    """Both are minimal and complete, so they have the same number of states; it reads x{0} as x{0,1}."""
    other = DFA.from_nfa(NFA.from_regex(text, input_symbols={"a", "b"}), minify=True).to_complete()
    assert regex_dfa(text, "ab").size == len(other.minify().to_complete().states)


@settings(max_examples=40, deadline=None)
@given(regexes("ab"), regexes("ab"))
def test_both_and_other(one: str, other: str) -> None:
    """`&` and `~` are intersection and complement of the sets of words, also inside an expression."""
    first, second = regex_dfa(one, "ab"), regex_dfa(other, "ab")
    both, rest = regex_dfa(f"({one})&({other})", "ab"), regex_dfa(f"~({one})", "ab")
    after = regex_dfa(f"(~({one}))b", "ab")
    for word in SHORT:
        assert both.accepts(word) == (first.accepts(word) and second.accepts(word))
        assert rest.accepts(word) != first.accepts(word)
        assert after.accepts((*word, "b")) != first.accepts(word)


@settings(max_examples=80, deadline=None)
@given(automata(most=6), automata(most=6))
def test_a_difference_is_a_shortest_word(one: Dfa, other: Dfa) -> None:
    """On which the two disagree; there is none exactly if the minimal automata are the same value."""
    found = one.difference(other)
    assert (found is None) == (one == other)
    if found is not None:
        assert one.accepts(found) != other.accepts(found)
        assert all(one.accepts(w) == other.accepts(w) for w in words_up_to("ab", min(len(found) - 1, 7)))


@settings(max_examples=60, deadline=None)
@given(automata(most=5), automata(most=5), st.sampled_from([0, 1, 2]))
def test_combined_automata(one: Dfa, other: Dfa, way: int) -> None:
    """Union, intersection and difference of sets of words."""
    keep = (lambda a, b: a or b, lambda a, b: a and b, lambda a, b: a and not b)[way]
    found = one.combined(other, keep)
    for word in SHORT:
        assert found.accepts(word) == keep(one.accepts(word), other.accepts(word))


def test_classes_and_escapes() -> None:
    """Ranges, other letters, none, and signs as letters."""
    assert regex_dfa("[a-c]", "abcd").accepts("b")
    assert not regex_dfa("[^a-c]", "abcd").accepts("b")
    assert regex_dfa("[]|a", "ab").equivalent(regex_dfa("a", "ab"))
    assert regex_dfa(r"\(\)*").accepts("())")
    assert regex_dfa(r"[\]x]").accepts("]")
    assert regex_dfa("a&b", "ab").shortest() is None
    assert regex_dfa(".*", "ab").size == 1


def test_a_word_outside_the_alphabet_is_an_error() -> None:
    """With the place of the symbol."""
    with pytest.raises(CapaxError, match="'c' at position 2"):
        regex_dfa("(ab)*").accepts("abc")
    with pytest.raises(CapaxError, match="'c', which is not in the alphabet"):
        regex_dfa("abc", "ab")


@pytest.mark.parametrize("text", ["(a|b)*a(a|b){30}", "(a{500}){500}", "~((a|b)*a(a|b){30})"])
def test_what_is_too_large_is_refused_soon(text: str) -> None:
    """By the budget of states."""
    with pytest.raises(CapaxError) as raised:
        regex_dfa(text)
    assert raised.value.code == "too-large"


def test_brackets_that_are_too_deep_are_refused() -> None:
    """Before Python's own stack is full."""
    with pytest.raises(CapaxError) as raised:
        parse_regex("(" * 5000 + "a" + ")" * 5000)
    assert raised.value.code == "bad-regex"


def test_many_alternatives_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of words are read quickly; what would take too long is refused."""
    words = "|".join(format(number, "b").replace("0", "a").replace("1", "b") for number in range(4000))
    assert regex_dfa(words).accepts("bab")
    assert not regex_dfa(words).accepts("abba")
    monkeypatch.setattr(nfa, "MOST_WORK", 1000)
    with pytest.raises(CapaxError) as raised:
        regex_dfa(words)
    assert raised.value.code == "too-large"
