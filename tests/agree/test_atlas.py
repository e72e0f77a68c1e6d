"""The atlas agrees with what capax builds and finds out: links run, monoids confirm facts, recognise says the same."""

from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import capax
from capax import limits, theorems
from capax.app.resolve import resolve
from capax.atlas.dataset import ATLAS
from capax.atlas.inference.infer import recognises
from capax.atlas.recognition.from_records import GIVEN, of_named, of_regular, region_of, with_regular
from capax.atlas.recognition.regular import regular_verdicts
from capax.formal.acceptance import READS, Read, marked, unordered_last_symbol
from capax.formal.automata.classification import Classification, classify
from capax.formal.automata.dfa import Dfa, is_partially_ordered
from capax.formal.automata.regex import regex_dfa
from capax.formal.languages.catalogue import language
from tests.support.formal_strategies import automata

LIMITS = sorted(
    {
        (name, tuple(sorted(parameters.items())))
        for record in (*ATLAS.claims, *ATLAS.remarks)
        for name, parameters in record.limits.items()
    }
)


@pytest.mark.parametrize(("name", "parameters"), LIMITS, ids=lambda value: str(value)[:60])
def test_every_limit_runs(name: str, parameters: tuple[tuple[str, Any], ...]) -> None:
    """The limit that a claim links to has numbers at the given sizes; one that measures is given a model of PARITY."""
    limit = limits.limit(name)
    model = theorems.theorem("parity").build(length=16)
    result = limit.run(model=model if limit.measures else None, **dict(parameters))
    assert result.quantities
    assert not result.vacuous or name == "sequential-composition", "which is silent at every physical size"


NAMES = {one.id for one in ATLAS.languages if one.catalogue}
PROGRAMS = [
    (claim.object, program.text, program.letters)
    for claim in ATLAS.claims
    if claim.object in NAMES
    for program in claim.programs
]


@pytest.mark.parametrize(("name", "text", "letters"), PROGRAMS, ids=[one[0] for one in PROGRAMS])
def test_every_program_says_what_is_in_the_language(name: str, text: str, letters: str) -> None:
    """On all words of at most seven letters, and compiled on those of at most five."""
    program = resolve(text).program
    known = language(next(one.catalogue for one in ATLAS.languages if one.id == name))
    words = ["".join(word) for size in range(1, 8) for word in product(letters, repeat=size)]
    truth = {word: known.accepts(tuple(word)) for word in words}
    assert set(truth.values()) == {True, False}
    assert [list(values)[-1] for values in program.batch(words)] == list(truth.values())
    compiled = capax.compile(program, alphabet=letters, max_length=5)
    short = [word for word in words if len(word) <= 5]
    assert [answers[-1] for answers in compiled.model.batch(short)] == [truth[word] for word in short]


def test_every_limit_is_linked() -> None:
    """From some claim or remark."""
    assert {name for name, _ in LIMITS} == set(limits.names())


def test_links_name_theorems_that_exist() -> None:
    """And every theorem about languages is linked from some claim."""
    linked = {name for record in (*ATLAS.claims, *ATLAS.remarks) for name in record.theorems}
    assert linked <= set(theorems.names())
    about = {"parity", "majority", "first", "dyck", "dyck1", "bounded-dyck", "shuffle-dyck", "ltl", "star-free"}
    assert about | {"log-depth", "modular-counters", "turing-machine", "turing-hash"} <= linked


def in_class(found: Classification, cls: str) -> bool | None:
    """What the monoid says of a class of the atlas; None for a class that it does not decide."""
    return {
        "R-trivial": found.partially_ordered,
        "R-trivial-last": unordered_last_symbol(found.dfa) is None,
        "L-trivial": is_partially_ordered(reversal(found.dfa)),
        "L-trivial-last": unordered_last_symbol(reversal(found.dfa)) is None,
        "FO-stutter": found.star_free and not stutters(found.dfa),
        "FO": found.star_free,
        "FO[MOD]": found.in_ac0,
        "AC0": found.in_ac0,
        "REG-SOLVABLE": found.solvable,
        "C-RASP": found.crasp.holds("last"),
        "C-RASP-end": found.crasp.holds("end"),
        "REG": True,
    }.get(cls)


def reversal(dfa: Dfa) -> Dfa:
    """The automaton of the mirror images, by sets of states."""
    start = frozenset(dfa.accepting)
    sets, order = {start: 0}, [start]
    rows = []
    for here in order:
        row = []
        for a in range(len(dfa.alphabet)):
            there = frozenset(q for q in range(dfa.size) if dfa.delta[q][a] in here)
            if there not in sets:
                sets[there] = len(order)
                order.append(there)
            row.append(sets[there])
        rows.append(tuple(row))
    return Dfa(dfa.alphabet, tuple(rows), 0, frozenset(k for s, k in sets.items() if dfa.start in s)).minimal()


