"""Selectors as sums of simple terms, so that counts and sums over what they select add up.

A comparison of one key with one query is a set of outcomes: a mask of `<`, `=` and `>`. A term is a
conjunction of such sets, one per (key, query) pair, and of `best` selectors. The pairs a selector
selects are a signed sum of terms: `or` by inclusion and exclusion, `not` by complement.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from capax.rasp.ir.graph import postorder
from capax.rasp.ir.nodes import And, Best, Node, Not, Or, Select, SelectorNode, SOpNode

LESS, EQUAL, GREATER = 1, 2, 4
ANY = LESS | EQUAL | GREATER

MASKS = {"<": LESS, "==": EQUAL, ">": GREATER, "<=": LESS | EQUAL, ">=": GREATER | EQUAL, "!=": LESS | GREATER}
SYMBOLS = {mask: symbol for symbol, mask in MASKS.items()}

MOST_TERMS = 48
"""A selector with more terms is evaluated pair by pair."""

Pair = tuple[SOpNode, SOpNode]


@dataclass(frozen=True, slots=True)
class Term:
    """A conjunction: for each (key, query) pair the outcomes allowed, and `best` selectors."""

    masks: frozenset[tuple[Pair, int]]
    best: frozenset[Best] = frozenset()


Terms = dict[Term, int]
"""Terms with their coefficients."""

EVERYTHING = Term(frozenset())


class TooManyTermsError(Exception):
    """The selector has too many terms for a sum to pay."""


def signed_terms(selector: SelectorNode) -> Terms:
    """The selector as a signed sum of terms."""
    expanded: dict[Node, Terms] = {}
    for node in combined_selectors(selector):
        match node:
            case Select():
                expanded[node] = {Term(frozenset({((node.key, node.query), MASKS[node.op])})): 1}
            case Best():
                expanded[node] = {Term(frozenset(), frozenset({node})): 1}
            case And():
                expanded[node] = _product(expanded[node.left], expanded[node.right])
            case Or():
                expanded[node] = _either(expanded[node.left], expanded[node.right])
            case Not():
                expanded[node] = _minus({EVERYTHING: 1}, expanded[node.inner])
            case _:
                raise AssertionError(node)
    return expanded[selector]


def combined_selectors(root: SelectorNode) -> list[SelectorNode]:
    """The selectors that `and`, `or` and `not` combine below a root, operands first."""

    def parts(node: SelectorNode) -> Iterable[SelectorNode]:
        if isinstance(node, (And, Or)):
            return (node.left, node.right)
        return (node.inner,) if isinstance(node, Not) else ()

    return postorder([root], parts)


def _product(left: Terms, right: Terms) -> Terms:
    total: Counter[Term] = Counter()
    for a, x in left.items():
        for b, y in right.items():
            joined = conjunction(a, b)
            if joined is not None:
                total[joined] += x * y
    return _tidy(total)


def _either(left: Terms, right: Terms) -> Terms:
    united = _united(left, right)
    if united is not None:
        return {united: 1}
    total = Counter(left)
    total.update(right)
    total.subtract(_product(left, right))
    return _tidy(total)


def _united(left: Terms, right: Terms) -> Term | None:
    """The single term that two comparisons of the same pair unite to, if they do."""
    if len(left) != 1 or len(right) != 1:
        return None
    (a, x), (b, y) = *left.items(), *right.items()
    if x != 1 or y != 1 or a.best or b.best or len(a.masks) != 1 or len(b.masks) != 1:
        return None
    ((p, m),), ((q, k),) = a.masks, b.masks
    if p != q:
        return None
    return EVERYTHING if m | k == ANY else Term(frozenset({(p, m | k)}))


def _minus(left: Terms, right: Terms) -> Terms:
    total = Counter(left)
    total.subtract(right)
    return _tidy(total)


def _tidy(total: "Counter[Term]") -> Terms:
    kept = {term: count for term, count in total.items() if count}
    if len(kept) > MOST_TERMS:
        raise TooManyTermsError
    return kept


def conjunction(a: Term, b: Term) -> Term | None:
    """Both terms at once, or None if nothing satisfies both."""
    masks = dict(a.masks)
    for pair, mask in b.masks:
        masks[pair] = masks.get(pair, ANY) & mask
        if not masks[pair]:
            return None
    return Term(frozenset(masks.items()), a.best | b.best)


def positive_terms(selector: SelectorNode) -> list[Term]:
    """The selector as a union of terms, which may overlap; for looking for the best of them."""
    expanded: dict[tuple[Node, bool], list[Term]] = {}
    for node in combined_selectors(selector):
        for holds in (True, False):
            expanded[node, holds] = _positive(node, holds, expanded)
    return expanded[selector, True]


def _positive(node: SelectorNode, holds: bool, expanded: dict[tuple[Node, bool], list[Term]]) -> list[Term]:
    match node:
        case Select():
            mask = MASKS[node.op] if holds else ANY ^ MASKS[node.op]
            parts = [LESS, GREATER] if mask == LESS | GREATER else [mask]
            return [Term(frozenset({((node.key, node.query), part)})) for part in parts]
        case Best() if holds:
            return [Term(frozenset(), frozenset({node}))]
        case Not():
            return expanded[node.inner, not holds]
        case And() | Or():
            left, right = expanded[node.left, holds], expanded[node.right, holds]
            if isinstance(node, And) == holds:
                joined = [conjunction(a, b) for a in left for b in right]
                terms = list(dict.fromkeys(t for t in joined if t is not None))
            else:
                terms = list(dict.fromkeys(left + right))
            if len(terms) > MOST_TERMS:
                raise TooManyTermsError
            return terms
        case _:
            raise TooManyTermsError  # the complement of a `best` is not a small union
