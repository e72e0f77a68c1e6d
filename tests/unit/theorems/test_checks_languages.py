"""The check of a model that recognises a language."""

from capax import theorems
from capax.formal.automata.dfa import Dfa
from capax.formal.languages.catalogue import language
from capax.report import Report
from capax.theorems.checks import random_words, recognises


def test_a_wrong_model_is_found_out() -> None:
    """The check of recognition sees a model for another language, and a word is the counterexample."""
    one = Dfa(("0", "1"), ((0, 1), (1, 0)), 0, frozenset({1}))
    other = Dfa(("0", "1"), ((0, 1), (1, 1)), 0, frozenset({1}))
    model = theorems.theorem("parity").build(length=20, dtype="float64")
    assert recognises(model, one, 20).holds
    report: Report = recognises(model, other, 20)
    assert not report.holds
    assert report.counterexample is not None


def test_random_words_are_not_empty_and_meet_both_answers() -> None:
    """The words that models are tried on are inside and outside, for every named language."""
    for name in ("parity", "majority", "first", "dyck-2", "bounded-dyck-2-3", "shuffle-dyck-2", "mod-5"):
        thing = language(name)
        words = random_words(thing, 40, 60)
        assert all(words)
        assert {thing.accepts(word) for word in words} == {True, False}
