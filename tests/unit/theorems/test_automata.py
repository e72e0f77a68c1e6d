"""Automata as transformers: logarithmic depth for all, resets for the star-free, counts for the commutative."""

from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from capax.errors import CapaxError
from capax.formal.automata.cascade import HasGroupError, cascade
from capax.formal.automata.classification import classify
from capax.formal.automata.dfa import Dfa
from capax.formal.automata.regex import regex_dfa
from capax.formal.languages.catalogue import language
from capax.model.model import Model
from capax.model.run.reference import define
from capax.theorems.checks import LANGUAGES, recognises
from capax.theorems.languages import log_depth, modular_counters, periodic_positions, solvable_group, star_free
from capax.theorems.languages.log_depth import by_doubling, layers_for
from capax.theorems.languages.modular_counters import by_counts
from capax.theorems.languages.parts.automata.commuting import commuting
from capax.theorems.languages.parts.automata.map_codes import MOST_ELEMENTS, elements
from capax.theorems.languages.solvable_group import by_steps
from capax.theorems.languages.star_free import by_resets
from tests.unit.theorems.all_words import disagreement
from tests.unit.theorems.formal_strategies import automata

FILES = (log_depth, star_free, modular_counters, solvable_group, periodic_positions)
LONG = st.lists(st.integers(0, 2), min_size=30, max_size=80)


def counter(p: int) -> Dfa:
    """The automaton that counts letters modulo p."""
    return Dfa(("a",), tuple(((q + 1) % p,) for q in range(p)), 0, frozenset({0}))


def right_along(model: Model, dfa: Dfa, numbers: list[int]) -> bool:
    """Whether a model says at each place of a word whether the automaton accepts the word so far."""
    word = [dfa.alphabet[x % len(dfa.alphabet)] for x in numbers]
    return model(word) == [q in dfa.accepting for q in dfa.states(word)[1:]]


@settings(max_examples=40)
@given(automata(), st.sampled_from(["states", "monoid", "shorter"]), st.sampled_from(["softmax", "average-hard"]), LONG)
def test_any_automaton_by_doubling(dfa: Dfa, form: str, attention: str, numbers: list[int]) -> None:
    """All words up to length 5 or 8, and every place of a longer one, in ceil(log2 N) layers of one head."""
    if form == "monoid" and elements(dfa, MOST_ELEMENTS) is None:
        with pytest.raises(CapaxError, match="needs more than"):
            by_doubling(dfa, form, "softmax", 80, "float64")
        return
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


@settings(max_examples=50)
@given(automata(), st.sampled_from(["hard", "softmax"]), LONG)
@example(regex_dfa("(a(a(ab)*b)*b)*", "ab"), "softmax", [0] * 30)
def test_automata_without_groups_by_resets(dfa: Dfa, attention: str, numbers: list[int]) -> None:
    """All short words and every place of a longer one; a group is refused."""
    try:
        levels = len(cascade(dfa).levels)
    except HasGroupError:
        with pytest.raises(HasGroupError):
            by_resets(dfa, attention, 80, "float64")
        return
    model = by_resets(dfa, attention, 80, "float64")
    assert model.size.heads == (1,) * levels
    assert disagreement(model, dfa.accepts, dfa.alphabet, 8 if len(dfa.alphabet) < 3 else 5) is None
    assert right_along(model, dfa, numbers)


@settings(max_examples=50)
@given(
    st.integers(1, 7),
    st.lists(st.integers(0, 6), min_size=1, max_size=3),
    st.sets(st.integers(0, 6)),
    st.sampled_from(["softmax", "average-hard"]),
    LONG,
)
def test_weighted_counters(p: int, weights: list[int], accepted: set[int], attention: str, numbers: list[int]) -> None:
    """Sums of weights of letters modulo p: all short words and every place of a longer one, in two layers."""
    delta = tuple(tuple((q + w) % p for w in weights) for q in range(p))
    dfa = Dfa(tuple("abc"[: len(weights)]), delta, 0, frozenset(q for q in accepted if q < p))
    model = by_counts(dfa, attention, 80, "float64")  # type: ignore[arg-type]
    assert model.depth <= 2
    assert disagreement(model, dfa.accepts, dfa.alphabet, 8 if len(dfa.alphabet) < 3 else 5) is None
    assert right_along(model, dfa, numbers)


@given(automata(letters="ab"))
def test_counters_claim_what_counts_decide(dfa: Dfa) -> None:
    """An automaton that counters claim accepts a word and its reverse alike, and each letter can be undone."""
    if commuting(dfa, 4_000) is None:
        return
    for word in ("ab", "aab", "abb", "abab"):
        short = [symbol for symbol in word if symbol in dfa.alphabet]
        assert dfa.run(short) == dfa.run(short[::-1])
    assert all(len({row[a] for row in dfa.delta}) == dfa.size for a in range(len(dfa.alphabet)))


