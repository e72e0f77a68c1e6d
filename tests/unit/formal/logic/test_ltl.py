"""Past temporal logic against its definition with quantifiers."""

import pytest
from hypothesis import example, given, settings

from capax import CapaxError
from capax.formal.automata.dfa import words_up_to
from capax.formal.logic.ltl import (
    AndFormula,
    Constant,
    Formula,
    Historically,
    Letter,
    LtlLanguage,
    NotFormula,
    Once,
    OrFormula,
    Since,
    Yesterday,
    accepts,
    ltl_dfa,
    temporal_depth,
    values,
)
from capax.formal.logic.ltl_text import parse_ltl, printed
from tests.support.formal_objects import formulas

WORDS = [*words_up_to("ab", 6)]


def holds(formula: Formula, word: tuple[str, ...], i: int) -> bool:
    """The definition, word for word."""
    match formula:
        case Letter(symbol):
            return i < len(word) and word[i] == symbol
        case Constant(value):
            return value
        case NotFormula(one):
            return not holds(one, word, i)
        case AndFormula(left, right):
            return holds(left, word, i) and holds(right, word, i)
        case OrFormula(left, right):
            return holds(left, word, i) or holds(right, word, i)
        case Yesterday(one):
            return i > 0 and holds(one, word, i - 1)
        case Once(one):
            return any(holds(one, word, j) for j in range(i))
        case Historically(one):
            return all(holds(one, word, j) for j in range(i))
        case Since(left, right):
            return any(holds(right, word, j) and all(holds(left, word, k) for k in range(j + 1, i)) for j in range(i))


@settings(max_examples=60, deadline=None)
@given(formulas())
@example(Historically(Letter("a")))
@example(Since(Letter("a"), Since(Letter("b"), Constant(True))))
def test_values_and_the_automaton_follow_the_definition(formula: Formula) -> None:
    """At every position, and on the empty word."""
    dfa = ltl_dfa(LtlLanguage(formula, ("a", "b")))
    for word in WORDS:
        if word:
            assert values(formula, word) == [holds(formula, word, i) for i in range(len(word))]
        last = holds(formula, word, max(len(word) - 1, 0))
        assert accepts(formula, word) == last == dfa.accepts(word)


@settings(max_examples=100, deadline=None)
@given(formulas("ab(A'"))
def test_a_printed_formula_is_read_as_itself(formula: Formula) -> None:
    """With as few brackets as the printer uses."""
    assert parse_ltl(printed(formula)) == formula


def test_operators_bind_in_order() -> None:
    """S binds tighter than &, & than |, | than ->; -> and S group to the right."""
    assert parse_ltl("a | b & a S b") == parse_ltl("a | (b & (a S b))")
    assert (
        parse_ltl("a -> b -> a")
        == parse_ltl("a -> (b -> a)")
        == OrFormula(NotFormula(Letter("a")), parse_ltl("!b | a"))
    )
    assert parse_ltl("a S b S a") == parse_ltl("a S (b S a)")
    assert parse_ltl("!Y P H a and not b") == AndFormula(
        NotFormula(Yesterday(Once(Historically(Letter("a"))))), NotFormula(Letter("b"))
    )
    assert temporal_depth(parse_ltl("Y P a & H b")) == 2


@pytest.mark.parametrize(
    "text", ["Y " * 999 + "a", "!" * 1500 + "a", "a" + " & a" * 400, "a" + " & a" * 1000, "a -> " * 300 + "a"]
)
def test_deep_and_long_formulas_are_refused(text: str) -> None:
    """Before Python's own stack is full."""
    with pytest.raises(CapaxError) as raised:
        parse_ltl(text)
    assert raised.value.code == "too-large"


def test_deep_brackets_alone_are_no_matter() -> None:
    """They are not part of the formula."""
    assert parse_ltl("(" * 900 + "a" + ")" * 900) == Letter("a")
    deep = parse_ltl("Y " * 99 + "a")
    assert parse_ltl(printed(deep)) == deep
    assert accepts(deep, "a" * 100)


def test_a_letter_outside_the_alphabet_is_an_error() -> None:
    """It would never hold."""
    with pytest.raises(CapaxError, match="the formula has 'c'"):
        LtlLanguage(parse_ltl("P c"), ("a", "b"))
