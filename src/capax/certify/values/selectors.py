"""What a selector surely does, whatever the word: orders positions, selects a key for every query."""

import itertools
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from capax.rasp.analysis.linear_bounds import decided, is_position
from capax.rasp.ir.describe import FULL
from capax.rasp.ir.graph import conjuncts, evaluation_order, postorder
from capax.rasp.ir.nodes import (
    And,
    Best,
    Const,
    Indices,
    Map,
    Node,
    Not,
    Or,
    Select,
    SelectorNode,
    SOpNode,
    Width,
)
from capax.rasp.ir.ops import apply_op
from capax.rasp.ir.triple_nodes import TripleNode
from capax.rasp.ir.triple_parts import conjunction


def is_rank(node: Node, first: int = 0) -> bool:
    """Whether an s-op is the rank of every position in an order of the positions, from `first`, which is 0 or 1, on."""
    return isinstance(node, Width) and _orders_positions(node.selector, with_itself=first == 1)


def _orders_positions(selector: SelectorNode, *, with_itself: bool) -> bool:
    """Whether exactly one of any two positions selects the other, transitively: checked on all outcomes of comparisons.

    For each key x that is compared with itself the outcome is <, = or >; of two positions < or >. The selector must be
    the lexicographic order of some sequence of keys that ends with the position. `with_itself`: each position selects
    itself, where all outcomes are =, and counts go from 1 to n; otherwise none does, and they go from 0 to n - 1.
    """
    parts = made_of(selector)
    leaves = [n for n in parts if isinstance(n, Select)]
    if not all(isinstance(n, (Select, And, Or)) for n in parts):
        return False
    keys = list(dict.fromkeys(leaf.key for leaf in leaves))
    if not leaves or any(leaf.key is not leaf.query for leaf in leaves) or Indices() not in keys or len(keys) > 5:
        return False
    others = [k for k in keys if k is not Indices()]
    if selects_pair(selector, {(k, k): 0 for k in keys}) is not with_itself:
        return False
    cells = list(itertools.product(*[(-1, 0, 1)] * len(others), (-1, 1)))
    for order in itertools.permutations(others):
        for signs in itertools.product((-1, 1), repeat=len(keys)):
            if all(
                selects_pair(selector, {(k, k): c for k, c in zip((*order, Indices()), cell, strict=True)})
                is _lexicographic(cell, signs)
                for cell in cells
            ):
                return True
    return False


def _lexicographic(cell: tuple[int, ...], signs: tuple[int, ...]) -> bool:
    """Whether the first difference has the sign that is asked for its key."""
    return next((c == s for c, s in zip(cell, signs, strict=True) if c), False)


HOLDS = {
    "==": lambda s: s == 0,
    "!=": lambda s: s != 0,
    "<": lambda s: s < 0,
    ">": lambda s: s > 0,
    "<=": lambda s: s <= 0,
    ">=": lambda s: s >= 0,
}


@lru_cache(maxsize=64)
def made_of(selector: SelectorNode) -> tuple[Node, ...]:
    """A selector and the selectors that it is made of, operands first; not those inside keys and queries."""
    return tuple(postorder([selector], lambda n: [o for o in n.operands if isinstance(o, SelectorNode)]))


def selects_pair(selector: SelectorNode, signs: Mapping[tuple[SOpNode, SOpNode], int]) -> bool:
    """Whether a pair is selected, given how each key compares with each query: -1, 0 or 1."""
    selected: dict[Node, bool] = {}
    for node in made_of(selector):
        match node:
            case Select():
                selected[node] = bool(HOLDS[node.op](signs[node.key, node.query]))
            case And():
                selected[node] = selected[node.left] and selected[node.right]
            case Or():
                selected[node] = selected[node.left] or selected[node.right]
    return selected[selector]


def is_filled(selector: SelectorNode, longest: int) -> bool:
    """Whether every query surely selects a key: a witness, which is itself, the first, the last or another position.

    Of each witness it is asked what every comparison surely says. A key that is a rank is at every number from 0 to
    n - 1 once, so `==` with a position is a witness by itself.
    """
    match selector:
        case Best():
            return is_filled(selector.selector, longest)
        case Select(op="==") if is_rank(selector.key):
            return selector.query is selector.key or _is_a_position(selector.query, longest)
        case Or() if is_filled(selector.left, longest) or is_filled(selector.right, longest):
            return True
    parts = made_of(selector)
    leaves = [n for n in parts if isinstance(n, Select)]
    named = [n.query for n in leaves if n.op == "==" and n.key is Indices()]
    last = Map("-", (Width(FULL), Const(1)))
    witnesses = dict.fromkeys([Indices(), Const(0), last, *named])
    return any(_is_a_position(w, longest) and _surely_selects(parts, w, longest) for w in witnesses)


