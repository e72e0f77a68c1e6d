"""Orders of an s-op and one that is the same at all positions."""

from itertools import product

import pytest

import capax
from capax import Program, aggregate, indices, length, select, selector_width, tokens_int
from capax.rasp.ir.nodes import Const, Select
from capax.rasp.meaning.reference import evaluate
from capax.rasp.rewrite.prepare import order_at_one_side, prepare

MIDDLE = length // 2
LARGEST = selector_width(select(tokens_int, 1, ">="))


@pytest.mark.parametrize("op", ["<", "<=", ">", ">=", "!="])
@pytest.mark.parametrize("left", [True, False])
def test_the_same_pairs(op: str, left: bool) -> None:
    selector = select(indices, MIDDLE, op) if left else select(LARGEST, tokens_int, op)
    asked = order_at_one_side(selector.node)
    assert isinstance(asked, Select)
    assert Const(True) in (asked.key, asked.query)
    for n in range(1, 5):
        for word in product((0, 1, 2), repeat=n):
            assert evaluate(asked, word) == evaluate(selector.node, word)


def test_others_are_left() -> None:
    for selector in (select(indices, MIDDLE, "=="), select(indices, 3, "<"), select(indices, tokens_int, "<")):
        assert order_at_one_side(selector.node) is selector.node


def test_hidden_positions_make_a_length_of_each_position() -> None:
    """A causal model knows of no length at an early position that a later one knows of."""
    program = selector_width(select(indices, MIDDLE, "<"))
    plain, _ = prepare(program.node, causal=True)
    for n in range(1, 8):
        wanted = [evaluate(program.node, "a" * k)[k - 1] for k in range(1, n + 1)]
        assert list(evaluate(plain, "a" * n)) == wanted


@pytest.mark.parametrize(
    "program",
    [
        aggregate(select(indices, MIDDLE, "<"), tokens_int),
        selector_width(select(indices, length - 3, ">=") & select(tokens_int, 1, "==")),
    ],
)
def test_small_at_any_length(program: Program) -> None:
    """As an order of positions each has a product for each position."""
    compiled = capax.compile(program, alphabet=[0, 1], max_length=100, words=30)
    assert compiled.certified_length == 100
    assert compiled.size.parameters < 1_500
