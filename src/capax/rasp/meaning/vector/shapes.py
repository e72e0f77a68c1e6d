"""Selectors as sums of terms, each sorted by what its conditions compare: worked out once for a program."""

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field

from capax.rasp.ir.nodes import Best, Const, Indices, Node, Or, SelectorNode, SOpNode, Width
from capax.rasp.meaning.vector.terms import (
    EQUAL,
    GREATER,
    LESS,
    Term,
    TooManyTermsError,
    positive_terms,
    signed_terms,
)

UNEQUAL = LESS | GREATER


@dataclass(frozen=True, slots=True)
class Condition:
    """A comparison of keys with queries: the outcomes in the mask are allowed."""

    key: SOpNode
    query: SOpNode
    mask: int

    @property
    def ordered(self) -> bool:
        """Whether it matters which of two values is greater."""
        return self.mask not in (EQUAL, UNEQUAL)


@dataclass(frozen=True, slots=True)
class TermShape:
    """A term with its coefficient.

    `words` are conditions on the word alone, `keys` on keys, `queries` on queries; `equal` and `orders` compare a key
    with a query. Where `best` names selectors, or `pointer` the query whose value is the position of the only key that
    can be selected, there is at most one key for each query, at which the `tests` must hold.
    """

    sign: int
    words: tuple[Condition, ...] = ()
    keys: tuple[Condition, ...] = ()
    queries: tuple[Condition, ...] = ()
    equal: tuple[Condition, ...] = ()
    orders: tuple[Condition, ...] = ()
    best: tuple[Best, ...] = ()
    pointer: SOpNode | None = None
    tests: tuple[Condition, ...] = ()
    ranked: SOpNode | None = None
    """The s-op by whose order keys come before a query, ties by position, if that is the whole condition."""
    arranged: SOpNode | None = None
    """The s-op whose rank at a key must be the query's position, so that there is one key for each query; then the
    `tests` must hold at it."""


@dataclass(frozen=True, slots=True)
class SelectorShape:
    """A selector as a sum, or for `best` a union, of terms; `uniform`: all queries of a word select the same keys."""

    terms: tuple[TermShape, ...]
    uniform: bool

    def columns_if_arranged(self) -> list[Node] | None:
        """The columns that are read where keys are selected by rank; None for all other selectors."""
        by = self.terms[0].arranged if len(self.terms) == 1 else None
        return None if by is None else [by, *(node for c in self.terms[0].tests for node in (c.key, c.query))]


@dataclass(slots=True)
class _Sorted:
    """The conditions of a term by kind."""

    words: list[Condition] = field(default_factory=list)
    keys: list[Condition] = field(default_factory=list)
    queries: list[Condition] = field(default_factory=list)
    equal: list[Condition] = field(default_factory=list)
    orders: list[Condition] = field(default_factory=list)


def sum_shape(selector: SelectorNode, uniform: Container[Node]) -> SelectorShape | None:
    """The selector as a signed sum of terms; None if it has too many, or one with more than two orders."""
    try:
        terms = signed_terms(selector).items()
    except TooManyTermsError:
        return None
    shape = _shape(selector, terms, uniform, most_orders=2)
    if shape is None:
        return None
    if len(shape.terms) == 1 and (arranged := _arranged(shape.terms[0])) is not None:
        return SelectorShape((arranged,), shape.uniform)
    return SelectorShape(_joined_ranks(shape.terms), shape.uniform)


def union_shape(selector: SelectorNode, uniform: Container[Node]) -> SelectorShape | None:
    """The selector as a union of terms; None if it has too many, or one with more than one order."""
    try:
        terms = [(term, 1) for term in positive_terms(selector)]
    except TooManyTermsError:
        return None
    return _shape(selector, terms, uniform, most_orders=1)


def _shape(
    selector: SelectorNode, terms: Iterable[tuple[Term, int]], uniform: Container[Node], *, most_orders: int
) -> SelectorShape | None:
    shapes = tuple(shape for term, sign in terms for shape in _split(term, sign, uniform))
    if any(len(shape.orders) > most_orders and shape.pointer is None for shape in shapes):
        return None
    return SelectorShape(shapes, selector in uniform)


