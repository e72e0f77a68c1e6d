"""Orders over many tokens or counts, digit by digit, where keys are counted: a head for each digit, each head is small.

A head that counts the keys below the query takes as many dimensions as there are values. With the rank of a value as
two digits, a key is below the query if its high digit is, or if the high digits are equal and its low digit is below:
two counts that never overlap, over as many values as the square root each. Likewise `x + indices / 100` with integers x
is an order by x, and by the position where x is equal.
"""

import itertools
import math
from collections.abc import Callable, Container, Iterable, Sequence
from functools import partial, reduce
from typing import Any, cast

from capax.errors import CapaxError
from capax.rasp.analysis.key_limits import most_keys, of_count, of_token
from capax.rasp.analysis.linear_bounds import linear_bounds
from capax.rasp.analysis.offsets import offsets_of
from capax.rasp.ir.graph import postorder, rebuild, topological
from capax.rasp.ir.nodes import And, Const, Indices, Input, Map, Node, Or, Select, SelectorNode, SOpNode, Table, Width
from capax.rasp.ir.types import Atom
from capax.rasp.meaning import reference
from capax.rasp.rewrite.disjoint import disjoint_parts

FEW = 64
"""With up to this many values an order of tokens is left as it is."""

FEW_COUNTS = 12
"""The same of an order of counts, where units compute what a head reads."""

MOST_DIGIT = 40
"""Digits are to a base of at most this."""

MOST_TIMES = 4
"""Bounds of integers are at most so many times as far apart as words are long."""

FLIPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
STRICT = {"<": "<", ">": ">", "<=": "<", ">=": ">"}


def split_orders(
    root: SOpNode, tokens: Sequence[Atom], longest: int | None, *, averaged: Container[Node] = ()
) -> dict[Node, Node]:
    """What every node below a root becomes, on words of some tokens and lengths: widths whose orders go by digits.

    What is `averaged` over stays as it is: a head for it has all that counting its keys takes.
    """
    if len(tokens) * (longest or 1) <= FEW and (longest or 0) < FEW_COUNTS:
        return {}

    def step(node: Node) -> Node:
        split = isinstance(node, Width) and node.selector not in averaged
        return _split_width(node, tokens, longest) if split and isinstance(node, Width) else node

    return rebuild(root, step)


def _split_width(node: Width, tokens: Sequence[Atom], longest: int | None) -> Width:
    selector = _by_position(node.selector, tokens, longest)
    leaves = [n for n in topological(selector) if isinstance(n, Select)]
    sides = {(n.key, n.query) for n in leaves if n.op in STRICT}
    for key, query in sorted(sides, key=repr):
        ops = {n.op for n in leaves if (n.key, n.query) == (key, query)}
        digits = _digits(key, query, tokens, longest) if "!=" not in ops else None
        if digits is not None:
            selector = _replaced(selector, key, query, partial(_by_digits, digits=digits))
    return node if selector is node.selector or disjoint_parts(selector) is None else Width(selector)


def _replaced(
    selector: SelectorNode, key: SOpNode, query: SOpNode, by: Callable[[str], SelectorNode | None]
) -> SelectorNode:
    """A selector whose comparisons of two s-ops are replaced, where there is something to replace them by."""

    def step(node: Node) -> Node:
        if isinstance(node, Select) and (node.key, node.query) == (key, query):
            return by(node.op) or node
        return node

    replaced = rebuild(selector, step)[selector]
    assert isinstance(replaced, SelectorNode)
    return replaced


# orders of numbers that are made of another s-op and the position, which breaks ties


def _by_position(selector: SelectorNode, tokens: Sequence[Atom], longest: int | None) -> SelectorNode:
    """A selector in which an order of f(x, position) that goes by x first, and then by the position, says so."""
    leaves = [n for n in topological(selector) if isinstance(n, Select) and n.op in STRICT and n.key is n.query]
    for node in sorted({leaf.key for leaf in leaves}, key=repr):
        order = _lexicographic(node, tokens, longest) if longest is not None else None
        if order is not None:
            selector = _replaced(selector, node, node, partial(_first_then, *order))
    return selector


def _first_then(first: SOpNode, rises: bool, later: bool, op: str) -> SelectorNode | None:
    """A comparison by one s-op, and by the position where it is equal; each may go the other way."""
    here, equal = Indices(), Select(first, first, "==")
    if op == "==":
        return And(equal, Select(here, here, "=="))
    if op == "!=":
        return None
    one, two = (op if up else FLIPPED[op] for up in (rises, later))
    return Or(Select(first, first, STRICT[one]), And(equal, Select(here, here, two)))


