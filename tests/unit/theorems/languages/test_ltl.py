"""Past temporal logic as transformers: any formula, both kinds of attention, and the sizes that the theorem states."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from capax.errors import CapaxError
from capax.formal.logic.ltl import (
    TEMPORAL,
    AndFormula,
    Formula,
    Historically,
    Letter,
    LtlLanguage,
    NotFormula,
    Once,
    OrFormula,
    Since,
    Yesterday,
    subformulas,
    temporal_depth,
    values,
)
from capax.formal.logic.ltl_text import parse_ltl
from capax.model.run.reference import define
from capax.theorems.languages.ltl import language_of, recogniser_of, routes
from tests.support.all_words import disagreement
from tests.support.formal_strategies import formulas

A, B = Letter("a"), Letter("b")


@settings(max_examples=60)
@given(formulas(), st.sampled_from(["hard", "softmax"]), st.sampled_from(["float64", "float32"]))
@example(A, "hard", "float64")
@example(Since(NotFormula(A), AndFormula(B, Yesterday(A))), "softmax", "float32")
@example(
    NotFormula(NotFormula(OrFormula(Once(A), OrFormula(Once(B), AndFormula(Once(A), Historically(B)))))),
    "softmax",
    "float64",
)
@example(AndFormula(Once(AndFormula(Once(A), Historically(B))), OrFormula(Once(A), Historically(B))), "hard", "float64")
def test_any_formula(formula: Formula, attention: str, numbers: str) -> None:
    """The model agrees on all words up to length 8; its layers and heads are those of the formula."""
    language = LtlLanguage(formula, ("a", "b"))
    model = recogniser_of(language, attention, 8, numbers)
    assert disagreement(model, language.accepts, "ab", 8) is None
    assert model.depth == temporal_depth(formula)
    assert sum(model.size.heads) == sum(isinstance(part, TEMPORAL) for part in subformulas(formula))
    assert not model.size.oracles


@given(formulas(leaves=6), st.text("ab", min_size=1, max_size=6), st.sampled_from(["hard", "softmax"]))
@settings(max_examples=30)
def test_every_place_has_the_answer(formula: Formula, word: str, attention: str) -> None:
    """At each place the model says whether the formula holds there, and so does the slow definition of a model."""
    model = recogniser_of(LtlLanguage(formula, ("a", "b")), attention, 6, "float64")
    assert model(word) == values(formula, word)
    assert [row[0] > 0.5 for row in define(model, word)] == values(formula, word)


@given(
    formulas("abc"), st.lists(st.sampled_from("abc"), min_size=50, max_size=200), st.sampled_from(["hard", "softmax"])
)
@settings(max_examples=30)
def test_long_words(formula: Formula, word: list[str], attention: str) -> None:
    """Hundreds of letters."""
    model = recogniser_of(LtlLanguage(formula, ("a", "b", "c")), attention, 200, "float64")
    assert model(word) == values(formula, word)


@pytest.mark.deep
@given(formulas("ab", leaves=20), st.sampled_from(["hard", "softmax"]))
def test_large_formulas(formula: Formula, attention: str) -> None:
    """More operators, words up to length 9."""
    language = LtlLanguage(formula, ("a", "b"))
    assert disagreement(recogniser_of(language, attention, 9, "float64"), language.accepts, "ab", 9) is None


def test_routes() -> None:
    """A formula has a route for each kind of attention; an expression's text has none."""
    language = LtlLanguage(parse_ltl("a S b"), ("a", "b"))
    found = list(routes(language, 7))
    assert [route.lengths for route in found] == [None, 7]
    for route in found:
        assert disagreement(route.build(), language.accepts, "ab", 7) is None
    assert not list(routes("a S b", 7))


def test_what_is_refused() -> None:
    """No alphabet, a letter outside it, and a word that is too long for the softmax form."""
    for alphabet in ("", "b"):
        with pytest.raises(CapaxError):
            language_of("a S b", alphabet)
    model = recogniser_of(language_of("a S b", "ab"), "softmax", 5, "float64")
    with pytest.raises(CapaxError) as raised:
        model("ababab")
    assert raised.value.code == "word-length"
