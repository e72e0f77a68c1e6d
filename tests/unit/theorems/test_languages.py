"""The named languages as transformers: known words, long ones, margins, and the routes that claim them."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capax import theorems
from capax.errors import CapaxError
from capax.formal.automata.dfa import Dfa
from capax.formal.languages.brackets import brackets, dyck, shuffle_dyck
from capax.formal.languages.catalogue import language
from capax.model.model import Model
from capax.report import Report
from capax.theorems.base.route import Route
from capax.theorems.checks import random_words, recognises
from capax.theorems.languages import bounded_dyck, parity
from capax.theorems.languages import dyck as dyck_theorem
from capax.theorems.languages import shuffle_dyck as shuffle_theorem
from capax.theorems.languages.first import weighted
from capax.theorems.languages.parts.brackets.erasing import erasing
from tests.unit.theorems.all_words import disagreement


def routes_of(thing: object, length: int) -> list[Route]:
    """The routes of all theorems for an object."""
    found: list[Route] = []
    for name in theorems.names():
        file = theorems.theorem_module(name)
        found += list(file.routes(thing, length)) if hasattr(file, "routes") else []
    return found


@pytest.mark.parametrize(
    ("name", "claimed"),
    [
        ("parity", {"parity"}),
        ("majority", {"majority"}),
        ("first", {"first"}),
        ("dyck-1", {"dyck1", "dyck"}),
        ("dyck-2", {"dyck"}),
        ("bounded-dyck-2-2", {"bounded-dyck"}),
        ("bounded-dyck-1-3", {"bounded-dyck"}),
        ("shuffle-dyck-1", {"shuffle-dyck"}),
        ("shuffle-dyck-2", {"shuffle-dyck"}),
        ("anbn", set()),
        ("palindrome", set()),
    ],
)
def test_routes_of_named_languages(name: str, claimed: set[str]) -> None:
    """Which theorems build a model for a language, and that each is right on all words up to length 8 or 6."""
    thing = language(name)
    found = routes_of(thing, 10)
    assert {route.theorem for route in found} == claimed
    for route in found:
        model = route.build()
        assert disagreement(model, thing.accepts, thing.alphabet, 8 if len(thing.alphabet) == 2 else 6) is None
        assert route.lengths in (None, 10)
        assert not model.size.oracles


def test_no_route_for_other_things() -> None:
    """A text, a number, None."""
    assert not [route for thing in ("a*", 3, None) for route in routes_of(thing, 10)]


def test_a_wrong_model_is_found_out() -> None:
    """The check of recognition sees a model for another language, and a word is the counterexample."""
    one = Dfa(("0", "1"), ((0, 1), (1, 0)), 0, frozenset({1}))
    other = Dfa(("0", "1"), ((0, 1), (1, 1)), 0, frozenset({1}))
    model = theorems.theorem("parity").build(length=20, numbers="float64")
    assert recognises(model, one, 20).holds
    report: Report = recognises(model, other, 20)
    assert not report.holds
    assert report.counterexample is not None


@pytest.mark.parametrize("numbers", ["float64", "float32"])
@pytest.mark.parametrize("length", [1, 2, 3, 10, 101, 1_000])
def test_the_margin_of_parity(numbers: str, length: int) -> None:
    """What the model computes is what the formula says, and that is about 2 tanh(1) / n^2."""
    model = parity.THEOREM.build(length=length, numbers=numbers)
    right = parity.margin(length + 1)
    noise = {"float64": 1e-14, "float32": 3e-7}[numbers]
    assert parity.measured(model, length) == pytest.approx(right, abs=noise)
    if length >= 10:
        assert right == pytest.approx(2 * math.tanh(1) / (length + 1) ** 2, rel=3 / length)


@given(st.integers(2, 60), st.floats(0.1, 6))
@settings(max_examples=60)
def test_when_a_scale_is_enough_for_first(length: int, scale: float) -> None:
    """Softmax recognises FIRST up to N exactly if e^s > N - 1: the worst word has all others against the first."""
    model = weighted(scale, length)
    if abs(math.exp(scale) - (length - 1)) < 1e-9:
        return
    right = model("1" + "0" * (length - 1))[-1] is True and model("0" + "1" * (length - 1))[-1] is False
    assert right == (math.exp(scale) > length - 1)


def nested(k: int, depth: int) -> tuple[str, ...]:
    """Brackets of alternating kinds, so many inside each other."""
    pairs = brackets(k)
    kinds = [at % k for at in range(depth)]
    return (*(pairs[kind][0] for kind in kinds), *(pairs[kind][1] for kind in reversed(kinds)))


def changes(word: Sequence[str], alphabet: Sequence[str], count: int) -> list[tuple[str, ...]]:
    """The word, and some words with one symbol changed or two neighbours exchanged."""
    random = np.random.default_rng(1)
    found = [tuple(word)]
    for _ in range(count):
        at = int(random.integers(len(word) - 1))
        found.append((*word[:at], alphabet[int(random.integers(len(alphabet)))], *word[at + 1 :]))
        found.append((*word[:at], word[at + 1], word[at], *word[at + 2 :]))
    return found


@pytest.mark.parametrize("attention", ["hard", "softmax"])
@pytest.mark.parametrize(("numbers", "depth"), [("float64", 400), ("float32", 400)])
def test_deep_brackets(attention: str, numbers: str, depth: int) -> None:
    """Words of Dyck-3 and Shuffle-Dyck-3 whose height goes up to a half of their length, and words near them."""
    word = nested(3, depth)
    for build, thing in ((dyck_theorem.construct, dyck(3)), (shuffle_theorem.construct, shuffle_dyck(3))):
        model = build(3, attention, len(word), numbers)
        words = changes(word, thing.alphabet, 8)
        assert [answers[-1] for answers in model.batch(words)] == [thing.accepts(word) for word in words]


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5, 8, 9, 33])
def test_the_width_of_bounded_dyck(k: int) -> None:
    """The width depends on the kinds alone and is 3 ceil(log2 k) + 5; the weights are a few small numbers."""
    for depth in (1, 6):
        model = erasing(brackets(k), depth)
        assert model.width == bounded_dyck.width_of(k) == 3 * math.ceil(math.log2(k)) + 5
        assert model.depth == depth + 1
        assert {float(x) for _, array in model.arrays() for x in array.ravel()} <= {0.0, 1.0, -1.0, 0.5, -2.0}


@given(st.integers(1, 4), st.integers(1, 4), st.lists(st.integers(0, 7), min_size=1, max_size=30))
@settings(max_examples=60)
def test_bounded_dyck_on_any_word(k: int, depth: int, numbers: list[int]) -> None:
    """Any word, and one made to match as far as it can be."""
    thing = language(f"bounded-dyck-{k}-{depth}")
    model = erasing(brackets(k), depth)
    word = [thing.alphabet[x % len(thing.alphabet)] for x in numbers]
    closing = dict(brackets(k))
    open_: list[str] = []
    repaired: list[str] = []
    for symbol in word:
        if symbol in closing:
            open_.append(symbol)
        repaired.append(symbol if symbol in closing or not open_ else closing[open_.pop()])
    repaired += [closing[symbol] for symbol in reversed(open_)]
    for one in (word, repaired):
        assert model(one)[-1] is thing.accepts(one)


def test_random_words_are_not_empty_and_meet_both_answers() -> None:
    """The words that models are tried on are inside and outside, for every named language."""
    for name in ("parity", "majority", "first", "dyck-2", "bounded-dyck-2-3", "shuffle-dyck-2", "mod-5"):
        thing = language(name)
        words = random_words(thing, 40, 60)
        assert all(words)
        assert {thing.accepts(word) for word in words} == {True, False}


@pytest.mark.parametrize("name", ["dyck", "modular-counters", "log-depth"])
def test_lengths_beyond_the_numbers_are_refused(name: str) -> None:
    """Rather than a model that confuses places."""
    with pytest.raises(CapaxError) as raised:
        theorems.theorem(name).run(length=5_000, numbers="float32")
    assert raised.value.code == "bad-option"


@pytest.mark.deep
@pytest.mark.parametrize("length", [10_000, 30_000])
def test_long_words_of_counting_languages(length: int) -> None:
    """Words on the edge: one vote, one bracket."""
    ones = length // 2 + 1
    word = ["1"] * ones + ["0"] * (length - ones)
    model: Model = theorems.theorem("majority").build(attention="softmax", length=length, numbers="float32")
    assert model(word)[-1] is True
    assert model(["0", *word[1:]])[-1] is False
