"""Nodes of selectors over triples: for each query they select pairs of keys.

They are apart from the ordinary selectors, so that code that knows pairs of a query and a key alone never meets one.
"""

from typing import ClassVar, Final, Literal, TypeAlias

from capax.rasp.ir.nodes import Aggregate, Comparison, Node, SelectorNode, SOpNode, Width
from capax.rasp.ir.types import Atom

LiftSide: TypeAlias = Literal["first", "second", "keys"]
LIFT_SIDES: Final[tuple[LiftSide, ...]] = ("first", "second", "keys")
"""Which two of query, first key and second key an ordinary selector compares: the query and the first key, the query
and the second key, or both keys (then the second key is its query)."""


class TripleNode(Node):
    """A node whose value is one boolean per (query, first key, second key)."""

    __slots__ = ()


class SumSelect(TripleNode):
    """Query i selects the keys j and k when `(key1[j] + key2[k] + query[i]) % modulus op constant`; modulus 0 is none.

    All three s-ops must be integers.
    """

    __slots__ = ()
    fields: ClassVar = ("key1", "key2", "query", "modulus", "op", "constant")
    key1: SOpNode
    key2: SOpNode
    query: SOpNode
    modulus: int
    op: Comparison
    constant: int


class Lift(TripleNode):
    """The triples of which an ordinary selector selects the two positions that `side` names."""

    __slots__ = ()
    fields: ClassVar = ("side", "selector")
    side: LiftSide
    selector: SelectorNode


class TripleAnd(TripleNode):
    """The triples that both select."""

    __slots__ = ()
    fields: ClassVar = ("left", "right")
    left: TripleNode
    right: TripleNode


class TripleOr(TripleNode):
    """The triples that one or both select."""

    __slots__ = ()
    fields: ClassVar = ("left", "right")
    left: TripleNode
    right: TripleNode


class TripleNot(TripleNode):
    """The triples that it does not select."""

    __slots__ = ()
    fields: ClassVar = ("inner",)
    inner: TripleNode


class PairAggregate(SOpNode):
    """For each query: the default, or the mean over the selected pairs of the value at the first key.

    Of a single selected pair it is the value itself.
    """

    __slots__ = ()
    fields: ClassVar = ("triples", "value", "default")
    triples: TripleNode
    value: SOpNode
    default: Atom


class PairWidth(SOpNode):
    """For each query: how many pairs of keys are selected."""

    __slots__ = ()
    fields: ClassVar = ("triples",)
    triples: TripleNode


HEAD_SOPS: Final = (Aggregate, Width, PairAggregate, PairWidth)
"""The s-ops that attention computes."""

MEANS: Final = (Aggregate, PairAggregate)
"""Those of them that average."""

AnySelector: TypeAlias = SelectorNode | TripleNode


def selector_of(node: SOpNode) -> AnySelector:
    """The selector of an s-op that attention computes."""
    selector: AnySelector = node.triples if isinstance(node, (PairAggregate, PairWidth)) else node.selector
    return selector


def sum_text(modulus: int, op: str, constant: int) -> str:
    """The test of a sum as the language writes it: `sum % 7 == 0`."""
    return f"sum{f' % {modulus}' if modulus else ''} {op} {constant}"
