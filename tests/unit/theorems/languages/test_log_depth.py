"""Automata by doubling, and what the constructions of automata refuse."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capax.errors import CapaxError
from capax.formal.automata.dfa import Dfa
from capax.formal.automata.regex import regex_dfa
from capax.formal.languages.catalogue import language
from capax.model.run.reference import define
from capax.theorems.checks import LANGUAGES, recognises
from capax.theorems.languages.log_depth import by_doubling, layers_for
from capax.theorems.languages.modular_counters import by_counts
from capax.theorems.languages.parts.automata.map_codes import MOST_ELEMENTS, elements
from capax.theorems.languages.solvable_group import by_steps
from capax.theorems.languages.star_free import by_resets
from tests.support.all_words import disagreement, right_along
from tests.support.formal_strategies import automata
from tests.support.outcomes import count_outcome, least_share

LONG = st.lists(st.integers(0, 2), min_size=30, max_size=80)


def counter(p: int) -> Dfa:
    """The automaton that counts letters modulo p."""
    return Dfa(("a",), tuple(((q + 1) % p,) for q in range(p)), 0, frozenset({0}))


@least_share("a model", 0.8)
@settings(max_examples=20)
@given(automata(), st.sampled_from(["states", "monoid", "shorter"]), st.sampled_from(["softmax", "average-hard"]), LONG)
def test_any_automaton_by_doubling(dfa: Dfa, form: str, attention: str, numbers: list[int]) -> None:
    """All words up to length 5 or 8, and every place of a longer one, in ceil(log2 N) layers of one head."""
    if form == "monoid" and elements(dfa, MOST_ELEMENTS) is None:
        with pytest.raises(CapaxError, match="needs more than"):
            by_doubling(dfa, form, "softmax", 80, "float64")
        count_outcome("too many elements")
        return
    count_outcome("a model")
    model = by_doubling(dfa, form, attention, 80, "float64")  # type: ignore[arg-type]
    assert disagreement(model, dfa.accepts, dfa.alphabet, 8 if len(dfa.alphabet) < 3 else 5) is None
    assert right_along(model, dfa, numbers)
    assert model.size.heads == (1,) * 7


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 8, 9, 31, 32, 33])
def test_the_layers_reach_the_first_letter(length: int) -> None:
    """The word's first letter is seen from its last, and one layer less does not see it."""
    dfa = regex_dfa("a.*", "ab")
    for layers in (layers_for(length), layers_for(length) - 1):
        if layers >= 0:
            model = by_doubling(dfa, "states", "average-hard", length, "float64", layers)
            first = [model([symbol] + ["b"] * (length - 1))[-1] for symbol in "ab"]
            assert (first == [True, False]) == (layers == layers_for(length))


@pytest.mark.deep
@pytest.mark.parametrize("name", ["word-problem-s5", "word-problem-a5", "bounded-dyck-2-3"])
def test_larger_automata_by_doubling(name: str) -> None:
    """A hundred states: one bit for each element of the group, or for each pair of states."""
    dfa = language(name).automaton
    assert dfa is not None
    report = recognises(
        by_doubling(dfa, "shorter", "softmax", 100, "float64"),
        dfa,
        100,
        trials=replace(LANGUAGES, every=100, samples=12),
    )
    assert report.holds, str(report)


def test_the_definition_agrees() -> None:
    """The slow definition of a model, on a word for each construction."""
    dfa = regex_dfa("(ab|ba)*", "ab")
    even = language("tomita-5").automaton
    turns = language("word-problem-d4").automaton
    assert even is not None
    assert turns is not None
    for model, word in (
        (by_doubling(dfa, "states", "softmax", 8, "float64"), "abbaabba"),
        (by_resets(dfa, "softmax", 8, "float64"), "abbaabba"),
        (by_counts(even, "softmax", 8, "float64"), "01101001"),
        (by_steps(turns, "softmax", 8, "float64"), "abababab"),
    ):
        assert [row[0] > 0.5 for row in define(model, word)] == model(word)
        assert model(word)[-1]


def test_what_is_refused() -> None:
    """A group for resets, letters that do not commute for counters, too many states, float32 beyond its integers."""
    group, hard = language("word-problem-s3").automaton, language("word-problem-a5").automaton
    assert group is not None
    assert hard is not None
    for build in (
        lambda: by_resets(group, "hard", 9, "float64"),
        lambda: by_counts(group, "softmax", 9, "float64"),
        lambda: by_steps(regex_dfa("(ab)*"), "softmax", 9, "float64"),
        lambda: by_steps(hard, "softmax", 9, "float64"),
        lambda: by_steps(group, "softmax", 1_001, "float32"),
        lambda: by_doubling(group, "states", "softmax", 5_000, "float32"),
        lambda: by_counts(counter(1_001), "softmax", 9, "float32"),
        lambda: by_doubling(counter(40), "states", "softmax", 9, "float64"),
    ):
        with pytest.raises(CapaxError):
            build()
