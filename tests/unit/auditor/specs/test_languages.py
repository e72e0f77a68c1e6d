"""Machines of languages decide the languages, and next letters are those with which a word can go on."""

from itertools import product

import pytest

from capax.auditor.spec import NOWHERE
from capax.auditor.specs.languages import of_dfa, of_language, of_next_letters
from capax.errors import CapaxError
from capax.formal.automata.regex import regex_dfa
from capax.formal.languages.catalogue import language

NAMES = ("majority", "parity", "dyck-1", "dyck-2", "bounded-dyck-1-2", "shuffle-dyck-2", "anbn", "anbncn", "tomita-3")


@pytest.mark.parametrize("name", NAMES)
def test_states_decide_the_language(name: str) -> None:
    """On all words of up to 6 letters, against the definition."""
    known = language(name)
    spec = of_language(known)
    assert spec.states is not None
    assert spec.answers == (False, True)
    states, longest = spec.states(6), 6 if len(spec.letters) == 2 else 5
    for n in range(1, longest + 1):
        for word in product(spec.letters, repeat=n):
            state = states.after([spec.number[x] for x in word])
            assert spec.answers[states.answer[state]] == known.accepts(word)
            assert spec.answers_of([word])[0][-1] == known.accepts(word)


def test_a_language_without_a_machine_is_decided_word_by_word() -> None:
    """Palindromes have no states, and too many states are refused."""
    spec = of_language(language("palindrome"))
    assert spec.states is None
    assert spec.answers_of([("a", "b", "a")]) == [[True, False, True]]
    stacks = of_language(language("dyck-2")).states
    assert stacks is not None
    with pytest.raises(CapaxError, match="states"):
        stacks(40)


def test_next_letters() -> None:
    """After a beginning of a word the answer is what may follow; other words are not asked about."""
    dfa = regex_dfa("(ab)*", "ab").minimal()
    spec = of_next_letters(dfa, "next of (ab)*", "$")
    assert spec.answers_of([("a", "b", "b")]) == [[frozenset("b"), frozenset("a$"), None]]
    assert spec.states is not None
    states = spec.states(3)
    assert states.after([1]) == NOWHERE
    assert [states.count(n) for n in (1, 2, 3)] == [1, 1, 1]


def test_an_automaton_answers_for_every_prefix() -> None:
    """The states of a specification from an automaton are those of the automaton."""
    spec = of_dfa(regex_dfa(".*11.*", "01").minimal(), "contains 11")
    assert spec.answers_of([tuple("0110")]) == [[False, False, True, True]]
