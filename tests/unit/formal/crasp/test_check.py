"""The checker refuses evidence that was changed."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capax.errors import CapaxError
from capax.formal.automata.dfa import Dfa
from capax.formal.automata.random_regex import random_expressions
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
    assert check_formula(parse_counting("c"), ends, "last").wrong is not None


EVIDENCE = [
    (dfa, shown)
    for _, _, dfa in random_expressions(3, 40)
    for shown in (obstruction(decide_crasp(dfa), read) for read in ("last", "end"))  # type: ignore[arg-type]
    if shown is not None
]


@st.composite
def forged(draw: st.DrawFn) -> tuple[Dfa, Obstruction]:
    """Evidence with some parts changed, perhaps for the automaton of another language."""
    _, evidence = draw(st.sampled_from(EVIDENCE))
    dfa, other = draw(st.sampled_from(EVIDENCE))
    letters = st.lists(st.sampled_from([*dfa.alphabet, "?"]), max_size=3).map(tuple)
    number = st.integers(-2, 6)
    identities = list(evidence.identities)
    for at in draw(st.lists(st.integers(0, len(identities) - 1), max_size=2)) if identities else []:
        multiples = draw(st.lists(st.tuples(number, number), max_size=2).map(tuple))
        identities[at] = replace(identities[at], times=draw(number), multiples=multiples)
    changes = {
        "read": st.sampled_from(["last", "end", "first"]),
        "prefix": letters,
        "tail": letters,
        "closed": st.lists(letters, max_size=3).map(tuple),
        "classes": st.sampled_from([other.classes, (tuple(q for some in evidence.classes for q in some),)]),
        "walks": st.sampled_from([other.walks, evidence.walks[:-1]]),
        "identities": st.just(tuple(identities)),
        "first": number,
        "second": number,
    }
    chosen = draw(st.lists(st.sampled_from(sorted(changes)), min_size=1, max_size=3))
    return dfa, replace(evidence, **{name: draw(changes[name]) for name in chosen})


@settings(max_examples=150, deadline=None)
@given(forged())
def test_forged_evidence_never_shows_what_is_wrong(case: tuple[Dfa, Obstruction]) -> None:
    """It is refused without an exception, or the language is outside under the reading that it names."""
    dfa, evidence = case
    if check_obstruction(evidence, dfa).holds:
        assert not decide_crasp(dfa, evidence.atoms).holds(evidence.read)


def test_evidence_is_kept_as_json() -> None:
    """And read back; what is not evidence is refused."""
    assert Obstruction.from_json(json.loads(json.dumps(shown().to_json()))) == shown()
    for wrong in ({}, [], {**shown().to_json(), "first": "x"}, {**shown().to_json(), "walks": [3]}):
        with pytest.raises(CapaxError):
            Obstruction.from_json(wrong)


def test_a_language_inside_has_no_evidence_against_it() -> None:
    """The evidence of `.*a` at a marker, read at the last letter."""
    ends = regex_dfa(".*a", "ab").minimal()
    evidence = obstruction(decide_crasp(ends), "end")
    assert evidence is not None
    assert check_obstruction(evidence, ends).holds
    for tail in ((), ("a",), ("b",), ("a", "b")):
        assert not check_obstruction(replace(evidence, read="last", tail=tail), ends).holds