def _lexicographic(node: SOpNode, tokens: Sequence[Atom], longest: int) -> tuple[SOpNode, bool, bool] | None:
    """The s-op x of a node f(x, position) whose order goes by x first, and whether it rises with x and the position."""
    top: tuple[Node, ...] = (node,)
    reached = postorder(top, lambda n: n.operands if isinstance(n, (Map, Table)) else ())
    leaves = [n for n in reached if not isinstance(n, (Const, Map, Table))]
    if Indices() not in leaves or len(leaves) != 2:
        return None
    first = next(n for n in leaves if n is not Indices())
    values: Sequence[Atom] = tokens if isinstance(first, Input) else range(longest + 1)
    if not isinstance(first, (Input, Width)) or len(values) * longest <= FEW:
        return None
    # counts as tokens, to be read as they are
    read = {node: node} if isinstance(first, Input) else rebuild(node, lambda n: Input("asis") if n is first else n)
    try:
        rows = [list(map(float, cast(Any, reference.evaluate(read[node], (v,) * longest)))) for v in values]
        ranks = [cast(Any, reference.evaluate(first, (v,)))[0] if isinstance(first, Input) else v for v in values]
    except (CapaxError, TypeError, ValueError):
        return None
    return _ways(first, ranks, rows)


def _ways(first: SOpNode, ranks: list[Any], rows: list[list[float]]) -> tuple[SOpNode, bool, bool] | None:
    """Whether numbers f(x, position), a row for each x, go by x and then by the position: and which way."""
    later = rows[0][-1] > rows[0][0]
    steps = [(b - a) * (1 if later else -1) for row in rows for a, b in itertools.pairwise(row)]
    try:
        order = sorted(range(len(ranks)), key=ranks.__getitem__)
    except TypeError:
        return None
    different = all(ranks[a] != ranks[b] for a, b in itertools.pairwise(order))
    rises = min(rows[order[-1]]) > max(rows[order[0]])
    upwards = order if rises else order[::-1]
    apart = all(max(rows[a]) < min(rows[b]) for a, b in itertools.pairwise(upwards))
    return (first, rises, later) if different and apart and min(steps, default=1.0) > 0 else None


# digits


def _digits(
    key: SOpNode, query: SOpNode, tokens: Sequence[Atom], longest: int | None
) -> list[tuple[SOpNode, SOpNode]] | None:
    """The digits of ranks, of keys and of queries, highest first; None where the values are few, or not known."""
    if isinstance(key, Const) or isinstance(query, Const):
        return None  # it is asked at one side
    values = [of_token(n, tokens) for n in (key, query)]
    few = FEW_COUNTS if None in values else FEW
    if longest is not None:
        sides = zip(values, (key, query), strict=True)
        values = [known if known is not None else _integers(n, tokens, longest) for known, n in sides]
    if values[0] is None or values[1] is None or offsets_of(Select(key, query, "<")) is not None:
        return None
    try:
        union = sorted({*values[0], *values[1]})
    except TypeError:
        return None
    if len(union) <= few:
        return None
    count = 2
    while MOST_DIGIT**count < len(union):
        count += 1
    base = next(b for b in range(2, MOST_DIGIT + 1) if b**count >= len(union))
    places = [base**i for i in reversed(range(count))]
    tables = [tuple((v, rank // place % base) for rank, v in enumerate(union)) for place in places]
    return [(Table("dict", table, key), Table("dict", table, query)) for table in tables]


def _integers(node: SOpNode, tokens: Sequence[Atom], longest: int) -> set[Atom] | None:
    """The integers that a node can be, by a count that it is a function of, or by bounds; None where none are known."""
    counted = _counted(node, tokens, longest)
    if counted is not None:
        return counted
    bounds = None if isinstance(node, Const) or of_count(node, longest) is not None else linear_bounds(node)
    if bounds is None:
        return None
    low, high = (
        [form.a * n + form.b * i + form.c for n, i in ((1, 0), (longest, 0), (longest, longest - 1))]
        for form in (bounds.low, bounds.high)
    )
    first, last = math.floor(min(low)), math.ceil(max(high))
    return set(range(first, last + 1)) if last - first <= MOST_TIMES * longest else None


def _counted(node: SOpNode, tokens: Sequence[Atom], longest: int) -> set[Atom] | None:
    """The integers that a node can be which is a function of one count; None where it is not, or fails at a count."""
    known = of_count(node, longest)
    if known is None:
        return None
    count, values = known
    values = values[: most_keys(count.selector, tokens, longest) + 1]
    return set(values) if all(type(v) is int for v in values) else None


def _by_digits(op: str, digits: list[tuple[SOpNode, SOpNode]]) -> SelectorNode:
    """A comparison of two s-ops by their digits."""
    if op == "==":
        return _all(Select(k, q, "==") for k, q in digits)
    cases: list[SelectorNode] = []
    for number, (k, q) in enumerate(digits):
        equal = [Select(*pair, "==") for pair in digits[:number]]
        last = op if number == len(digits) - 1 else STRICT[op]
        cases.append(_all([*equal, Select(k, q, last)]))
    return reduce(Or, cases)


def _all(selectors: Iterable[SelectorNode]) -> SelectorNode:
    return reduce(And, selectors)
