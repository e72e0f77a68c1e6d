"""Conjunctions taken apart."""

from capax import indices, select, tokens
from capax.rasp.ir.graph import conjuncts
from capax.rasp.ir.nodes import And

ONE, TWO, THREE = (select(tokens, tokens, op).node for op in ("==", "<", ">"))
EITHER = (select(tokens, tokens, "==") | select(indices, indices, "<")).node


def test_they_come_as_written() -> None:
    assert conjuncts(And(And(ONE, EITHER), And(TWO, THREE))) == [ONE, EITHER, TWO, THREE]


def test_another_selector_is_its_only_one() -> None:
    assert conjuncts(EITHER) == [EITHER]


def test_long_conjunctions_have_each_part_once() -> None:
    node = ONE
    for _ in range(3000):
        node = And(node, TWO)
    assert conjuncts(node) == [ONE, TWO]
