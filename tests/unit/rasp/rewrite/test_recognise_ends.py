"""The first and the last key with a property become a `best`, which selects the same."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import capax
from capax import Selector, SOp, aggregate, best, indices, library, select, selector_width, tokens, tokens_int
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import Best
from capax.rasp.meaning import reference
from capax.rasp.rewrite.prepare import looking_back, prepare

BEFORE, AFTER = select(indices, indices, "<"), select(indices, indices, ">")
WORDS = [word for size in range(1, 5) for word in product("210", repeat=size)]
IS_ONE, SMALL = tokens == "1", (tokens != "2") & (indices > 0)


def alone(here: SOp, selector: Selector, side: Selector, how: int) -> SOp:
    """Where a property holds and no key on a side has it, said in one of several ways."""
    there = (side & selector) if how % 2 else (selector & side)
    count, any_ = selector_width(there), aggregate(there, 1, 0)
    none = [~(count > 0), count == 0, count < 1, ~(any_ > 0), any_ == 0, count <= 0][how]
    return none & here if how % 3 else here & none


FIRST = [
    library.select_from_first(tokens, "1"),
    *(select(alone(IS_ONE, select(tokens, "1", "=="), BEFORE, how), True, "==") for how in range(6)),
    select(alone(SMALL, select(SMALL, True, "=="), BEFORE, 1), True, "=="),
    select(alone(tokens_int < 2, select(tokens_int, 2, "<"), BEFORE, 2), True, "=="),
]
LAST = [
    library.select_from_last(tokens, "1"),
    *(select(alone(IS_ONE, select(tokens, "1", "=="), AFTER, how), True, "==") for how in range(6)),
]
OTHERS = [
    select(alone(IS_ONE, select(tokens, "0", "=="), BEFORE, 0), True, "=="),
    select(alone(IS_ONE, select(tokens, "1", "=="), select(indices, indices, "<="), 0), True, "=="),
    select(alone(IS_ONE, select(tokens, "1", "=="), BEFORE, 0), False, "=="),
    select(alone(tokens_int, select(tokens_int, True, "=="), BEFORE, 0), True, "=="),
    select(tokens_int * alone(IS_ONE, select(tokens, "1", "=="), BEFORE, 1), 1, "=="),
]


def uses(selector: Selector) -> list[SOp]:
    """S-ops that read a selector in every way."""
    near = selector & select(indices, indices - 1, "<=")
    return [
        aggregate(selector, indices, -1),
        aggregate(near, 2 * indices, -2),
        selector_width(selector),
        selector_width(~selector | BEFORE),
        aggregate(best(selector, tokens_int), indices, 7),
    ]


def same(program: SOp, *, causal: bool) -> None:
    """On all short words the program that is compiled has the same values and the same type."""
    meaning = looking_back(program.node) if causal else program.node
    new, _ = prepare(program.node, causal=causal)
    for word in WORDS:
        one, other = reference.evaluate(meaning, word), reference.evaluate(new, word)
        assert (one.values, one.type) == (other.values, other.type), word


@pytest.mark.parametrize("number", range(len(FIRST)))
@pytest.mark.parametrize("causal", [False, True])
def test_first_key(number: int, causal: bool) -> None:
    for program in uses(FIRST[number]):
        same(program, causal=causal)
    new, _ = prepare(uses(FIRST[number])[0].node, causal=causal)
    assert any(isinstance(node, Best) for node in topological(new))


@pytest.mark.parametrize("number", range(len(LAST)))
@pytest.mark.parametrize("causal", [False, True])
def test_last_key(number: int, causal: bool) -> None:
    """With later positions hidden every such key is the last one so far, so that nothing is picked."""
    for program in uses(LAST[number]):
        same(program, causal=causal)
    new, _ = prepare(uses(LAST[number])[0].node, causal=causal)
    assert any(isinstance(node, Best) for node in topological(new)) is not causal


@pytest.mark.parametrize("number", range(len(OTHERS)))
def test_others_stay(number: int) -> None:
    program = uses(OTHERS[number])[0]
    same(program, causal=False)
    assert not any(isinstance(node, Best) for node in topological(prepare(program.node, causal=False)[0]))


@given(st.sampled_from(FIRST + LAST), st.integers(0, 4), st.lists(st.sampled_from("210"), min_size=6, max_size=12))
def test_longer_words(selector: Selector, use: int, word: list[str]) -> None:
    program = uses(selector)[use]
    new, _ = prepare(program.node, causal=False)
    assert reference.evaluate(new, word).values == reference.evaluate(program.node, word).values


def test_a_copy_behind_a_separator_is_small_and_certified() -> None:
    separator = aggregate(library.select_from_first(tokens, "#"), indices, -1)
    copied = aggregate(select(indices, indices - separator - 1, "=="), tokens, "")
    program = capax.where(indices > separator, copied, tokens)
    compiled = capax.compile(program, alphabet="abc#", max_length=30, words=20)
    assert compiled.certified_length == 30
    assert compiled.size.parameters < 1_500
