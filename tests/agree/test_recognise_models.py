"""No verdict says no beside a model that was built and is right: of that kind, and read at that place."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capax.app.commands._recognition import recognise
from capax.atlas.recognition import verdict as kinds
from capax.atlas.recognition.language import DescribedLanguage, from_ltl, from_regex
from capax.atlas.recognition.routes import BuiltRoute, build_routes
from capax.formal.acceptance import READS, Read, end_marker, unordered_last_symbol
from capax.formal.automata.dfa import Dfa, words_up_to
from capax.formal.logic.ltl import AndFormula, Formula, Letter, LtlLanguage, NotFormula, Once, OrFormula, ltl_dfa
from capax.model.model import Model
from capax.model.positions import Positions
from tests.support.formal_strategies import automata, formulas

HARD = {"leftmost-hard", "rightmost-hard"}


def given_automaton(dfa: Dfa) -> DescribedLanguage:
    """An automaton as `capax recognise --dfa` takes it."""
    least = dfa.minimal()
    return DescribedLanguage("dfa", "random", least, least.alphabet, least, least.accepts)


def without_positions(model: Model) -> Model:
    """The model with nothing added for positions."""
    return replace(model, positions=Positions((), np.zeros((0, model.width))))


def kinds_of(one: BuiltRoute, language: DescribedLanguage) -> set[str]:
    """The kinds of models that verdicts speak of to which a model belongs, by what it is made of."""
    assert one.model is not None
    heads = [head for block in one.model.blocks for head in block.heads]
    attention, masks = {head.attention for head in heads}, {head.mask for head in heads}
    words = list(words_up_to(language.alphabet, 5, least=0 if one.route.suffix else 1))
    bare = without_positions(one.model)
    none = all(one.route.says(bare, word) == language.accepts(word) for word in words)
    periodic = all(re.search(r"%|\(-1\)", name) for name in one.model.positions.functions)
    forever = one.route.lengths is None or not heads
    found = {
        kinds.FIXED: none and forever and attention <= {"softmax"} and masks <= {"strict past"},
        kinds.CRASP: none and forever and attention <= {"softmax"} and masks <= {"causal"},
        kinds.MASKED: none and attention <= HARD and masks <= {"strict past"},
        kinds.MASKED_MOD: (none or periodic) and attention <= HARD and masks <= {"strict past"},
        kinds.UNIQUE: attention <= HARD,
        kinds.CONSTANT: one.route.theorem not in ("log-depth", "automaton-thoughts"),
        kinds.LOGARITHMIC: one.route.theorem != "automaton-thoughts",
        kinds.THOUGHTS: True,
    }
    return {kind for kind, belongs in found.items() if belongs}


def contradicted(language: DescribedLanguage, read: Read) -> list[str]:
    """The verdicts that say no beside a model of their kind that is right and read at the same place."""
    built = build_routes(language, 6, read=read)
    result = recognise(language, built, None, budget=2_000, read=read).to_json()
    assert {told["read"] for told in result["verdicts"]} == {read}
    found = []
    for one in built:
        assert one.wrong is None
        if one.model is None or one.route.read != read:
            continue
        belongs = kinds_of(one, language)
        bad = [told for told in result["verdicts"] if told["answer"] == "no" and told["models"] in belongs]
        found += [f"{one.route.theorem}, {one.route.what}: {told['models']}" for told in bad]
    return found


@pytest.mark.parametrize("read", READS)
@pytest.mark.parametrize("text", ["a", "P a", "a & !P b", "Y a"])
def test_formulas_whose_models_once_stood_beside_a_no(text: str, read: Read) -> None:
    """A formula without temporal operators is a model without heads, which softmax in fixed precision is."""
    assert contradicted(from_ltl(text, ["a", "b"], 2_000), read) == []


@pytest.mark.parametrize(("text", "last", "end"), [(".*a", "yes", "no"), ("a.*", "yes", "yes"), ("(ab)*", "no", "no")])
def test_expressions_that_once_stood_beside_a_no(text: str, last: str, end: str) -> None:
    """What softmax in fixed precision does, read at either place."""
    language = from_regex(text, ["a", "b"], 2_000)
    for read, answer in (("last", last), ("end", end)):
        told = recognise(language, [], None, budget=2_000, read=read).to_json()["verdicts"][0]
        assert (told["models"], told["read"], told["answer"]) == (kinds.FIXED, read, answer)
        assert contradicted(language, read) == []


@given(automata(states=3, letters="ab"), st.sampled_from(list(READS)))
@settings(max_examples=12, deadline=None)
def test_random_automata(dfa: Dfa, read: Read) -> None:
    """Of random automata."""
    assert contradicted(given_automaton(dfa), read) == []


@given(formulas(leaves=4))
@settings(max_examples=12, deadline=None)
def test_random_formulas(formula: Formula) -> None:
    """Of random formulas; their models by heads are read at the last symbol."""
    language = LtlLanguage(formula, ("a", "b"))
    found = DescribedLanguage("ltl", "random", language, ("a", "b"), ltl_dfa(language, budget=2_000), language.accepts)
    assert contradicted(found, "last") == []


def once_alone() -> st.SearchStrategy[Formula]:
    """Formulas of past temporal logic with `once` alone."""
    leaf: st.SearchStrategy[Formula] = st.sampled_from("ab").map(Letter)
    return st.recursive(
        leaf,
        lambda inner: st.one_of(
            st.builds(Once, inner),
            st.builds(NotFormula, inner),
            st.builds(AndFormula, inner, inner),
            st.builds(OrFormula, inner, inner),
        ),
        max_leaves=8,
    )


@given(once_alone())
@settings(max_examples=60, deadline=None)
def test_once_alone_is_ordered_before_the_last_symbol(formula: Formula) -> None:
    """The class of softmax in fixed precision, read at the last symbol, has all that its logic says there."""
    assert unordered_last_symbol(ltl_dfa(LtlLanguage(formula, ("a", "b")), budget=2_000)) is None


@pytest.mark.parametrize(("text", "alphabet"), [("(ab)*", "ab"), (".*a$", "a$")])
def test_models_are_run_where_they_are_read(text: str, alphabet: str) -> None:
    """A saved model says where its answer is, and answers there: at the last symbol, or at the marker."""
    language = from_regex(text.replace("$", "[$]"), list(alphabet), 2_000)
    for read in READS:
        for one in build_routes(language, 6, read=read):
            assert one.model is not None
            assert one.model.provenance.read == one.route.read
            if one.route.read != read or one.route.theorem == "automaton-thoughts":
                continue
            marker = [end_marker(alphabet)] if read == "end" else []
            assert one.model.provenance.end_marker == (marker[0] if marker else None)
            for word in words_up_to(alphabet, 4, least=1 - len(marker)):
                assert bool(one.model([*word, *marker])[-1]) == language.accepts(word)
