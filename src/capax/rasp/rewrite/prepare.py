"""The program that is compiled: rewritten, counting made plain, causal if asked, and every `best` by itself.

Each step keeps the meaning on every word on which the program gives a value.
"""

from collections.abc import Callable
from typing import Any

from capax.rasp.ir.describe import FULL
from capax.rasp.ir.graph import topological
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
from capax.rasp.rewrite.rewrite import rewrite

CAUSAL = Select(Indices(), Indices(), "<=")
FIRST = Map("indicator", (Map("==", (Indices(), Const(0))),))


def prepare(root: SOpNode, *, causal: bool) -> tuple[SOpNode, dict[Node, Node]]:
    """The node to compile, and what every node of the program became."""
    first = rewrite(root)
    mapping = dict(first.mapping)
    steps: list[Callable[[Node], Node]] = [count_plainly]
    if causal:
        steps.append(look_back)
    steps.append(lone_best)
    node: Node = first.node
    for step in steps:
        changed = rebuild(node, step)
        mapping = {old: changed.get(new, new) for old, new in mapping.items()}
        node = changed[node]
    last = rewrite(node)
    mapping = {old: last.mapping.get(new, new) for old, new in mapping.items()}
    assert isinstance(last.node, SOpNode)
    return last.node, mapping


def rebuild(root: Node, step: Callable[[Node], Node]) -> dict[Node, Node]:
    """Every node below a root with its operands rebuilt and the step then applied."""
    new: dict[Node, Node] = {}

    def replaced(part: Any) -> Any:
        if isinstance(part, Node):
            return new[part]
        return tuple(map(replaced, part)) if isinstance(part, tuple) else part

    for node in topological(root):
        new[node] = step(type(node)(*map(replaced, node.parts)))
    return new


def count_plainly(node: Node) -> Node:
    """`round(1 / aggregate(s, indicator(indices == 0)))` is how many keys s selects, where s surely selects key 0."""
    match node:
        case Map(op="round", args=(Map(op="/", args=(Const(value=one), Aggregate() as mean)),)) if one == 1:
            if mean.value is FIRST and _selects_first(mean.selector):
                return Width(mean.selector)
    return node


def _selects_first(selector: SelectorNode) -> bool:
    parts, found = [selector], False
    while parts:
        part = parts.pop()
        if isinstance(part, Or):
            parts += [part.left, part.right]
        found = found or part is FULL or part is Select(Indices(), Const(0), "==")
    return found


def look_back(node: Node) -> Node:
    """The same with a selector that sees no later key."""
    match node:
        case Aggregate():
            return Aggregate(_back(node.selector), node.value, node.default)
        case Width():
            return Width(_back(node.selector))
        case Best():
            return Best(_back(node.selector), node.score)
        case _:
            return node


def _back(selector: SelectorNode) -> SelectorNode:
    return selector if isinstance(selector, Best) else And(selector, CAUSAL)


def lone_best(node: Node) -> Node:
    """A `best` inside another selector becomes a comparison with the place that it finds, one layer earlier."""
    match node:
        case And() | Or():
            return type(node)(_found(node.left), _found(node.right))
        case Not():
            return Not(_found(node.inner))
        case Best(selector=Best()):
            return node.selector
        case Width(selector=Best()):
            return Aggregate(node.selector, Const(1), 0)
        case Best():
            return Best(_found(node.selector), node.score)
        case _:
            return node


def _found(selector: SelectorNode) -> SelectorNode:
    if isinstance(selector, Best):
        return Select(Indices(), Aggregate(selector, Indices(), -1), "==")
    return selector
