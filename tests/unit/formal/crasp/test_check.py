"""The checker refuses evidence that was changed."""

from dataclasses import replace

import pytest

from capax.formal.automata.regex import regex_dfa
from capax.formal.crasp.check import check_formula, check_obstruction, checked_length
from capax.formal.crasp.decide import decide_crasp
from capax.formal.crasp.machine import Atoms
from capax.formal.crasp.obstruction import Obstruction, obstruction
from capax.formal.logic.counting_text import parse_counting

DFA = regex_dfa(".*aa.*", "ab").minimal()


def shown() -> Obstruction:
    """The evidence that `.*aa.*` is outside."""
    evidence = obstruction(decide_crasp(DFA), "last")
    assert evidence is not None
    return evidence


CHANGES = {
    "a prefix that leads elsewhere": {"prefix": ("a", "a")},
    "a tail that tells nothing apart": {"tail": ("b",)},
    "an empty tail": {"tail": ()},
    "no identities": {"identities": ()},
    "a closed walk that is not closed": {"closed": (("a",), ("b",))},
    "fewer classes": {"classes": ((0,),)},
    "states of different classes": {"classes": ((0,), (1,))},
    "walks that leave": {"walks": ((0, ()), (1, ("a", "a")))},
}


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.replace(" ", "-"))
def test_changed_evidence_is_refused(change: str) -> None:
    """Every part of it matters."""
    assert check_obstruction(shown(), DFA).holds
    assert not check_obstruction(replace(shown(), **CHANGES[change]), DFA).holds  # type: ignore[arg-type]


def test_an_identity_that_does_not_hold_is_refused() -> None:
    """Each of them, with one multiple more."""
    evidence = shown()
    for at, one in enumerate(evidence.identities):
        wrong = replace(one, multiples=(*one.multiples, (0, 1)))
        changed = (*evidence.identities[:at], wrong, *evidence.identities[at + 1 :])
        assert not check_obstruction(replace(evidence, identities=changed), DFA).holds


def test_evidence_for_fewer_atoms_is_none_for_more() -> None:
    """A window of one letter tells the two states apart."""
    assert not check_obstruction(replace(shown(), atoms=Atoms(1)), DFA).holds


def test_a_wrong_formula_is_seen() -> None:
    """On a shortest word at which some position is wrong; a marker is a position of its own."""
    ends = regex_dfa(".*a", "ab").minimal()
    assert check_formula(parse_counting("a"), ends, "last").holds
    assert check_formula(parse_counting("a"), ends, "end").wrong == "the formula is wrong on a"
    assert check_formula(parse_counting("#[a] >= 1"), ends, "last").wrong is not None
    assert [checked_length(letters) for letters in (1, 2, 3)] == [60, 11, 7]
