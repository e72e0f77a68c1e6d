"""Quotients of counts become means that give the same, value and type."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import capax
from capax import SOp, indices, length, select, selector_width, tokens
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import Aggregate, Node, Width
from capax.rasp.meaning import reference
from capax.rasp.rewrite.prepare import prepare
from capax.rasp.rewrite.recognise_shares import share_of_keys

A, B = select(tokens, "a", "=="), select(tokens, "b", "==")
EARLIER, BEFORE = select(indices, indices, "<="), select(indices, indices, "<")
a, so_far, n = selector_width(A), selector_width(A & EARLIER), selector_width(select(1, 1, "=="))
WORDS = [word for size in range(1, 6) for word in product("abc", repeat=size)]

SHARES = [
    (a, n),
    (a, length),
    (a - 2 * selector_width(B), length),
    (length - a, length),
    (selector_width(select(indices, 2, "<") & A), length),
    (so_far, indices + 1),
    (1 + indices - so_far, 1 + indices),
    (-so_far + 3 * selector_width(EARLIER), selector_width(EARLIER)),
    (selector_width(select(tokens, tokens, "==") & B), selector_width(select(tokens, tokens, "=="))),
    (selector_width(A & BEFORE), selector_width(BEFORE)),
]
OTHERS = [
    (a, selector_width(B)),
    (a, indices + 1),
    (so_far, indices + 2),
    (a + 1, length),
    (a * a, length),
    (a * 0.5, length),
    (selector_width(select(tokens, tokens, "==")), length),
    (selector_width(A | EARLIER), length),
]


def outcome(node: Node, word: tuple[str, ...]) -> tuple[str, str] | None:
    """The values and their type; None where the program divides by zero."""
    try:
        values = reference.evaluate(node, word)
    except capax.CapaxError as error:
        return None if error.code == "division-by-zero" else (error.code, error.what)
    return values.type, repr(values.values)


@pytest.mark.parametrize("number", range(len(SHARES)))
def test_the_same_on_all_short_words(number: int) -> None:
    top, below = SHARES[number]
    mean = share_of_keys(top.node, below.node)
    assert isinstance(mean, Aggregate)
    assert not any(isinstance(part, Width) for part in topological(mean))
    for word in WORDS:
        known = outcome((top / below).node, word)
        assert known is None or outcome(mean, word) == known, word


@given(st.integers(0, len(SHARES) - 1), st.text("abc", min_size=6, max_size=60))
def test_the_same_on_longer_words(number: int, word: str) -> None:
    top, below = SHARES[number]
    mean = share_of_keys(top.node, below.node)
    assert mean is not None
    known = outcome((top / below).node, tuple(word))
    assert known is None or outcome(mean, tuple(word)) == known


@pytest.mark.parametrize("number", range(len(OTHERS)))
def test_what_is_left_alone(number: int) -> None:
    top, below = OTHERS[number]
    assert share_of_keys(top.node, below.node) is None


@pytest.mark.parametrize("causal", [False, True])
def test_a_share_compiles_to_one_mean(causal: bool) -> None:
    share = a / length
    assert isinstance(share, SOp)
    assert isinstance(prepare(share.node, causal=causal)[0], Aggregate)
    compiled = capax.compile(share, alphabet="ab", max_length=60, causal=causal, words=10)
    assert compiled.certified_length == 60
    assert compiled.size.parameters <= 20
