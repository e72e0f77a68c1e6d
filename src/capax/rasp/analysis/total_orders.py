"""Selectors that are strict orders of the places, whose widths are the ranks 0, ..., n - 1; and reflexive ones."""

from capax.rasp.ir.describe import FULL
from capax.rasp.ir.nodes import And, Indices, Or, Select, SelectorNode
from capax.rasp.rewrite.conjuncts import conjuncts, operands_of

STRICT = ("<", ">")


def is_total_order(selector: SelectorNode) -> bool:
    """Whether a selector is a strict order of the positions: by a key, ties by the next key, and at last by position.

    `select(x, x, <) or (select(x, x, ==) and rest)`, where `rest` is such an order, is one; so is a comparison of
    positions.
    """
    parts = [operands_of(part, And) for part in operands_of(selector, Or)]
    while True:
        if len(parts) == 1 and len(parts[0]) == 1:
            last = parts[0][0]
            if isinstance(last, Or):
                parts = [operands_of(part, And) for part in operands_of(last, Or)]
                continue
            return isinstance(last, Select) and last.op in STRICT and last.key is last.query is Indices()
        first = next((p[0] for p in parts if len(p) == 1 and _compares_itself(p[0])), None)
        if not isinstance(first, Select):
            return False
        equal = Select(first.key, first.query, "==")
        rest = [[leaf for leaf in p if leaf is not equal] for p in parts if p != [first]]
        if len(rest) != len(parts) - 1 or any(equal not in p for p in parts if p != [first]):
            return False
        parts = rest


def _compares_itself(node: SelectorNode) -> bool:
    return isinstance(node, Select) and node.op in STRICT and node.key is node.query


def selects_self(node: SelectorNode) -> bool:
    """Whether every query surely selects its own position."""
    return all(
        part is FULL or (isinstance(part, Select) and part.key is part.query and part.op in ("==", "<=", ">="))
        for part in conjuncts(node)
    )
