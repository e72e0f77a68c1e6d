"""Counting logic and the criteria for C-RASP."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capax.formal.automata.dfa import Dfa, words_up_to
from capax.formal.automata.monoid import then, transition_monoid
from capax.formal.automata.regex import regex_dfa
from capax.formal.languages.brackets import brackets
from capax.formal.languages.catalogue import language
from capax.formal.logic.counting import (
    All,
    AtLeast,
    Counting,
    CountingLanguage,
    Negation,
    Symbol,
    counting_values,
)
from capax.formal.logic.crasp import crasp, memory
from capax.formal.logic.crasp_levels import level_formula
from capax.formal.logic.crasp_rest import restless
from tests.support.counting_formulas import anbn_formula, anbncn_formula, majority_formula, shuffle_dyck_formula
from tests.support.formal_objects import automata
from tests.support.outcomes import count_outcome, least_share


def counting() -> st.SearchStrategy[Counting]:
    """Random formulas over a and b."""
    atoms: st.SearchStrategy[Counting] = st.sampled_from("ab").map(Symbol)

    def larger(inner: st.SearchStrategy[Counting]) -> st.SearchStrategy[Counting]:
        term = st.tuples(st.integers(-2, 2), inner)
        return st.one_of(
            inner.map(Negation),
            st.lists(inner, max_size=2).map(lambda some: All(tuple(some))),
            st.builds(AtLeast, st.lists(term, max_size=2).map(tuple), st.integers(-1, 2)),
        )

    return st.recursive(atoms, larger, max_leaves=5)


def holds(formula: Counting, word: tuple[str, ...], i: int) -> bool:
    """The definition, word for word; position 0 is before the first symbol."""
    match formula:
        case Symbol(symbol):
            return i > 0 and word[i - 1] == symbol
        case Negation(one):
            return not holds(one, word, i)
        case All(parts):
            return all(holds(one, word, i) for one in parts)
        case AtLeast(terms, least):
            return sum(c * sum(holds(one, word, j) for j in range(1, i + 1)) for c, one in terms) >= least


@settings(max_examples=80, deadline=None)
@given(counting(), st.lists(st.sampled_from("ab"), max_size=6).map(tuple))
def test_counting_follows_its_definition(formula: Counting, word: tuple[str, ...]) -> None:
    """At every position, and before the first."""
    assert counting_values(formula, word) == [holds(formula, word, i) for i in range(len(word) + 1)]


@pytest.mark.parametrize(
    ("name", "formula"),
    [
        ("majority", majority_formula()),
        ("dyck-1", shuffle_dyck_formula(brackets(1))),
        ("shuffle-dyck-2", shuffle_dyck_formula(brackets(2))),
        ("anbn", anbn_formula()),
        ("anbncn", anbncn_formula()),
    ],
)
def test_named_languages_have_formulas(name: str, formula: Counting) -> None:
    """Which say the same on all short words: the verdicts on C-RASP rest on them."""
    named = language(name)
    counted = CountingLanguage(formula, named.alphabet)
    for word in words_up_to(named.alphabet, 9 if len(named.alphabet) == 2 else 6):
        assert counted.accepts(word) == named.accepts(word)


@settings(max_examples=80, deadline=None)
@given(automata(most=4))
def test_criteria_have_their_witnesses(dfa: Dfa) -> None:
    """Yes: a formula that agrees on all short words. No, without a group: words that show the memory."""
    monoid = transition_monoid(dfa)
    found = crasp(dfa, monoid)
    if found.holds:
        assert found.formula is not None
        counted = CountingLanguage(found.formula, dfa.alphabet)
        assert all(counted.accepts(word) == dfa.accepts(word) for word in words_up_to("ab", 7))
    shown = None if monoid.periodic() is not None else memory(monoid)
    assert (shown is not None) <= (found.holds is False)
    if shown is not None:
        first, second, last = (effect(dfa, word) for word in shown)
        assert shown[2]  # not the empty word
        some = [q for q in range(dfa.size) if then(first, last)[q] != then(second, last)[q]]
        assert some


def effect(dfa: Dfa, word: tuple[str, ...]) -> tuple[int, ...]:
    """What a word does to each state."""
    return tuple(Dfa(dfa.alphabet, dfa.delta, q, dfa.accepting).run(word) for q in range(dfa.size))


@least_share("restless", 0.1)
@least_share("levels", 0.03)
@settings(max_examples=80, deadline=None)
@given(automata(most=5))
def test_the_two_finer_criteria(dfa: Dfa) -> None:
    """Levels have a formula that is right; where the automaton is restless there is none, and the words show it."""
    least = dfa.minimal()
    levels, shown = level_formula(least), restless(least)
    assert levels is None or shown is None
    count_outcome("neither" if levels is None and shown is None else "levels" if levels is not None else "restless")
    if levels is not None:
        counted = CountingLanguage(levels, least.alphabet)
        assert all(counted.accepts(word) == least.accepts(word) for word in words_up_to(least.alphabet, 6))
    if shown is not None:
        first, second, last = (effect(least, word) for word in shown)
        assert then(first, last) != then(second, last)
        assert crasp(least, None).holds is False


@pytest.mark.parametrize("name", ["bounded-dyck-2-2", "bounded-dyck-3-2"])
def test_brackets_of_bounded_depth_have_levels(name: str) -> None:
    """The formula is right on all short words, and on words with one bracket changed."""
    named = language(name)
    assert named.automaton is not None
    formula = level_formula(named.automaton)
    assert formula is not None
    counted = CountingLanguage(formula, named.alphabet)
    assert all(counted.accepts(word) == named.accepts(word) for word in words_up_to(named.alphabet, 4))
    random = np.random.default_rng(0)
    for word in (named.sample(random, 12) for _ in range(60)):
        assert counted.accepts(word) == named.accepts(word)


@pytest.mark.parametrize(
    ("pattern", "alphabet", "shown"),
    [
        (".*aa.*", "ab", True),
        ("(a*b)*c", "abc", True),
        ("(ab)*", "ab", False),
        (".*a", "ab", False),
        ("a*b*", "ab", False),
    ],
)
def test_restless_automata_are_outside_c_rasp(pattern: str, alphabet: str, shown: bool) -> None:
    """Where closed ways span all numbers of letters, and more than the last letter matters."""
    assert (restless(regex_dfa(pattern, alphabet)) is not None) is shown


def test_deep_formulas_are_walked() -> None:
    """Deeper than Python's stack; beyond some size no formula is written."""
    formula: Counting = Symbol("a")
    for _ in range(5_000):
        formula = Negation(formula)
    assert counting_values(formula, "ab") == [False, True, False]
    long = crasp(regex_dfa("a{400,}"), None)
    assert long.holds
    assert long.formula is None
