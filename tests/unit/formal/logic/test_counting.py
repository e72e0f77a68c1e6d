"""Counting logic: its meaning, word by word and in batches, and its nodes."""

import copy
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capax.formal.automata.dfa import words_up_to
from capax.formal.languages.brackets import brackets
from capax.formal.languages.catalogue import language
from capax.formal.logic.counting import (
    All,
    AtLeast,
    Counting,
    CountingLanguage,
    Negation,
    Symbol,
    both,
    counting_depth,
    counting_values,
    either,
)
from tests.support.counting_formulas import (
    anbn_formula,
    anbncn_formula,
    counting,
    holds,
    majority_formula,
    shuffle_dyck_formula,
)


@settings(max_examples=100, deadline=None)
@given(counting(atoms=True), st.lists(st.sampled_from("ab"), max_size=6).map(tuple))
def test_counting_follows_its_definition(formula: Counting, word: tuple[str, ...]) -> None:
    """At every position, and before the first; at an end marker no letter stands."""
    assert counting_values(formula, word) == [holds(formula, word, i) for i in range(len(word) + 1)]
    marked = CountingLanguage(formula, ("a", "b"), "end")
    assert marked.accepts(word) == holds(formula, (*word, ""), len(word) + 1)


@settings(max_examples=60, deadline=None)
@given(counting(atoms=True), counting(atoms=True))
def test_equal_formulas_are_one_object(one: Counting, other: Counting) -> None:
    """Also after a copy and a pickle; what is joined means what it says."""
    assert copy.deepcopy(one) is one
    assert pickle.loads(pickle.dumps(one)) is one
    for word in ("", "a", "abb", "baab"):
        first, second = (counting_values(part, word) for part in (one, other))
        assert counting_values(both([one, other]), word) == [x and y for x, y in zip(first, second, strict=True)]
        assert counting_values(either([one, other]), word) == [x or y for x, y in zip(first, second, strict=True)]


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


def test_deep_formulas_are_walked() -> None:
    """Deeper than Python's stack."""
    formula: Counting = Symbol("a")
    for _ in range(5_000):
        formula = Negation(formula)
    assert counting_values(formula, "ab") == [False, True, False]
    assert counting_depth(All((AtLeast(((1, AtLeast(((1, formula),), 1)),), 1), formula))) == 2
