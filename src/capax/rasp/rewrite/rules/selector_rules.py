"""Rules for selectors: the algebra of and, or and not, and of comparisons.

Each rule is a function from a node to a simpler one, or to None where it does not apply. A chain of `and` (or of `or`)
is taken apart into its operands, since both are associative, commutative and decided pair by pair. A rule may drop an
operand, and with it the operand's errors, but never brings in an error of its own.
"""

import struct
from functools import reduce
from hashlib import blake2b
from typing import Any, Final
from weakref import WeakKeyDictionary

from capax.errors import CapaxError
from capax.rasp.analysis.linear_bounds import decided_selector
from capax.rasp.analysis.uniform import is_uniform
from capax.rasp.ir.describe import FULL
from capax.rasp.ir.graph import postorder
from capax.rasp.ir.nodes import And, Best, Const, Node, Not, Or, Select, SelectorNode
from capax.rasp.ir.ops import apply_op
from capax.rasp.meaning.vector.terms import ANY, MASKS, SYMBOLS

EMPTY: Final = Select(Const(1), Const(1), "!=")
"""The selector that selects nothing; `FULL`, of `full_s`, selects everything."""

MOST_OPERANDS = 32
"""Longer chains are not taken apart: the rules then see the two operands only."""

Joined = And | Or


def negated_comparison(node: Node) -> Node | None:
    """`not select(k, q, op)` is `select(k, q, op')` with the opposite comparison.

    Right because of two numbers or two strings exactly one of <, == and > holds (there is no nan). Of a string and a
    number == is false and != is true, and an order is an error before and after.
    """
    if isinstance(node, Not) and isinstance(node.inner, Select):
        return Select(node.inner.key, node.inner.query, SYMBOLS[ANY ^ MASKS[node.inner.op]])
    return None


def double_negation(node: Node) -> Node | None:
    """`not not s` is `s`. Right pair by pair; selectors hold booleans only."""
    if isinstance(node, Not) and isinstance(node.inner, Not):
        return node.inner.inner
    return None


def push_negation(node: Node) -> Node | None:
    """`not (s and t)` is `not s or not t`, and `not (s or t)` is `not s and not t` (De Morgan).

    Right pair by pair; the same comparisons are made, so the same words fail.
    """
    match node:
        case Not(inner=And()):
            return Or(Not(node.inner.left), Not(node.inner.right))
        case Not(inner=Or()):
            return And(Not(node.inner.left), Not(node.inner.right))
        case _:
            return None


def constant_selector(node: Node) -> Node | None:
    """A comparison of two constants selects everything or nothing, written in one way each.

    Right because every pair compares the same two atoms. Left alone where the comparison is an error.
    """
    if not isinstance(node, Select) or not (isinstance(node.key, Const) and isinstance(node.query, Const)):
        return None
    try:
        constant = FULL if apply_op(node.op, node.key.value, node.query.value) else EMPTY
    except CapaxError:
        return None
    nan = node.key.value != node.key.value or node.query.value != node.query.value
    return None if constant is node or nan else constant


def known_selector(node: Node) -> Node | None:
    """`select(indices, length, <)` selects everything, `select(length, length, !=)` nothing.

    Right because the same s-op at a key and at a query is equal where it is the same at all positions, and because
    bounds that hold on every word decide some comparisons of integers; errors of the operands are dropped. Where later
    positions are hidden afterwards, an s-op that is the same at all positions is so no longer, and a key may see
    another length than the query: this rule is for programs in which nothing is hidden any more.
    """
    if not isinstance(node, Select) or (isinstance(node.key, Const) and isinstance(node.query, Const)):
        return None
    if node.key is node.query and is_uniform(node.key):
        return FULL if node.op in ("==", "<=", ">=") else EMPTY
    outcome = decided_selector(node)
    return None if outcome is None else FULL if outcome else EMPTY


def same_pair(node: Node) -> Node | None:
    """Comparisons of the same key and query in a chain become one, or everything, or nothing.

    A comparison is a set of outcomes among <, == and >: `and` intersects the sets, `or` unites them. Right for two
    numbers or two strings, of which one outcome holds. Of a string and a number only == and != are no errors; they
    unite to everything and meet in nothing, as their values False and True do. An order comparison in the result comes
    from one in a part, which fails on the same words.
    """
    if not isinstance(node, Joined):
        return None
    masks: dict[SelectorNode | tuple[Node, Node], int] = {}
    items = chain(node)
    for item in items:
        pair, mask = ((item.key, item.query), MASKS[item.op]) if isinstance(item, Select) else (item, 0)
        known = masks.get(pair, mask)
        masks[pair] = known & mask if isinstance(node, And) else known | mask
    if len(masks) == len(items):
        return None
    return join(node, [_compared(pair, mask) for pair, mask in masks.items()])


