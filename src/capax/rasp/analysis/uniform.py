"""Which s-ops are the same at all positions of a word, and which aggregates are over equal values.

`length`, aggregates over all positions and functions of those are uniform: their mean over any keys is their value. The
same is true of a function of x over keys with equal x. Compiler and certificate both use this.
"""

from weakref import WeakKeyDictionary

from capax.rasp.ir.graph import conjuncts, postorder
from capax.rasp.ir.nodes import (
    Aggregate,
    And,
    Best,
    Const,
    Map,
    Node,
    Not,
    Or,
    Select,
    SelectorNode,
    SOpNode,
    Table,
    Width,
)

_known: WeakKeyDictionary[Node, bool] = WeakKeyDictionary()
"""What is known of nodes already. A node never changes, so this only saves time."""


def is_uniform(root: Node) -> bool:
    """Whether an s-op surely has one value, of one type, at all positions; of a selector: whether all its rows agree.

    >>> from capax import aggregate, full_s, indices, length, tokens
    >>> is_uniform((length * 2).node), is_uniform(aggregate(full_s, indices).node), is_uniform((tokens == "a").node)
    (True, True, False)
    """
    for node in postorder([root], lambda n: [o for o in n.operands if o not in _known]):
        _known[node] = _is_uniform(node)
    return _known[root]


def _is_uniform(node: Node) -> bool:
    match node:
        case Const():
            return True
        case Map():
            return all(_known[a] for a in node.args)
        case Table():
            return node.kind != "positions" and _known[node.arg]
        case Aggregate() | Width():
            return _known[node.selector]  # every query takes the same keys
        case Select():
            return _known[node.query]
        case And() | Or():
            return _known[node.left] and _known[node.right]
        case Not():
            return _known[node.inner]
        case Best():
            return _known[node.selector]
        case _:
            return False


def averages_equal(node: Aggregate) -> bool:
    """Whether the values that a query selects are surely equal as numbers, if the word has an answer.

    So it is where the value is a function of uniform s-ops, and of s-ops whose values at the selected keys are equal to
    something. Equal numbers may differ in type there, so a number must not be written into a string (`"%s" % x`).
    """
    keys = {c.key for c in conjuncts(node.selector) if isinstance(c, Select) and c.op == "=="}
    waiting, seen = [node.value], {node.value}
    while waiting:
        part = waiting.pop()
        if part in keys or is_uniform(part):
            continue
        operands = _function_of(part)
        if not operands:
            return False
        waiting += [o for o in operands if o not in seen]
        seen.update(operands)
    return True


def _function_of(node: SOpNode) -> tuple[SOpNode, ...]:
    """The s-ops of which a node is a function that takes equal numbers to equal ones; none if it is not."""
    match node:
        case Map(op="%") if not is_uniform(node.args[1]):
            return ()
        case Map():
            return node.args
        case Table() if node.kind != "positions":
            return (node.arg,)
        case Aggregate() | Width():
            # of queries that ask for equal things, each is answered by the same keys
            return tuple(queries_of(node.selector))
        case _:
            return ()


def queries_of(selector: Node) -> set[SOpNode]:
    """The s-ops of the query that decide which keys a selector selects."""
    return {n.query for n in postorder([selector], _parts_of) if isinstance(n, Select)}


def _parts_of(selector: Node) -> list[Node]:
    """The selectors that one is made of."""
    return [o for o in selector.operands if isinstance(o, SelectorNode)]
