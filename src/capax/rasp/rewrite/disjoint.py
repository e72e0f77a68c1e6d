"""A selector as conjunctions that never select the same pair, so that its width is the sum of theirs."""

from functools import reduce

from capax.rasp.ir.nodes import And, Const, Indices, Not, Or, Select, SelectorNode
from capax.rasp.rewrite.rewrite import simplified
from capax.rasp.rewrite.rules.selector_rules import EMPTY

MOST_PARTS = 6

Conjunction = tuple[SelectorNode, ...]


def disjoint_parts(selector: SelectorNode) -> list[SelectorNode] | None:
    """The conjunctions, or None if they would be too many."""
    conjunctions = _conjunctions(selector)
    if conjunctions is None:
        return None
    disjoint: list[Conjunction] = []
    for conjunction in conjunctions:
        pieces = [conjunction]
        for earlier in disjoint:
            pieces = [rest for piece in pieces for rest in _without(piece, earlier)]
        disjoint += pieces
        if len(disjoint) > MOST_PARTS:
            return None
    return [_joined(part) for part in disjoint]


def _conjunctions(selector: SelectorNode) -> list[Conjunction] | None:
    """The selector as a disjunction of conjunctions; operands first, without recursion."""
    done: dict[SelectorNode, list[Conjunction]] = {}
    waiting = [selector]
    while waiting:
        node = waiting[-1]
        if not isinstance(node, (And, Or)):
            done[node] = [(node,)]
        missing = [n for n in (node.left, node.right) if n not in done] if isinstance(node, (And, Or)) else []
        if missing:
            waiting += missing
            continue
        if isinstance(node, Or):
            done[node] = [*done[node.left], *done[node.right]]
        elif isinstance(node, And):
            done[node] = [(*a, *b) for a in done[node.left] for b in done[node.right]]
        if len(done[node]) > MOST_PARTS:
            return None
        waiting.pop()
    return done[selector]


def _without(piece: Conjunction, earlier: Conjunction) -> list[Conjunction]:
    """What a conjunction selects beyond another: it and the first k conditions of the other, but not the next."""
    if simplified(_joined((*piece, *earlier))) is EMPTY:
        return [piece]
    rest_of_piece: list[Conjunction] = []
    for count, condition in enumerate(earlier):
        rest = (*piece, *earlier[:count], Not(condition))
        simpler = simplified(_joined(rest))
        if simpler is not EMPTY:
            assert isinstance(simpler, SelectorNode)
            conjunctions = _conjunctions(simpler)
            rest_of_piece += conjunctions if conjunctions is not None else [(simpler,)]
    return rest_of_piece


def _joined(part: Conjunction) -> SelectorNode:
    return reduce(And, part)


def keys_between(selector: SelectorNode, first: int, end: int) -> SelectorNode:
    """What a selector selects of the keys at positions from `first` on, before `end`."""
    return And(And(selector, Select(Indices(), Const(first), ">=")), Select(Indices(), Const(end), "<"))