def _compared(pair: SelectorNode | tuple[Node, Node], mask: int) -> SelectorNode:
    if isinstance(pair, SelectorNode):
        return pair
    return FULL if mask == ANY else EMPTY if mask == 0 else Select(*pair, SYMBOLS[mask])


def idempotent(node: Node) -> Node | None:
    """`s and s` is `s`, and `s or s` is `s`, also within a chain. Right pair by pair."""
    if not isinstance(node, Joined):
        return None
    items = chain(node)
    distinct = list(dict.fromkeys(items))
    return join(node, distinct) if len(distinct) < len(items) else None


def complement(node: Node) -> Node | None:
    """`s and not s` selects nothing, `s or not s` everything, also within a chain. Right pair by pair."""
    if not isinstance(node, Joined):
        return None
    items = set(chain(node))
    if any(isinstance(i, Not) and i.inner in items for i in items):
        return EMPTY if isinstance(node, And) else FULL
    return None


def absorption(node: Node) -> Node | None:
    """`s and (s or t)` is `s`, and `s or (s and t)` is `s`, also within chains.

    Right pair by pair; errors of `t` are dropped.
    """
    if not isinstance(node, Joined):
        return None
    dual = Or if isinstance(node, And) else And
    items = chain(node)
    present = set(items)
    left = [i for i in items if not (isinstance(i, dual) and present.intersection(chain(i)))]
    return join(node, left) if len(left) < len(items) else None


def full_and_empty(node: Node) -> Node | None:
    """`s and full_s` is `s`, `s or full_s` is everything, and the same with nothing for `or` and `and`.

    Right pair by pair; errors of `s` are dropped where it no longer counts.
    """
    if not isinstance(node, Joined):
        return None
    neutral, decisive = (FULL, EMPTY) if isinstance(node, And) else (EMPTY, FULL)
    items = chain(node)
    if decisive in items:
        return decisive
    left = [i for i in items if i is not neutral]
    return join(node, left or [neutral]) if len(left) < len(items) else None


def best_of_nothing(node: Node) -> Node | None:
    """`best` of the empty selector is empty. Right because it picks among the selected keys only."""
    return EMPTY if isinstance(node, Best) and node.selector is EMPTY else None


def order_operands(node: Node) -> Node | None:
    """The operands of a chain of `and` or `or` stand in the order of their fingerprints, joined from the left.

    Right because both operations are commutative and associative pair by pair; the same comparisons are made. Selectors
    that differ only in the order and grouping of their parts become the same node, in every process the same one.
    """
    if not isinstance(node, Joined):
        return None
    ordered = join(node, sorted(chain(node), key=fingerprint))
    return None if ordered is node else ordered


def chain(node: SelectorNode) -> list[SelectorNode]:
    """The operands of a chain of one operator, from left to right; of a long chain just the two at its top."""
    kind = type(node)
    operands: list[SelectorNode] = []
    waiting: list[SelectorNode] = [node]
    while waiting:
        item = waiting.pop()
        if isinstance(item, kind):
            waiting += [item.parts[1], item.parts[0]]
        else:
            operands.append(item)
        if len(operands) + len(waiting) > MOST_OPERANDS:
            return list(node.parts)
    return operands


def join(node: SelectorNode, items: list[SelectorNode]) -> SelectorNode:
    """The items joined from the left by the operator of the node."""
    return reduce(type(node), items)


_known: WeakKeyDictionary[Node, bytes] = WeakKeyDictionary()
"""Fingerprints already computed. A node never changes, so this only saves time."""


def fingerprint(root: Node) -> bytes:
    """Sixteen bytes that depend only on the shape of the node and on its constants, with their types.

    Nodes are told apart by a cryptographic hash, so two different shapes with one fingerprint are not to be expected.
    """
    for node in postorder([root], lambda n: [o for o in n.operands if o not in _known]):
        _known[node] = blake2b(_spelled((type(node).__name__, *node.parts)), digest_size=16).digest()
    return _known[root]


def _spelled(part: Any) -> bytes:
    """The part as bytes that no other part has."""
    if isinstance(part, Node):
        return b"n" + _known[part]
    if isinstance(part, tuple):
        return b"t%d:" % len(part) + b"".join(map(_spelled, part))
    if isinstance(part, float):
        return b"f" + struct.pack("<d", part)
    text = hex(part) if isinstance(part, int) else str(part)
    kind = {bool: b"b", int: b"i"}.get(type(part), b"s")
    spelled = text.encode("utf-8", "surrogatepass")
    return kind + b"%d:" % len(spelled) + spelled
