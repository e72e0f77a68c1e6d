"""Rules for selectors over triples."""

from capax.rasp.ir.nodes import Node, Not
from capax.rasp.ir.triple_nodes import Lift, SumSelect, TripleAnd, TripleNode, TripleNot, TripleOr
from capax.rasp.ir.triple_parts import OPPOSITE


def push_triple_negation(node: Node) -> Node | None:
    """`not` over triples moves inward: into `on_first` and its kin, over `and` and `or`, and into the test of a sum.

    Right triple by triple: a lifted selector decides about two of the three positions, De Morgan's laws hold for
    booleans, and of two integers one comparison or its opposite holds. The same comparisons are made, so the same words
    fail.
    """
    return _negated(node.inner) if isinstance(node, TripleNot) else None


def _negated(inner: TripleNode) -> TripleNode:
    match inner:
        case TripleNot():
            return inner.inner
        case Lift():
            return Lift(inner.side, Not(inner.selector))
        case TripleAnd():
            return TripleOr(TripleNot(inner.left), TripleNot(inner.right))
        case TripleOr():
            return TripleAnd(TripleNot(inner.left), TripleNot(inner.right))
        case SumSelect():
            return SumSelect(inner.key1, inner.key2, inner.query, inner.modulus, OPPOSITE[inner.op], inner.constant)
        case _:
            raise AssertionError(inner)
