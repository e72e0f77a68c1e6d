"""The lengths that are enough, and where there is none."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capax.formal.automata.dfa import Dfa
from capax.formal.crasp.compare import compare_counting
from capax.formal.logic.counting import AtLeast, CountingLanguage, Symbol
from capax.limits import limit
from capax.limits.length_generalisation import automata_length, one_layer_length
from tests.support.formal_objects import automata


@settings(max_examples=60, deadline=None)
@given(automata(most=5), automata(most=5))
def test_automata_differ_within_the_length(one: Dfa, other: Dfa) -> None:
    """A shortest word that tells them apart is no longer."""
    word = one.difference(other)
    assert word is None or len(word) <= automata_length(one.size, other.size)


@settings(max_examples=40, deadline=None)
@given(*[st.integers(-3, 3)] * 6)
def test_one_layer_differs_within_the_length(a: int, b: int, c: int, d: int, e: int, f: int) -> None:
    """By the solver: a word that tells two comparisons apart, if there is one, need not be longer than the bound."""
    pytest.importorskip("z3")
    left, right = (
        CountingLanguage(AtLeast(((x, Symbol("a")), (y, Symbol("b"))), z), ("a", "b"))
        for x, y, z in ((a, b, c), (d, e, f))
    )
    done = compare_counting(left, right, "equal", 6)
    word = done.counterexample if done.counterexample is not None else done.everywhere.word
    assert done.holds is not None
    assert word is None or len(word) <= one_layer_length(2, 2, 3)


def test_from_two_layers_on_there_is_no_number() -> None:
    """And with one layer the limit is vacuous."""
    two, one = limit("length-generalisation").run(layers=2), limit("length-generalisation").run(layers=1)
    assert two.verdict.kind == "impossible"
    assert two["length for the programs"].value is None
    assert one.vacuous
    assert one["length for the programs"].value == one["length for one layer"].value == one_layer_length(2, 4, 2)
