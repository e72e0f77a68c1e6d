"""The decision, held against known languages, its own consequences, and evidence that another module checks."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from capax.errors import CapaxError
from capax.formal.acceptance import before_last, marked
from capax.formal.automata.dfa import Dfa, words_up_to
from capax.formal.automata.random_regex import random_expressions
from capax.formal.automata.regex import regex_dfa
from capax.formal.crasp.check import check_formula, check_obstruction
from capax.formal.crasp.decide import Reading, decide_crasp
from capax.formal.crasp.finite_part import finite_part, why_not_finite
from capax.formal.crasp.formula import crasp_formula
from capax.formal.crasp.machine import Atoms
from capax.formal.crasp.obstruction import crasp_reason, obstruction
from capax.formal.languages.catalogue import language
from capax.formal.logic.counting import AtLeast, Counting, CountingLanguage, counting_values
from tests.support.counting_formulas import counting
from tests.support.formal_objects import automata
from tests.support.outcomes import count_outcome, least_share

READINGS: tuple[Reading, ...] = ("last", "end")


def inside(dfa: Dfa) -> list[Reading]:
    """The readings under which a language is in C-RASP."""
    return [read for read in READINGS if decide_crasp(dfa).holds(read)]


@pytest.mark.parametrize(
    ("regex", "alphabet", "last", "end"),
    [
        (".*a", "ab", True, False),
        ("(a*c)*", "ac", True, False),
        ("a.*b", "ab", True, False),
        ("(a|b)*c", "abc", True, True),
        ("(ab)*", "ab", True, True),
        ("(ab|ba)*", "ab", True, True),
        ("(ab)*(ba)*", "ab", True, True),
        ("(ab)*b.*", "ab", True, True),
        (".*aa", "ab", False, False),
        (".*aa.*", "ab", False, False),
        ("(aa)*", "ab", False, False),
        (".*be*", "abe", False, False),
        ("(b*ab*a)*b*", "ab", False, False),
        ("(ab|aabb)*", "ab", False, False),
        ("(ab|bba)*", "ab", False, False),
        ("(cab|c)*", "abc", False, False),
    ],
)
def test_known_languages_are_decided(regex: str, alphabet: str, last: bool, end: bool) -> None:
    """Read at the last letter, and at an end marker."""
    decision = decide_crasp(regex_dfa(regex, alphabet).minimal())
    assert (decision.holds("last"), decision.holds("end")) == (last, end)


@pytest.mark.parametrize(
    ("regex", "alphabet", "window", "modulus", "last"),
    [
        (".*aa", "ab", 1, 1, True),
        (".*aa.*", "ab", 1, 1, True),
        (".*aba", "ab", 1, 1, False),
        (".*aba", "ab", 2, 1, True),
        ("(aa)*", "a", 0, 2, True),
        ("((a|b)(a|b))*a", "ab", 0, 2, True),
        (".*be*", "abe", 2, 2, False),
        ("(b*ab*a)*b*", "ab", 2, 2, False),
    ],
)
def test_atoms_add_languages(regex: str, alphabet: str, window: int, modulus: int, last: bool) -> None:
    """Local and periodic ones; PARITY and the flip-flop stay outside."""
    assert decide_crasp(regex_dfa(regex, alphabet).minimal(), Atoms(window, modulus)).holds("last") == last


@pytest.mark.parametrize("name", ["bounded-dyck-2-2", "bounded-dyck-3-2"])
def test_brackets_of_bounded_depth_are_inside(name: str) -> None:
    """By several rounds; the formula is right on random words with one bracket changed."""
    named = language(name)
    assert named.automaton is not None
    decision = decide_crasp(named.automaton.minimal())
    assert decision.rounds > 1
    for read in READINGS:
        formula = crasp_formula(decision, read)
        assert formula is not None
        counted = CountingLanguage(formula, named.alphabet, read)
        random = np.random.default_rng(0)
        for word in (named.sample(random, 12) for _ in range(40)):
            assert counted.accepts(word) == named.accepts(word)


def evidence_is_right(dfa: Dfa, atoms: Atoms) -> str:
    """Checks the evidence of both readings, and says what it is."""
    decision = decide_crasp(dfa, atoms)
    for read in READINGS:
        formula, shown = crasp_formula(decision, read), obstruction(decision, read)
        assert (formula is None) == (shown is not None) == (not decision.holds(read))
        if formula is not None:
            assert check_formula(formula, dfa, read, 7 if len(dfa.alphabet) < 3 else 5).wrong is None
        else:
            assert shown is not None
            assert check_obstruction(shown, dfa).wrong is None
            one, other = shown.words(3)
            assert dfa.accepts(one) != dfa.accepts(other)
    return "both" if decision.holds("end") else "last" if decision.holds("last") else "out"


@least_share("both", 0.1)
@least_share("out", 0.1)
@settings(max_examples=120, deadline=None)
@given(automata(letters="ab", most=6))
def test_every_automaton_has_its_evidence(dfa: Dfa) -> None:
    """A formula that is right on all short words, or words and identities that hold."""
    count_outcome(evidence_is_right(dfa, Atoms()))


@settings(max_examples=40, deadline=None)
@given(automata(letters="ab", most=4), st.sampled_from([Atoms(1), Atoms(2), Atoms(0, 2), Atoms(1, 2), Atoms(0, 3)]))
def test_evidence_with_atoms(dfa: Dfa, atoms: Atoms) -> None:
    """The same, with windows and residues; and more atoms lose no language."""
    evidence_is_right(dfa, atoms)
    plain, more = decide_crasp(dfa), decide_crasp(dfa, atoms)
    assert all(more.holds(read) for read in READINGS if plain.holds(read))


@settings(max_examples=100, deadline=None)
@given(automata(letters="ab", most=6))
def test_the_two_readings_follow_from_each_other(dfa: Dfa) -> None:
    """At a marker means: with markers. At the last letter means: before each last letter, at a marker."""
    decision = decide_crasp(dfa)
    assert decide_crasp(marked(dfa)).holds("last") == decision.holds("end")
    before = [decide_crasp(before_last(dfa, letter)).holds("end") for letter in dfa.alphabet]
    assert decision.holds("last") == all(before)
    assert decide_crasp(dfa.complement()).holds("last") == decision.holds("last")


def followed(formula: Counting, read: Reading) -> Dfa:
    """The automaton of a formula in which no two counts are compared, from counters that stop: no theorem is used."""
    part = finite_part([AtLeast(((1, formula),), 1)], "ab", read == "end")
    assume(part is not None and len(part.moves) < 100)
    assert part is not None
    moves = {(move.source, move.symbol): move for move in part.moves}
    if read == "end":
        accepting = frozenset(move.source for move in part.ending if move.truth[formula])
        size = 1 + max(source for source, _ in moves)
        return Dfa(("a", "b"), tuple((moves[q, "a"].target, moves[q, "b"].target) for q in range(size)), 0, accepting)
    states = [(0, counting_values(formula, ())[0])]
    rows = []
    for q, _ in states:  # the list grows while it is read
        after = [(moves[q, letter].target, moves[q, letter].truth[formula]) for letter in "ab"]
        states += [one for one in dict.fromkeys(after) if one not in states]
        rows.append(tuple(states.index(one) for one in after))
    return Dfa(("a", "b"), tuple(rows), 0, frozenset(k for k, (_, holds) in enumerate(states) if holds))


@settings(max_examples=80, deadline=None)
@given(counting(leaves=8), st.sampled_from(READINGS))
def test_what_a_formula_defines_is_inside(formula: Counting, read: Reading) -> None:
    """A formula without differences of counts defines a regular language, for which the decision must say yes."""
    assume(why_not_finite([AtLeast(((1, formula),), 1)]) is None)
    dfa = followed(formula, read)
    counted = CountingLanguage(formula, ("a", "b"), read)
    assert all(dfa.accepts(word) == counted.accepts(word) for word in words_up_to("ab", 4))
    assert decide_crasp(dfa.minimal()).holds(read)


OUTSIDE = [dfa for _, letters, dfa in random_expressions(5, 120) if letters == "ab" and not inside(dfa)]


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(OUTSIDE), counting(leaves=6), st.integers(0, 2**16))
def test_no_formula_separates_the_words_of_an_obstruction(dfa: Dfa, formula: Counting, seed: int) -> None:
    """A random formula says the same of both, far out in a random mix of the closed walks; the automaton does not."""
    shown = obstruction(decide_crasp(dfa), "last")
    assert shown is not None
    random = np.random.default_rng(seed)
    order = random.permutation(len(shown.closed))
    head = [*shown.prefix, *[letter for k in order for letter in shown.closed[k] * int(random.integers(1, 90))] * 4]
    words = [(*head, *shown.walk(q), *shown.tail) for q in (shown.first, shown.second)]
    counted = CountingLanguage(formula, dfa.alphabet)
    assert counted.accepts(words[0]) == counted.accepts(words[1])
    assert dfa.accepts(words[0]) != dfa.accepts(words[1])


def test_large_automata_are_decided() -> None:
    """Of 200 states and more, inside and outside, without a monoid."""
    for regex, last in (
        ("(a{66}b{66}c{66})*", True),
        ("((ab){40}(ba){40})*", True),
        ("(ab|b(a{50}b{50}|a)b)*a{50}", False),
    ):
        assert decide_crasp(regex_dfa(regex).minimal()).holds("last") == last
    random = np.random.default_rng(0)
    delta = tuple(tuple(map(int, row)) for row in random.integers(0, 220, (220, 2)))
    dfa = Dfa(("a", "b"), delta, 0, frozenset(range(0, 220, 2))).minimal()
    assert not decide_crasp(dfa).holds("last")


def test_automata_that_are_too_large_are_refused() -> None:
    """Where walks have too many letters: the evidence of a long cycle, and rounds of a long loop."""
    cycle = Dfa(("a",), tuple(((q + 1) % 5_000,) for q in range(5_000)), 0, frozenset({0}))
    decision = decide_crasp(cycle)
    assert not decision.holds("last")
    assert crasp_reason(decision, "last") == "counts do not tell apart two states of a component of 5,000 states"
    with pytest.raises(CapaxError) as caught:
        obstruction(decision, "last")
    assert caught.value.code == "too-large"
    loop, end = "ab" * 2_000 + "ba" * 2_000, 8_000
    rows = [tuple((q + 1) % end if letter == here else end for letter in "ab") for q, here in enumerate(loop)]
    with pytest.raises(CapaxError, match="to decide C-RASP"):
        decide_crasp(Dfa(("a", "b"), (*rows, (end, end)), 0, frozenset({0})))


@pytest.mark.deep
def test_a_thousand_expressions_are_decided_with_evidence() -> None:
    """None is unknown; each has evidence that is right."""
    kinds = [evidence_is_right(dfa, Atoms()) for _, _, dfa in random_expressions(0, 1000)]
    assert len(kinds) == 1000
    assert set(kinds) == {"both", "last", "out"}


@pytest.mark.parametrize(("window", "modulus"), [(-1, 1), (9, 1), (0, 0), (0, 65)])
def test_atoms_have_bounds(window: int, modulus: int) -> None:
    """A window or modulus beyond them is refused."""
    with pytest.raises(CapaxError) as caught:
        Atoms(window, modulus)
    assert caught.value.code == "bad-option"
