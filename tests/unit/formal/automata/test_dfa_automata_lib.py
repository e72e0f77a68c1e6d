"""Automata accept the same words in automata-lib, and come back from it as themselves."""

from automata.fa.dfa import DFA
from automata.fa.nfa import NFA
from hypothesis import given, settings

from capax.formal.automata.dfa import Dfa, words_up_to
from capax.formal.automata.regex import regex_dfa
from tests.support.automata_lib import from_automata_lib, to_automata_lib
from tests.support.formal_objects import automata


@settings(max_examples=40, deadline=None)
@given(automata(most=5))
def test_an_automaton_comes_back(dfa: Dfa) -> None:
    """As itself; over there it accepts the same words."""
    other = to_automata_lib(dfa)
    assert from_automata_lib(other) == dfa
    assert all(other.accepts_input("".join(word)) == dfa.accepts(word) for word in words_up_to("ab", 4))


def test_automata_with_missing_moves() -> None:
    """Are completed."""
    partial = DFA.from_nfa(NFA.from_regex("ab*", input_symbols={"a", "b"}))
    assert from_automata_lib(partial) == regex_dfa("ab*")
