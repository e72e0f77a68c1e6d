"""How the fast evaluator will answer each selector of a program, in words."""

from collections.abc import Mapping
from dataclasses import dataclass

from capax.rasp.ir.describe import describe
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import Aggregate, Best, Const, Indices, Node, SelectorNode, Width
from capax.rasp.ir.triple_nodes import PairAggregate, PairWidth, TripleNode
from capax.rasp.ir.triple_parts import conjunction
from capax.rasp.meaning.vector.shapes import sum_shape
from capax.rasp.meaning.vector.terms import EQUAL, GREATER, LESS, Term, TooManyTermsError, positive_terms, signed_terms


@dataclass(frozen=True, slots=True)
class PlanStep:
    """One aggregate, width or best: what it is, and how each term of its selector is found."""

    node: Node
    what: str
    how: tuple[str, ...]
    cost: str


def plan(root: Node, names: Mapping[Node, str] | None = None) -> list[PlanStep]:
    """The steps of a program that involve a selector, in the order of evaluation."""
    known = names or {}
    steps = []
    for node in topological(root):
        if isinstance(node, (Aggregate, Width)):
            steps.append(_step(node, "sum" if isinstance(node, Aggregate) else "count", known))
        elif isinstance(node, Best):
            steps.append(_step(node, "best", known))
        elif isinstance(node, (PairAggregate, PairWidth)):
            steps.append(_pair_step(node, known))
    if isinstance(root, SelectorNode):
        steps.append(PlanStep(root, f"matrix of {_shown(root, known)}", (PAIRS,), "n^2"))
    if isinstance(root, TripleNode):
        steps.append(PlanStep(root, f"triples of {_shown(root, known)}", (TRIPLES,), "n^3"))
    return steps


def _pair_step(node: PairAggregate | PairWidth, names: Mapping[Node, str]) -> PlanStep:
    what = f"{'count' if isinstance(node, PairWidth) else 'sum'} of {_shown(node.triples, names)}"
    parts = conjunction(node.triples)
    if parts is None or not parts.is_simple:
        return PlanStep(node, what, (TRIPLES,), "n^3")
    if parts.sums:
        return PlanStep(node, what, ("second keys in order, by the first key and the query",), "n^2 log n")
    if parts.keys is None:
        return PlanStep(node, what, (PAIRS,), "n^2")
    return PlanStep(node, what, ("a product of two matrices, in blocks",), "n^3")


def _step(node: Aggregate | Width | Best, kind: str, names: Mapping[Node, str]) -> PlanStep:
    shape = None if isinstance(node, Best) else sum_shape(node.selector, frozenset())
    by = None if shape is None or len(shape.terms) != 1 else shape.terms[0].arranged
    try:
        if by is not None:
            tested = ", tested" if shape is not None and shape.terms[0].tests else ""
            hows = [f"the word in the order of {_shown(by, names)}{tested}"]
        elif isinstance(node, Best):
            hows = [_how(term, names, best=True) for term in positive_terms(node.selector)]
        else:
            hows = [_signed(sign) + _how(term, names) for term, sign in signed_terms(node.selector).items()]
    except TooManyTermsError:
        hows = [PAIRS]
    cost = (
        "n^2" if any(PAIRS in how for how in hows) else "n log^2 n" if any(TOWER in how for how in hows) else "n log n"
    )
    return PlanStep(
        node, f"{kind} of {_shown(node.selector, names)}", tuple(hows or ["nothing is ever selected"]), cost
    )


PAIRS = "pair by pair, in blocks"
TRIPLES = "triple by triple, in blocks"
TOWER = "two orders by a tower of sorted blocks"


def _signed(sign: int) -> str:
    return "" if sign == 1 else "minus " if sign == -1 else f"{sign:+d} times "


def _how(term: Term, names: Mapping[Node, str], *, best: bool = False) -> str:
    """How the keys of one term are found."""
    if term.best:
        return "the key found by best, tested"
    filters, equal, orders = [], [], []
    for (key, query), mask in term.masks:
        if isinstance(key, Const) and isinstance(query, Const):
            continue
        if isinstance(query, Const):
            filters.append(f"keys with {_shown(key, names)}")
        elif isinstance(key, Const):
            filters.append(f"queries with {_shown(query, names)}")
        elif mask == EQUAL:
            equal.append((key, query))
        elif mask == LESS | GREATER:
            equal.append((key, query))
            filters.append("the complement of a group")
        else:
            orders.append((key, query))
    if len(orders) > (1 if best else 2):
        return PAIRS
    parts = [_equality(key, names) for key, _ in equal]
    if len(orders) == 2:
        parts.append(TOWER)
    elif orders:
        by_position = isinstance(orders[0][0], Indices)
        parts.append("a run of positions" if by_position else f"a run sorted by {_shown(orders[0][0], names)}")
    parts += [f"only {f}" if not f.startswith("the") else f for f in filters]
    return ", ".join(parts) or "all keys"


def _shown(node: Node, names: Mapping[Node, str]) -> str:
    return names.get(node) or describe(node, names)


def _equality(key: Node, names: Mapping[Node, str]) -> str:
    return "by position" if isinstance(key, Indices) else f"groups of equal {_shown(key, names)}"
