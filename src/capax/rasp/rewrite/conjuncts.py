"""Conjunctions and disjunctions of selectors taken apart."""

from capax.rasp.ir.nodes import And, Or, SelectorNode


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
