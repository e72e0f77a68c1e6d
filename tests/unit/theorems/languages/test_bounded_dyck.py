"""Dyck-k of bounded depth."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capax.formal.languages.brackets import brackets
from capax.formal.languages.catalogue import language
from capax.theorems.languages import bounded_dyck
from capax.theorems.languages.parts.brackets.erasing import erasing


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