@settings(max_examples=60, deadline=None)
@given(automata(), LONG)
@example(regex_dfa("((aa)*b)*"), [0] * 31)
@example(regex_dfa("(aa|bb)*"), [0, 0, 1, 1] * 10)
def test_groups_that_count_places(dfa: Dfa, numbers: list[int]) -> None:
    """Where there is a route the language is in AC0, and the model right on all short words and along a long one."""
    least = dfa.minimal()
    for route in periodic_positions.routes(least, 20):
        found = classify(least)
        assert found.in_ac0
        assert not found.star_free
        model = route.build()
        assert disagreement(model, least.accepts, least.alphabet, 8 if len(least.alphabet) < 3 else 5) is None
        assert right_along(model, least, numbers)


@pytest.mark.parametrize("pattern", ["(aa)*", "(aaaa)*", "((a|b){3})*", "(abab)*", "(aa|bb)*", "((aa)*b)*"])
def test_known_languages_have_a_period(pattern: str) -> None:
    """Those of the literature that are in AC0 and not star-free; parity has none."""
    assert len(list(periodic_positions.routes(regex_dfa(pattern), 20))) == 1
    assert not list(periodic_positions.routes(regex_dfa("(b|ab*a)*"), 20))


@st.composite
def turning(draw: st.DrawFn) -> Dfa:
    """An automaton whose letters permute at most four states: its group is solvable."""
    n = draw(st.integers(2, 4))
    letters = [draw(st.permutations(range(n))) for _ in range(draw(st.integers(1, 3)))]
    accepting = draw(st.frozensets(st.integers(0, n - 1)))
    return Dfa(tuple("abc"[: len(letters)]), tuple(tuple(one[q] for one in letters) for q in range(n)), 0, accepting)


@settings(max_examples=40, deadline=None)
@given(turning(), st.sampled_from(["softmax", "average-hard"]), LONG)
def test_solvable_groups_in_steps(dfa: Dfa, attention: str, numbers: list[int]) -> None:
    """All words up to length 7 or 5, and every place of a longer one, in two layers for each step."""
    found = solvable_group.steps(dfa)
    assert found is not None
    if not found:
        return  # no letter moves a state
    model = by_steps(dfa, attention, 80, "float64")  # type: ignore[arg-type]
    assert model.depth == 2 * len(found)
    assert disagreement(model, dfa.accepts, dfa.alphabet, 7 if len(dfa.alphabet) < 3 else 5) is None
    assert right_along(model, dfa, numbers)


@pytest.mark.parametrize(
    ("name", "orders"),
    [
        ("s3", [[2], [3]]),
        ("s4", [[2], [3], [2, 2]]),
        ("a4", [[3], [2, 2]]),
        ("d6", [[2, 2], [3]]),
        ("q8", [[2, 2], [2]]),
        ("z12", [[12]]),
        ("a5", None),
    ],
)
def test_derived_series(name: str, orders: list[list[int]] | None) -> None:
    """Of known groups; A5 has none."""
    dfa = language(f"word-problem-{name}").automaton
    assert dfa is not None
    found = solvable_group.steps(dfa)
    assert orders == (None if found is None else [sorted(factor.orders) for factor in found])


@pytest.mark.parametrize(
    ("name", "claimed"),
    [
        ("parity", {"log-depth", "modular-counters"}),
        ("mod-6", {"log-depth", "modular-counters"}),
        ("first", {"log-depth", "star-free"}),
        ("tomita-1", {"log-depth", "star-free"}),
        ("tomita-3", {"log-depth", "periodic-positions"}),
        ("tomita-4", {"log-depth", "star-free"}),
        ("tomita-5", {"log-depth", "modular-counters"}),
        ("tomita-7", {"log-depth", "star-free"}),
        ("bounded-dyck-1-3", {"log-depth", "star-free"}),
        ("word-problem-s3", {"log-depth", "solvable-group"}),
        ("word-problem-z2xz2", {"log-depth", "modular-counters"}),
    ],
)
def test_every_route_that_claims_a_language(name: str, claimed: set[str]) -> None:
    """The routes of known automata, and that each model is right on all words up to length 8."""
    dfa = language(name).automaton
    assert dfa is not None
    found = [route for file in FILES for route in file.routes(dfa, 20)]
    assert {route.theorem for route in found} == claimed
    for route in found:
        assert disagreement(route.build(), dfa.accepts, dfa.alphabet, 8) is None, route.what


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
