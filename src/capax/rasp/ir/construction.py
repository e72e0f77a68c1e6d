"""What was written: the construction trace beside the interned graph.

Interning merges equal nodes, but the paper counts heads as they were written: two selectors
that read the same are two heads if they were made twice. A `Written` is one act of
construction; its identity is what is counted. It also carries its name and its location in the source.
"""

from collections.abc import Iterator
from typing import Any

from capax.errors import Span
from capax.rasp.ir.graph import postorder
from capax.rasp.ir.nodes import Node


class Construction:
    """One construction: the node it made, the constructions it was made from, where, and its name."""

    __slots__ = ("__weakref__", "call", "fixed", "name", "node", "parts", "span")

    def __init__(
        self, node: Node, parts: "tuple[Construction, ...]" = (), span: Span | None = None, name: str | None = None
    ) -> None:
        self.node = node
        self.parts = parts
        self.span = span
        self.name = name
        self.fixed = False
        self.call: tuple[str, tuple[Any, ...]] | None = None
        """The function and arguments of the call that gave it, until it gets a name."""

    def rename(self, name: str) -> None:
        """Gives the construction a name, unless programs share it."""
        if not self.fixed:
            self.name = name
            self.call = None

    def came_from(self, function: str, args: tuple[Any, ...]) -> None:
        """Remembers the call that gave the construction, unless programs share it."""
        if not self.fixed:
            self.call = (function, args)

    def share(self, name: str | None = None) -> None:
        """Fixes the name for good, since several programs will use the construction."""
        self.name = name
        self.fixed = True

    def everything(self) -> "list[Construction]":
        """This construction and all below it, parts first."""
        return postorder([self], lambda construction: construction.parts)


def span_of(node: Node, construction: Construction) -> Span | None:
    """The location in the source at which a node of the construction was made, if it is known."""
    return next((w.span for w in construction.everything() if w.node is node and w.span is not None), None)


def named(construction: Construction) -> Iterator[tuple[Node, str]]:
    """The nodes of the construction that were given a name, with it, operands first."""
    return ((w.node, w.name) for w in construction.everything() if w.name is not None)