def _joined_ranks(terms: tuple[TermShape, ...]) -> tuple[TermShape, ...]:
    """The terms, with "less, or equal and earlier" as one: the rank in a sorted sequence."""
    for less in terms:
        if len(less.orders) != 1 or less.orders[0].mask != LESS:
            continue
        by = less.orders[0].key
        equal = Condition(by, by, EQUAL)
        earlier = Condition(Indices(), Indices(), LESS)
        if less != TermShape(less.sign, orders=(Condition(by, by, LESS),), tests=less.tests):
            continue
        for tie in terms:
            if tie == TermShape(less.sign, equal=(equal,), orders=(earlier,), tests=tie.tests):
                rest = tuple(term for term in terms if term not in (less, tie))
                return (TermShape(less.sign, ranked=by), *rest)
    return terms


def _arranged(term: TermShape) -> TermShape | None:
    """The term as one key for each query, if it selects by rank: "as many come before the key as before the query"."""
    if term.best or term.pointer is not None:
        return None
    for condition in term.equal:
        if isinstance(condition.key, Width) and isinstance(condition.query, Indices):
            by = _ranks(condition.key.selector)
            if by is not None:
                return TermShape(term.sign, tests=tuple(c for c in term.tests if c is not condition), arranged=by)
    return None


def _ranks(selector: SelectorNode) -> SOpNode | None:
    """The s-op by whose order a selector selects the keys before a query, ties by position."""
    if not isinstance(selector, Or):
        return None
    try:
        terms = signed_terms(selector).items()
    except TooManyTermsError:
        return None
    if len(terms) != 2:
        return None
    shapes = _joined_ranks(tuple(shape for term, sign in terms for shape in _split(term, sign, frozenset())))
    return shapes[0].ranked if len(shapes) == 1 and shapes[0].sign == 1 else None


def _split(term: Term, sign: int, uniform: Container[Node]) -> Iterator[TermShape]:
    """The term as one or more shapes: an inequality is everything less what is equal."""
    conditions = [c for pair, mask in term.masks if (c := Condition(*pair, mask)) and not _always(c)]
    if any(_never(c) for c in conditions):
        return
    if term.best:
        yield TermShape(sign, best=tuple(sorted(term.best, key=id)), tests=tuple(conditions))
        return
    for condition in conditions:
        pair = (condition.key, condition.query)
        if condition.mask == UNEQUAL and condition.key not in uniform and condition.query not in uniform:
            rest = term.masks - {(pair, UNEQUAL)}
            yield from _split(Term(rest), sign, uniform)
            yield from _split(Term(rest | {(pair, EQUAL)}), -sign, uniform)
            return
    yield _sorted_term(conditions, sign, uniform)


def _sorted_term(conditions: list[Condition], sign: int, uniform: Container[Node]) -> TermShape:
    kinds = _Sorted()
    for condition in conditions:
        match condition.key in uniform, condition.query in uniform:
            case True, True:
                kinds.words.append(condition)
            case False, True:
                kinds.keys.append(condition)
            case True, False:
                kinds.queries.append(condition)
            case _:
                (kinds.equal if condition.mask == EQUAL else kinds.orders).append(condition)
    pointing = next((c for c in conditions if isinstance(c.key, Indices) and c.mask == EQUAL), None)
    return TermShape(
        sign,
        tuple(kinds.words),
        tuple(kinds.keys),
        tuple(kinds.queries),
        tuple(kinds.equal),
        tuple(kinds.orders),
        pointer=None if pointing is None else pointing.query,
        tests=tuple(c for c in conditions if c is not pointing),
    )


def _always(condition: Condition) -> bool:
    """Whether a condition on constants always holds; orders, which may fail, are left to the evaluation."""
    return _equal_constants(condition) is (condition.mask == EQUAL)


def _never(condition: Condition) -> bool:
    return _equal_constants(condition) is (condition.mask == UNEQUAL)


def _equal_constants(condition: Condition) -> bool | None:
    """Whether two constants are equal; None for anything else, and for orders."""
    key, query = condition.key, condition.query
    if isinstance(key, Const) and isinstance(query, Const) and not condition.ordered:
        return bool(key.value == query.value)
    return None
