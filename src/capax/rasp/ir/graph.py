"""Walks over graphs of nodes, and selectors taken apart, without recursion."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import lru_cache
from typing import TypeVar

from capax.rasp.ir.nodes import And, Node, Or, SelectorNode

T = TypeVar("T", bound=Hashable)


def postorder(roots: Iterable[T], operands: Callable[[T], Iterable[T]]) -> list[T]:
    """All that is reachable from the roots, operands before what uses them, left to right."""
    order: list[T] = []
    seen: set[T] = set()
    stack: list[tuple[T, bool]] = [(root, False) for root in reversed(list(roots))]
    while stack:
        item, ready = stack.pop()
        if ready:
            order.append(item)
        elif item not in seen:
            seen.add(item)
            stack.append((item, True))
            stack += [(o, False) for o in reversed(list(operands(item))) if o not in seen]
    return order


def with_operands(node: Node, new: Mapping[Node, Node]) -> Node:
    """The same node over new operands."""
    if all(new[o] is o for o in node.operands):
        return node
    return node.over(tuple(new[o] for o in node.operands))


def rebuild(root: Node, step: Callable[[Node], Node]) -> dict[Node, Node]:
    """What every node below a root becomes when its operands are rebuilt and the step is then applied."""
    new: dict[Node, Node] = {}
    for node in topological(root):
        new[node] = step(with_operands(node, new))
    return new


def topological(*roots: Node) -> list[Node]:
    """The nodes below the roots, each after its operands; the order is the order of evaluation."""
    return postorder(roots, lambda node: node.operands)


@lru_cache(maxsize=64)
def evaluation_order(root: Node) -> tuple[Node, ...]:
    """The nodes below a root in the order of evaluation; those of the roots that were asked for last are kept."""
    return tuple(topological(root))


def conjuncts(selector: SelectorNode) -> list[SelectorNode]:
    """The selectors of which a selector is the conjunction, each once, as written; of any other selector, itself."""
    return operands_of(selector, And)


def operands_of(selector: SelectorNode, kind: type[And] | type[Or]) -> list[SelectorNode]:
    """The operands of a chain of conjunctions, or of disjunctions, each once; of any other selector, itself."""
    operands: list[SelectorNode] = []
    waiting, seen = [selector], set[SelectorNode]()
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue  # parts that are shared are gone through once
        seen.add(node)
        if isinstance(node, kind):
            waiting += [node.right, node.left]
        else:
            operands.append(node)
    return operands
