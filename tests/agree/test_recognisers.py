"""Every route from a language to a model: the model says what the language says, on all words up to length 8."""

import pytest
from hypothesis import assume, given, settings

from capax.atlas.recognition.routes import routes
from capax.formal.automata.dfa import Dfa, words_up_to
from capax.formal.automata.regex import regex_dfa
from capax.formal.languages.catalogue import language
from capax.formal.languages.language import Language
from capax.formal.logic.ltl import Formula, LtlLanguage, ltl_dfa
from capax.theorems.base.route import last_answer
from tests.support.formal_objects import formulas, regexes

WORDS = [*words_up_to("ab", 8, least=1)]
FEW = [*words_up_to("ab", 4, least=1)]


def check(things: tuple[object, ...], language_: Dfa | LtlLanguage) -> set[str]:
    """Builds every route, and compares; the names of the theorems that had one."""
    found = routes(things, 10)
    for route in found:
        model = route.build()
        if route.accepts is last_answer:  # all words at once
            answers = [bool(line[-1]) for line in model.batch([list(word) for word in WORDS])]
            assert answers == [language_.accepts(word) for word in WORDS], (route.theorem, route.what)
        else:
            assert all(route.accepts(model, word) == language_.accepts(word) for word in FEW), route.theorem
    return {route.theorem for route in found}


@settings(max_examples=6, deadline=None)
@given(regexes("ab").filter(lambda text: regex_dfa(text, "ab").size <= 6))
def test_expressions(text: str) -> None:
    """Through every route that claims their minimal automata."""
    dfa = regex_dfa(text, "ab")
    assert "log-depth" in check((dfa,), dfa)


@settings(max_examples=6, deadline=None)
@given(formulas())
def test_formulas(formula: Formula) -> None:
    """Through every route that claims the formula or its automaton."""
    said = LtlLanguage(formula, ("a", "b"))
    dfa = ltl_dfa(said)
    assume(dfa.size <= 8)
    assert {"ltl", "log-depth", "star-free"} <= check((said, dfa), said)


@pytest.mark.parametrize(
    ("name", "theorem"),
    [
        ("parity", "parity"),
        ("majority", "majority"),
        ("first", "first"),
        ("mod-3", "modular-counters"),
        ("dyck-1", "dyck1"),
        ("dyck-2", "dyck"),
        ("bounded-dyck-2-2", "bounded-dyck"),
        ("shuffle-dyck-2", "shuffle-dyck"),
    ],
)
def test_named_languages(name: str, theorem: str) -> None:
    """Through every route, one of which is its own."""
    found = language(name)
    assert isinstance(found, Language)
    things = (found,) if found.automaton is None else (found, found.automaton)
    offered = routes(things, 10)
    assert theorem in {route.theorem for route in offered}
    words = [*words_up_to(found.alphabet, 7 if len(found.alphabet) == 2 else 4, least=1)]
    for route in offered:
        model = route.build()
        some = words if route.accepts is last_answer else words[:30]
        for word in some:
            assert route.accepts(model, word) == found.accepts(word), (route.theorem, route.what, word)
