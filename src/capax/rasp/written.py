"""What was written: the construction trace beside the interned graph.

Interning merges equal nodes, but the paper counts heads as they were written: two selectors
that read the same are two heads if they were made twice. A `Written` is one act of
construction; its identity is what is counted. It also carries the place in the source.
"""

from dataclasses import dataclass, field

from capax.errors import Span
from capax.rasp.nodes import Node


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Written:
    """One construction: the node it made, the constructions it was made from, and where."""

    node: Node
    parts: tuple["Written", ...] = ()
    span: Span | None = field(default=None)


def span_of(node: Node, written: Written) -> Span | None:
    """The place in the source at which a node below `written` was made, if it is known."""
    seen: set[int] = set()
    stack = [written]
    while stack:
        item = stack.pop()
        if id(item) in seen:
            continue
        seen.add(id(item))
        if item.node is node and item.span is not None:
            return item.span
        stack += item.parts
    return None
