"""The exact analysis gives the classes that the literature has."""

from functools import cache

import pytest

from capax.atlas.recognition.regular import regular_verdicts
from capax.atlas.recognition.verdict import ASSUMPTION, CONSTANT, FIXED, MASKED, MASKED_MOD
from capax.formal.automata.classification import Classification, classify
from capax.formal.automata.regex import regex_dfa
from capax.formal.languages.catalogue import language
from tests.support.known_languages import KNOWN, Known


@cache
def classes(known: Known) -> Classification:
    """The analysis of a known language."""
    dfa = regex_dfa(known.text, known.alphabet) if known.alphabet else language(known.text).automaton
    assert dfa is not None
    return classify(dfa)


@pytest.mark.parametrize("known", KNOWN, ids=lambda known: f"{known.text}-{known.alphabet}")
def test_a_known_language_has_its_classes(known: Known) -> None:
    """Every class that is claimed, and those that follow."""
    assert known.source
    found = classes(known)
    assert (found.star_free, found.in_ac0, found.solvable) == (known.star_free, known.in_ac0, known.solvable)
    for claimed, got in (
        (known.ordered, found.partially_ordered),
        (known.piecewise, found.piecewise_testable),
        (known.two_variable, found.two_variable),
        (known.c_rasp, found.crasp.holds("last")),
    ):
        assert claimed is None or got is claimed
    assert not found.piecewise_testable or found.partially_ordered
    assert not found.partially_ordered or found.two_variable
    assert not found.two_variable or found.star_free
    assert not found.crasp.holds("last") or found.star_free
    assert not found.crasp.holds("end") or found.crasp.holds("last")
    assert not found.partially_ordered or found.crasp.holds("end")


@pytest.mark.parametrize("known", KNOWN, ids=lambda known: f"{known.text}-{known.alphabet}")
def test_verdicts_follow_from_the_classes(known: Known) -> None:
    """Each with a source; the one that needs a conjecture says so."""
    verdicts = {verdict.models: verdict for verdict in regular_verdicts(classes(known), read="end")}
    assert all(verdict.source and verdict.because for verdict in verdicts.values())
    assert verdicts[MASKED].answer == ("yes" if known.star_free else "no")
    assert verdicts[MASKED_MOD].answer == ("yes" if known.in_ac0 else "no")
    assert verdicts[CONSTANT].answer == ("yes" if known.solvable else "no")
    assert verdicts[CONSTANT].assuming == ("" if known.solvable else ASSUMPTION)
    if known.ordered is not None:
        assert verdicts[FIXED].answer == ("yes" if known.ordered else "no")


def test_there_are_enough() -> None:
    """At least 30 languages, of every kind."""
    assert len({(known.text, known.alphabet) for known in KNOWN}) == len(KNOWN) >= 30
