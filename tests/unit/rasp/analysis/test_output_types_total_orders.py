"""Selectors that are strict total orders of the positions."""

import itertools
from typing import Any

import pytest

from capax.rasp.analysis.output_types import is_total_order
from capax.rasp.ir.nodes import And, Indices, Input, Map, Or, Select, SelectorNode, Width
from capax.rasp.meaning import reference

HERE, X = Indices(), Input("asis")


def before(x: Any, rest: SelectorNode, op: str = "<") -> SelectorNode:
    """By x, ties by another order."""
    return Or(Select(x, x, op), And(Select(x, x, "=="), rest))


LATER = Select(HERE, HERE, "<")
Y = Map("*", (X, X))


@pytest.mark.parametrize(
    ("selector", "total"),
    [
        (LATER, True),
        (before(X, LATER), True),
        (before(X, Select(HERE, HERE, ">"), ">"), True),
        (before(X, before(Y, LATER)), True),
        (Or(And(LATER, Select(X, X, "==")), Select(X, X, "<")), True),
        (Select(X, X, "<"), False),
        (Select(HERE, HERE, "<="), False),
        (Or(Select(X, X, "<"), LATER), False),
        (before(X, Select(Y, Y, "<")), False),
        (Or(Select(X, X, "<="), And(Select(X, X, "=="), LATER)), False),
        (Or(Select(X, X, "<"), And(Select(Y, Y, "=="), LATER)), False),
    ],
)
def test_total_orders(selector: SelectorNode, total: bool) -> None:
    """Where one is named, the widths are the ranks of every word, each once; the other way round some word shows it."""
    assert is_total_order(selector) is total
    words = [w for n in range(1, 5) for w in itertools.product((-1, 0, 1), repeat=n)]
    ranks = all(sorted(reference.evaluate(Width(selector), w)) == list(range(len(w))) for w in words)
    assert ranks is total