def stutters(dfa: Dfa) -> bool:
    """Whether a symbol that is repeated in place may change whether a word is in the language."""
    least = dfa.minimal()
    return any(least.delta[after][a] != after for row in least.delta for a, after in enumerate(row))


REGEXES = {"(aa)*": ("(aa)*",), "LAST": (".*1", "01")}


def automaton_of(name: str) -> Dfa | None:
    """The automaton of a language of the atlas, if it is regular."""
    if name in REGEXES:
        return regex_dfa(*REGEXES[name])
    record = next(one for one in ATLAS.languages if one.id == name)
    return language(record.catalogue).automaton if record.catalogue else None


def test_facts_about_regular_languages_are_found_out() -> None:
    """Every fact that the monoid decides is as recorded, and every fact that is marked so is decided by it."""
    seen = 0
    for fact in ATLAS.memberships:
        automaton = automaton_of(fact.language)
        says = None if automaton is None else in_class(classify(automaton), fact.cls)
        assert says is None or says == fact.holds, fact.id
        assert says is not None or "computed by capax from the monoid" not in fact.note, fact.id
        seen += says is not None
    assert seen >= 15


@pytest.mark.parametrize("fact", [f for f in ATLAS.memberships if not f.holds and f.cls == "REG"], ids=lambda f: f.id)
def test_languages_that_are_not_regular_have_no_automaton(fact: Any) -> None:
    """The catalogue agrees."""
    assert automaton_of(fact.language) is None


def test_recognise_and_the_atlas_say_the_same_of_languages_with_a_name() -> None:
    """The records of a regular language decide what its automaton decides, for every kind of models."""
    for one in ATLAS.languages:
        automaton = automaton_of(one.id)
        both = product((automaton,), ("last", "end")) if automaton is not None else ()
        for told in (told for dfa, read in both for told in of_regular(classify(dfa), read)):
            answer = recognises(ATLAS, region_of(told.models, told.read), one.id)
            verdict = "no" if answer.verdict == "conditional" else answer.verdict
            assert (verdict, " and ".join(answer.assuming)) == (told.answer, told.assuming), (
                one.id,
                told.models,
                told.read,
            )


@given(automata(states=4, letters="ab"), st.sampled_from(list(READS)))
@settings(max_examples=40, deadline=None)
def test_recognise_says_what_the_atlas_says(dfa: Dfa, read: Read) -> None:
    """The verdicts on a random regular language are the atlas's, and the analysis of the monoid says the same."""
    found = classify(dfa)
    atlas = with_regular(found, read)
    for mine, told in zip(of_regular(found, read), regular_verdicts(found, read), strict=True):
        assert mine.read == told.read == read
        answer = recognises(atlas, region_of(mine.models, read), GIVEN)
        assert mine.answer == ("no" if answer.verdict == "conditional" else answer.verdict)
        assert (mine.answer, mine.assuming) == (told.answer, told.assuming), mine.models
        assert bool(mine.by) == (mine.answer != "unknown")


@given(automata(states=4, letters="ab"))
@settings(max_examples=25, deadline=None)
def test_an_end_marker_is_a_last_symbol(dfa: Dfa) -> None:
    """What is said of a language that is read at an end marker is said of the words with markers at the last symbol."""
    found, with_markers = classify(dfa), classify(marked(dfa))
    mine, theirs = (
        {told.models: (told.answer, told.assuming) for told in verdicts}
        for verdicts in (of_regular(found, "end"), of_regular(with_markers, "last"))
    )
    assert mine == theirs


@pytest.mark.parametrize("read", READS)
@pytest.mark.parametrize(
    "name", ["majority", "dyck-1", "dyck-2", "shuffle-dyck-2", "anbn", "anbncn", "palindrome", "copy"]
)
def test_recognise_names_records(name: str, read: Read) -> None:
    """Every verdict on a named language that is not unknown names records of the atlas."""
    known = {r.id for r in (*ATLAS.claims, *ATLAS.inclusions, *ATLAS.memberships, *ATLAS.hardness, *ATLAS.variants)}
    known |= {one.id for one in ATLAS.conjectures}
    for verdict in of_named(language(name), read):
        assert bool(verdict.by) == (verdict.answer != "unknown")
        assert set(verdict.by) <= known


@pytest.mark.parametrize("name", ["word-problem-s5", "word-problem-a5"])
def test_groups_that_are_not_solvable(name: str) -> None:
    """No constant depth, assuming TC0 != NC1; logarithmic depth and steps of thought do it."""
    automaton = language(name).automaton
    assert automaton is not None
    found = {verdict.models: (verdict.answer, verdict.assuming) for verdict in of_regular(classify(automaton))}
    assert ("no", "TC0 != NC1") in found.values()
    assert [answer for answer, _ in found.values()][-2:] == ["yes", "yes"]
