"""The first or the last position with a property: as a `best` over the positions, which one head picks.

`select_from_first(tokens, "#")` of the library selects where the token is "#" and none before it is: one key at most,
which its parts do not tell. Of a `best` every pass knows that it picks one key.
"""

from collections.abc import Iterator

from capax.rasp.ir.nodes import Aggregate, And, Best, Const, Indices, Map, Node, Select, SelectorNode, SOpNode, Width
from capax.rasp.ir.ops import OPS

EARLIER, LATER = Select(Indices(), Indices(), "<"), Select(Indices(), Indices(), ">")


def recognise_first(node: Node) -> Node:
    """A selector of the first key with a property, as `best`; any other node as it is. Right also with `<=` before."""
    return _only(node, EARLIER, Map("neg", (Indices(),)))


def recognise_last(node: Node) -> Node:
    """The same for the last key; not where later positions are hidden afterwards, since each is then the last."""
    return _only(node, LATER, Indices())


def _only(node: Node, side: Select, score: SOpNode) -> Node:
    """The keys with a property and none on one side of them that has it: at most one, that with the best score."""
    match node:
        case Select(key=Map(op="and", args=(one, other)), query=Const(value=True), op="=="):
            for here, none in ((one, other), (other, one)):
                for selector in _selectors(here):
                    if _is_none(none, selector, side):
                        return Best(selector, score)
    return node


def _selectors(here: SOpNode) -> Iterator[Select]:
    """The selectors of the keys that have a property, if it is a truth value: of numbers, 2 is true and not `True`."""
    if isinstance(here, Map) and OPS[here.op].result == "bool":
        yield Select(here, Const(True), "==")
    match here:
        case Map(op="==" | "!=" | "<" | "<=" | ">" | ">=" as op, args=(value, Const() as other)):
            yield Select(value, other, op)


def _is_none(test: SOpNode, selector: SelectorNode, side: Select) -> bool:
    """Whether a test says that no key on a side is selected."""
    match test:
        case Map(op="not", args=(Map(op="!=" | ">", args=(some, Const(value=0))),)):
            looked_at = _searched(some)
        case Map(op="==" | "<=", args=(some, Const(value=0))):
            looked_at = _searched(some)
        case Map(op="<", args=(Width() as count, Const(value=1))):
            looked_at = count.selector
        case _:
            return False
    match looked_at:
        case And(left=left, right=right):
            return {left, right} == {selector, side}
        case _:
            return False


def _searched(some: SOpNode) -> SelectorNode | None:
    """The selector of a number that is 0 where nothing is selected, and else above 0."""
    match some:
        case Width():
            return some.selector
        case Aggregate(value=Const(value=number), default=0) if number == 1:
            return some.selector
        case _:
            return None
