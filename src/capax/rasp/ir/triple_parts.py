"""Selectors over triples taken apart: without `not`, and as one conjunction by what its conditions compare."""

from dataclasses import dataclass
from functools import reduce
from typing import Final

from capax.rasp.ir.graph import postorder
from capax.rasp.ir.nodes import And, Comparison, Node, Not, Or, SelectorNode, SOpNode
from capax.rasp.ir.triple_nodes import (
    AnySelector,
    Lift,
    LiftSide,
    SumSelect,
    TripleAnd,
    TripleNode,
    TripleNot,
    TripleOr,
)

OPPOSITE: Final[dict[str, Comparison]] = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


@dataclass(frozen=True, slots=True)
class TripleConjunction:
    """A conjunction: for each side at most one ordinary selector, and tests of sums."""

    first: SelectorNode | None
    second: SelectorNode | None
    keys: SelectorNode | None
    sums: tuple[SumSelect, ...]

    @property
    def is_simple(self) -> bool:
        """Whether it is made of ordinary selectors alone, or of one test of a sum and a selector of first keys."""
        return not self.sums or (len(self.sums) == 1 and self.second is None and self.keys is None)

    def side(self, side: LiftSide) -> SelectorNode | None:
        """The selector of a side."""
        return {"first": self.first, "second": self.second, "keys": self.keys}[side]


def without_not(root: TripleNode) -> TripleNode:
    """The same selector with `not` only inside ordinary selectors.

    Right triple by triple (De Morgan); of two integers one comparison or its opposite holds. A disjunction of two
    ordinary selectors of one side is lifted as one.
    """
    done: dict[tuple[Node, bool], TripleNode] = {}
    for node in triple_order(root):
        for holds in (True, False):
            done[node, holds] = _positive(node, holds, done)
    return done[root, True]


def _positive(node: TripleNode, holds: bool, done: dict[tuple[Node, bool], TripleNode]) -> TripleNode:
    match node:
        case SumSelect():
            op = node.op if holds else OPPOSITE[node.op]
            return SumSelect(node.key1, node.key2, node.query, node.modulus, op, node.constant)
        case Lift():
            return node if holds else Lift(node.side, Not(node.selector))
        case TripleNot():
            return done[node.inner, not holds]
        case TripleAnd() | TripleOr():
            left, right = done[node.left, holds], done[node.right, holds]
            together = isinstance(node, TripleAnd) == holds
            if isinstance(left, Lift) and isinstance(right, Lift) and left.side == right.side:
                return Lift(left.side, (And if together else Or)(left.selector, right.selector))
            return (TripleAnd if together else TripleOr)(left, right)
        case _:
            raise AssertionError(node)


def triple_order(*roots: TripleNode) -> list[TripleNode]:
    """The selectors over triples below some, operands first."""
    return postorder(roots, lambda n: [o for o in n.operands if isinstance(o, TripleNode)])


def conjunction(root: TripleNode) -> TripleConjunction | None:
    """A selector over triples as a conjunction; None where it is a disjunction over different sides."""
    lifted: dict[str, list[SelectorNode]] = {"first": [], "second": [], "keys": []}
    sums: list[SumSelect] = []
    waiting = [without_not(root)]
    while waiting:
        node = waiting.pop()
        match node:
            case TripleAnd():
                waiting += [node.right, node.left]
            case Lift():
                lifted[node.side].append(node.selector)
            case SumSelect():
                sums.append(node)
            case _:
                return None
    first, second, keys = (reduce(And, dict.fromkeys(some)) if some else None for some in lifted.values())
    return TripleConjunction(first, second, keys, tuple(dict.fromkeys(sums)))


def conjunctions(root: TripleNode, most: int) -> list[TripleNode] | None:
    """Selectors without disjunctions of which a selector over triples is the disjunction; None for more than `most`."""
    done: dict[TripleNode, list[TripleNode]] = {}
    plain = without_not(root)
    for node in triple_order(plain):
        match node:
            case TripleOr():
                done[node] = [*done[node.left], *done[node.right]]
            case TripleAnd():
                done[node] = [a if a is b else TripleAnd(a, b) for a in done[node.left] for b in done[node.right]]
            case _:
                done[node] = [node]
        done[node] = list(dict.fromkeys(done[node]))
        if len(done[node]) > most:
            return None
    return done[plain]


def triple_reads(root: TripleNode) -> list[SOpNode]:
    """The s-ops that a selector over triples compares or adds up, those of its ordinary selectors included."""
    start: AnySelector = root
    order = postorder([start], lambda n: [o for o in n.operands if isinstance(o, AnySelector)])
    return [o for node in order for o in node.operands if isinstance(o, SOpNode)]
