"""Orders over many tokens, digit by digit, where keys are counted: a head for each digit, and each head is small.

A head that counts the keys below the query takes as many dimensions as there are values. With the rank of a value as
two digits, a key is below the query if its high digit is, or if the high digits are equal and its low digit is below:
two counts that never overlap, over as many values as the square root each.
"""

from collections.abc import Iterable, Sequence
from functools import reduce
from typing import cast

from capax.errors import CapaxError
from capax.rasp.ir.graph import rebuild, topological
from capax.rasp.ir.nodes import And, Const, Input, Map, Node, Or, Select, SelectorNode, SOpNode, Table, Width
from capax.rasp.ir.types import Atom
from capax.rasp.meaning import reference
from capax.rasp.rewrite.disjoint import disjoint_parts

FEW = 64
"""With up to this many values an order is left as it is."""

MOST_DIGIT = 40
"""Digits are to a base of at most this."""

STRICT = {"<": "<", ">": ">", "<=": "<", ">=": ">"}


def split_orders(root: SOpNode, tokens: Sequence[Atom]) -> dict[Node, Node]:
    """What every node below a root becomes, on words of some tokens: widths whose orders go by digits."""
    if len(tokens) <= FEW:
        return {}
    return rebuild(root, lambda node: _split_width(node, tokens) if isinstance(node, Width) else node)


def _split_width(node: Width, tokens: Sequence[Atom]) -> Width:
    leaves = [n for n in topological(node.selector) if isinstance(n, Select)]
    sides = {(n.key, n.query) for n in leaves if n.op in STRICT}
    selector: Node = node.selector
    for key, query in sorted(sides, key=repr):
        ops = {n.op for n in leaves if (n.key, n.query) == (key, query)}
        digits = _digits(key, query, tokens) if "!=" not in ops else None
        if digits is not None:
            selector = rebuild(selector, lambda n, d=digits, k=key, q=query: _by_digits(n, k, q, d))[selector]  # type: ignore[misc]
    assert isinstance(selector, SelectorNode)
    return node if selector is node.selector or disjoint_parts(selector) is None else Width(selector)


def _digits(key: SOpNode, query: SOpNode, tokens: Sequence[Atom]) -> list[tuple[SOpNode, SOpNode]] | None:
    """The digits of ranks, of keys and of queries, highest first; None where the values are few, or not the token's."""
    seen = [_values(n, tokens) for n in (key, query)]
    if seen[0] is None or seen[1] is None:
        return None
    try:
        union = sorted({*seen[0], *seen[1]})
    except TypeError:
        return None
    if len(union) <= FEW:
        return None
    count = 2
    while MOST_DIGIT**count < len(union):
        count += 1
    base = next(b for b in range(2, MOST_DIGIT + 1) if b**count >= len(union))
    places = [base**i for i in reversed(range(count))]
    tables = [tuple((v, rank // place % base) for rank, v in enumerate(union)) for place in places]
    return [(Table("dict", table, key), Table("dict", table, query)) for table in tables]


def _values(node: SOpNode, tokens: Sequence[Atom]) -> set[Atom] | None:
    """The values of a node that is a function of the token; None where it is not, or has no value for a token."""
    if not all(isinstance(n, (Input, Const, Map, Table)) for n in topological(node)):
        return None
    try:
        return {cast(Atom, reference.evaluate(node, (token,))[0]) for token in tokens}
    except CapaxError:
        return None


def _by_digits(node: Node, key: SOpNode, query: SOpNode, digits: list[tuple[SOpNode, SOpNode]]) -> Node:
    """A comparison of two s-ops by their digits; any other selector as it is."""
    if not isinstance(node, Select) or (node.key, node.query) != (key, query):
        return node
    if node.op == "==":
        return _all(Select(k, q, "==") for k, q in digits)
    cases: list[SelectorNode] = []
    for number, (k, q) in enumerate(digits):
        equal = [Select(*pair, "==") for pair in digits[:number]]
        last = node.op if number == len(digits) - 1 else STRICT[node.op]
        cases.append(_all([*equal, Select(k, q, last)]))
    return reduce(Or, cases)


def _all(selectors: Iterable[SelectorNode]) -> SelectorNode:
    return reduce(And, selectors)
