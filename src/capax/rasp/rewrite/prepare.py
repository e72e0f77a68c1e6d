"""The program that is compiled: rewritten, counting made plain, causal if asked, and every `best` by itself.

Each step keeps the meaning on every word on which the program gives a value.
"""

from functools import reduce
from itertools import combinations

from capax.rasp.analysis.uniform import is_uniform
from capax.rasp.ir.graph import rebuild, topological
from capax.rasp.ir.loop_nodes import LoopResult
from capax.rasp.ir.nodes import (
    Aggregate,
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
from capax.rasp.ir.ops import write_out
from capax.rasp.ir.triple_nodes import Lift, PairAggregate, PairWidth, TripleAnd
from capax.rasp.ir.triple_parts import conjunction, conjunctions
from capax.rasp.ir.types import Atom
from capax.rasp.rewrite.positional_counts import count_beside_masks, count_positions
from capax.rasp.rewrite.recognise_counts import recognise_counts
from capax.rasp.rewrite.recognise_ends import recognise_first, recognise_last
from capax.rasp.rewrite.recognise_shares import recognise_shares
from capax.rasp.rewrite.remainders import remainder_by_differences
from capax.rasp.rewrite.rewrite import BEFORE_HIDING, RULES, rewrite

CAUSAL = Select(Indices(), Indices(), "<=")
BOTH_CAUSAL = TripleAnd(Lift("first", CAUSAL), Lift("second", CAUSAL))


def prepare(root: SOpNode, *, causal: bool) -> tuple[SOpNode, dict[Node, Node]]:
    """The node to compile, and what every node of the program became."""
    expansion = rebuild(root, write_out)
    first = rewrite(expansion[root], rules=BEFORE_HIDING if causal else RULES)
    mapping = {old: first.mapping.get(new, new) for old, new in expansion.items()}
    node: Node = first.node
    ends = (recognise_first,) if causal else (recognise_first, recognise_last)
    hiding = (make_causal,) if causal else ()
    for step in (*ends, recognise_counts, recognise_shares, *hiding, isolate_best, count_by_parts):
        changed = rebuild(node, step)
        mapping = {old: changed.get(new, new) for old, new in mapping.items()}
        node = changed[node]
    plain = rewrite(node)
    mapping = {old: plain.mapping.get(new, new) for old, new in mapping.items()}
    node = plain.node
    for step in (order_at_one_side, count_beside_masks, count_positions, remainder_by_differences):
        changed = rebuild(node, step)
        mapping = {old: changed.get(new, new) for old, new in mapping.items()}
        node = changed[node]
    last = rewrite(node)
    mapping = {old: last.mapping.get(new, new) for old, new in mapping.items()}
    assert isinstance(last.node, SOpNode)
    return last.node, mapping


def make_causal(node: Node) -> Node:
    """The same with a selector that sees no later key; in the body of a loop, too."""
    match node:
        case LoopResult():
            nexts = tuple(looking_back(after) for after in node.nexts)
            return LoopResult(node.rounds, node.states, node.starts, nexts, node.number)
        case Aggregate():
            return Aggregate(_back(node.selector), node.value, node.default)
        case Width():
            return Width(_back(node.selector))
        case Best():
            return Best(_back(node.selector), node.score)
        case PairAggregate():
            return PairAggregate(TripleAnd(node.triples, BOTH_CAUSAL), node.value, node.default)
        case PairWidth():
            return PairWidth(TripleAnd(node.triples, BOTH_CAUSAL))
        case _:
            return node


def looking_back(root: SOpNode) -> SOpNode:
    """The program with later positions hidden: what a causal model computes."""
    node = rebuild(root, make_causal)[root]
    assert isinstance(node, SOpNode)
    return node


def _back(selector: SelectorNode) -> SelectorNode:
    return selector if isinstance(selector, Best) else And(selector, CAUSAL)


def isolate_best(node: Node) -> Node:
    """A `best` inside another selector becomes a comparison with the position that it picks, one layer earlier."""
    match node:
        case And() | Or():
            return type(node)(as_position_test(node.left), as_position_test(node.right))
        case Not():
            return Not(as_position_test(node.inner))
        case Best(selector=Best()):
            return node.selector
        case Width(selector=Best() as best):
            return where_any(best, Const(1), 0) or Aggregate(best, Const(1), 0)
        case Aggregate(selector=Best() as best, value=Const() as value):
            return where_any(best, value, node.default) or node
        case Best():
            return Best(as_position_test(node.selector), node.score)
        case Lift():
            return Lift(node.side, as_position_test(node.selector))
        case _:
            return node


def where_any(best: Best, value: Const, default: Atom) -> SOpNode | None:
    """A constant at the best key, whichever that is: where the selector selects any. None where the score is simple."""
    if isinstance(best.selector, Best) or not any(isinstance(n, (Aggregate, Width)) for n in topological(best.score)):
        return None
    empty = Map("==", (Width(best.selector), Const(0)))
    return Map("where", (empty, Const(default), value))


MOST_COUNTED = 3
"""A count over triples is split into the counts of at most so many conjunctions."""


def count_by_parts(node: Node) -> Node:
    """The width of `s or t` over triples as the width of s and of t, less that of `s and t`.

    Right because every pair is counted once: inclusion and exclusion. Where there would be too many parts it is left.
    """
    if not isinstance(node, PairWidth) or conjunction(node.triples) is not None:
        return node
    parts = conjunctions(node.triples, MOST_COUNTED)
    if parts is None:
        return node
    total: SOpNode = Const(0)
    for size in range(1, len(parts) + 1):
        for some in combinations(parts, size):
            width = PairWidth(reduce(TripleAnd, some))
            total = Map("+" if size % 2 else "-", (total, width))
    return total


def as_position_test(selector: SelectorNode) -> SelectorNode:
    """A `best` as a comparison with the position that it picks; any other selector as it is."""
    if isinstance(selector, Best):
        return Select(Indices(), Aggregate(selector, Indices(), -1), "==")
    return selector


def order_at_one_side(node: Node) -> Node:
    """An order, or `!=`, of an s-op and one that is the same at all positions, as a comparison at one side.

    Both sides of `select(indices, length // 2, <)` are known at the key, and whether it is selected is asked there: one
    number of the key, where a comparison of keys with queries takes a product for each value. Right because the uniform
    s-op has the same value at the key as at the query. Not of programs in which positions are hidden afterwards.
    """
    if not isinstance(node, Select) or node.op == "==" or any(isinstance(n, Const) for n in (node.key, node.query)):
        return node
    holds = Map(node.op, (node.key, node.query))
    if is_uniform(node.query):
        return Select(holds, Const(True), "==")
    return Select(Const(True), holds, "==") if is_uniform(node.key) else node
