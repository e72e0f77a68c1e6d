"""A conjunction of selectors taken apart."""

from capax.rasp.nodes import And, SelectorNode


def conjuncts(selector: SelectorNode) -> list[SelectorNode]:
    """The selectors of which a selector is the conjunction, as written; of any other selector, itself."""
    found: list[SelectorNode] = []
    waiting = [selector]
    while waiting:
        node = waiting.pop()
        if isinstance(node, And):
            waiting += [node.right, node.left]
        else:
            found.append(node)
    return found