class FilledSelectors:
    """Which selectors surely select a key at every query, by length.

    What holds on all words up to a length holds on those up to a shorter one; so what is found at some lengths, in a
    search for the greatest that is certified, need not be found again at others.
    """

    def __init__(self) -> None:
        self._up_to: dict[SelectorNode, int] = {}
        self._not_from: dict[SelectorNode, int] = {}

    def at(self, selector: SelectorNode, longest: int) -> bool:
        """Whether every query of every word up to a length surely selects a key."""
        if longest > self._up_to.get(selector, 0) and longest < self._not_from.get(selector, longest + 1):
            known = self._up_to if is_filled(selector, longest) else self._not_from
            known[selector] = longest
        return longest <= self._up_to.get(selector, 0)


def _surely_selects(parts: Sequence[Node], witness: SOpNode, longest: int) -> bool:
    """Whether a selector surely selects the key at a position, which is an s-op of the query.

    `parts` are what it is made of, itself last.
    """
    surely: dict[Node, bool | None] = {}
    for node in parts:
        match node:
            case Select():
                surely[node] = _surely_holds(node, witness, longest)
            case Best():
                surely[node] = None
            case Not():
                inner = surely[node.inner]
                surely[node] = None if inner is None else not inner
            case And() | Or():
                both, decides = (surely[node.left], surely[node.right]), isinstance(node, Or)
                surely[node] = decides if decides in both else None if None in both else not decides
    return surely[parts[-1]] is True


def _surely_holds(leaf: Select, witness: SOpNode, longest: int) -> bool | None:
    """What a comparison surely says of the key at a position; None where that is not known."""
    if leaf.key is leaf.query and (witness is Indices() or isinstance(leaf.key, Const)):
        return bool(HOLDS[leaf.op](0))
    if leaf.key is not Indices():
        return None
    if witness is leaf.query:
        return bool(HOLDS[leaf.op](0))
    if not _is_linear(witness) or not _is_linear(leaf.query):
        return decided(leaf.op, witness, leaf.query)
    differences = [a - b for a, b in zip(_corners(witness, longest), _corners(leaf.query, longest), strict=True)]
    signs = {(d > 0) - (d < 0) for d in differences}
    if len(signs) == 1:  # linear, so it has this sign everywhere
        return bool(HOLDS[leaf.op](signs.pop()))
    if leaf.op in ("<", ">=") and signs == {0, 1}:
        return leaf.op == ">="
    if leaf.op in (">", "<=") and signs == {0, -1}:
        return leaf.op == "<="
    return None


def selects_one_pair(triples: TripleNode, unique: Mapping[Node, bool]) -> bool:
    """Whether a query surely selects at most one pair of keys: at most one first and at most one second key."""
    parts = conjunction(triples)
    if parts is None or parts.first is None or parts.second is None:
        return False
    return all(any(unique.get(s, False) for s in conjuncts(side)) for side in (parts.first, parts.second))


def _is_a_position(node: SOpNode, longest: int) -> bool:
    """Whether an s-op made of position, length and constants by + and - is a position of the word, on every word."""
    if is_position(node):
        return True
    if not _is_linear(node):
        return False
    one, first, last = _corners(node, longest)
    return bool(one == 0) and 0 <= first < longest and 0 <= last < longest


def _is_linear(node: SOpNode) -> bool:
    """Whether an s-op is a sum of positions, lengths and integers, or of such times integers."""
    return all(_keeps_linear(n) for n in evaluation_order(node))


def _keeps_linear(node: Node) -> bool:
    match node:
        case Indices():
            return True
        case Const():
            return type(node.value) is int  # sums of floats are rounded, and not linear
        case Map():
            return node.op in ("+", "-", "neg", "pos") or _is_multiple(node)
        case _:
            return node in (Width(FULL), FULL)


def _is_multiple(node: Map) -> bool:
    return node.op == "*" and any(isinstance(a, Const) for a in node.args)


def _corners(root: SOpNode, longest: int) -> tuple[Any, Any, Any]:
    """The values at the extreme pairs of a length and a position: a linear function is between its values there.

    They are the only position of the shortest word, and the first and the last of the longest.
    """
    values: dict[Node, tuple[Any, Any, Any]] = {}
    for node in evaluation_order(root):
        if isinstance(node, Indices):
            values[node] = (0, 0, longest - 1)
        elif isinstance(node, Const):
            values[node] = (node.value,) * 3
        elif isinstance(node, Width):
            values[node] = (1, longest, longest)
        elif isinstance(node, Map):
            one, first, last = zip(*(values[a] for a in node.args), strict=True)
            values[node] = (apply_op(node.op, *one), apply_op(node.op, *first), apply_op(node.op, *last))
    return values[root]
