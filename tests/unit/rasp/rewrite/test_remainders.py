"""Remainders by the length become comparisons and differences that give the same, value and type."""

from typing import Any

import pytest

import capax
from capax import aggregate, indices, length, select, selector_width, tokens
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import Map
from capax.rasp.meaning.reference import evaluate
from capax.rasp.rewrite.prepare import prepare

KNOWN: list[Any] = [
    (indices - 1) % length,
    (indices - 1 + length) % length,
    (indices + 3) % length,
    (length - indices) % length,
    (indices + round(length / 2)) % length,
    (2 * length - 1 - indices) % length,
    (length - 1) % (indices + 1 + length),
    (selector_width(select(tokens, "a", "==")) + indices) % length,
]
LEFT: list[Any] = [
    indices % 3,
    (indices * indices) % length,
    (indices - 2) % length,
    (5 * indices) % length,
    length % (indices + 1),
    (indices + 0.5) % length,
    indices % (length - 1),
]


def remainders(program: Any) -> bool:
    """Whether a remainder is left in what is compiled."""
    return any(isinstance(n, Map) and n.op == "%" for n in topological(prepare(program.node, causal=False)[0]))


@pytest.mark.parametrize("number", range(len(KNOWN)))
def test_the_same_on_words(number: int) -> None:
    program = KNOWN[number]
    assert not remainders(program)
    plain, _ = prepare(program.node, causal=False)
    for word in ("a", "b", "ab", "aab", "aaaa", "babab", "aaaaaa", "abababab"):
        known, done = evaluate(program.node, word), evaluate(plain, word)
        assert (done.values, done.type) == (known.values, known.type)


@pytest.mark.parametrize("number", range(len(LEFT)))
def test_what_bounds_do_not_show_is_left(number: int) -> None:
    assert remainders(LEFT[number])


def test_a_rotation_is_small_and_certified() -> None:
    rotated = aggregate(select(indices, (indices + round(length / 2)) % length, "=="), tokens)
    compiled = capax.compile(rotated, alphabet="ab", max_length=40, words=10)
    assert compiled.certified_length == 40
    assert compiled.size.parameters <= 3_000
