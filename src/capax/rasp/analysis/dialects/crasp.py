"""The check for C-RASP: booleans, and counts over prefixes.

Statement. A C-RASP program is a list of operations on boolean and integer vectors. Booleans: the input letters, true,
boolean combinations, and comparisons of counts. Counts: the number of positions up to here at which a boolean holds
(`# [j <= i] P(j)`), sums, differences, choices by a boolean (`P ? C : C'`), minima, maxima, and 1. A program that
passes the check turns into one of these, which gives the same answers on every word on which the program gives any.

Idea. An s-op with finitely many values is one boolean per value, so element-wise work and comparisons of such s-ops
are boolean combinations. A selector of these, and of comparisons of `indices` with `indices`, that looks at no key to
the right, is for each value at the query a boolean of the key: its width is a choice between counts. The mean of
numbers with finitely many values is a quotient of two counts; two such quotients over one selector, or one and a
number, are compared without dividing. `round((indices + 1) * mean up to here)` is the count itself.

Cite. Yang and Chiang, "Counting Like Transformers: Compiling Temporal Counting Logic Into Softmax Transformers", 2024
(arXiv 2404.04393).

Scope. The check reads the nodes and runs nothing. It takes on trust that the alphabet is finite, and that the rounding
of floats changes no comparison: numbers are read as rationals. Its rules are a selection: `best`, shifts and products
of counts are refused without asking whether counts could replace them.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, assert_never

from capax.rasp.analysis.dialects.dialect import Dialect, OutsideError
from capax.rasp.analysis.dialects.key_directions import NOT_CAUSAL, UP_TO_HERE, looks_right, offset
from capax.rasp.analysis.value_set import always_boolean, always_string
from capax.rasp.ir.nodes import (
    COMPARISONS,
    Aggregate,
    Best,
    Const,
    Indices,
    Input,
    Map,
    Select,
    SelectorNode,
    Table,
    Width,
)
from capax.rasp.ir.ops import OPS

ANY, NUMBER, WHOLE = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Kind:
    """What a node is in C-RASP.

    `finite`: finitely many values; `count`: a sum of counts and finite numbers, with finite coefficients; `ratio`: such
    a sum over the width of `below`; `selector`. The values (of a ratio: the sums above the line) are known to be of a
    type: anything, numbers, or whole numbers.
    """

    name: Literal["finite", "count", "ratio", "selector"]
    type: int = ANY
    below: SelectorNode | None = None


SELECTOR, BOOLEAN = Kind("selector"), Kind("finite", WHOLE)


def _answer(kind: Kind) -> str | None:
    match kind.name:
        case "ratio":
            return "the answer is a mean, and C-RASP gives booleans and counts"
        case "selector":
            return "a selector alone is not a C-RASP program; check an s-op that uses it"
        case _:
            return None


def _type(values: Iterable[object]) -> int:
    """What all the values are; a boolean is a whole number."""
    return min((WHOLE if isinstance(v, int) else NUMBER if isinstance(v, float) else ANY for v in values), default=ANY)


def _leaf(node: Input | Const | Indices) -> Kind:
    match node:
        case Input():
            return Kind("finite", {"int": WHOLE, "bool": WHOLE, "float": NUMBER}.get(node.kind, ANY))
        case Const():
            return Kind("finite", _type([node.value]))
        case Indices():
            return Kind("count", WHOLE)
        case _:
            assert_never(node)


def _table(node: Table, kind: Kind) -> Kind:
    if node.kind == "positions":
        raise OutsideError("a list of values for the positions is for words of one length only")
    return BOOLEAN if node.kind == "members" else Kind("finite", _type(v for _, v in node.entries))


def _best(node: Best, inner: Kind, score: Kind) -> Kind:
    raise OutsideError("`best` picks one position, and C-RASP can only count")


def _width(node: Width) -> Kind:
    _expect_prefix(node.selector)
    return Kind("count", WHOLE)


def _select(node: Select, key: Kind, query: Kind) -> Kind:
    if key.name == "ratio" or query.name == "ratio":
        raise OutsideError("a selector compares means, and C-RASP selects by booleans")
    if key.name == query.name == "count":
        offsets = offset(node.key), offset(node.query)
        if None in offsets:
            raise OutsideError("a selector compares a count at the key with one at the query")
        if offsets[0] != offsets[1]:
            raise OutsideError("a selector compares positions at a distance, and C-RASP only tells left from right")
    return SELECTOR


def _expect_prefix(selector: SelectorNode) -> None:
    if looks_right(selector):
        raise OutsideError(NOT_CAUSAL)


def _aggregate(node: Aggregate, selector: Kind, value: Kind) -> Kind:
    _expect_prefix(node.selector)
    if value.name != "finite":
        what = "counts" if value.name == "count" else "means"
        raise OutsideError(f"an aggregate takes {what} as its values, and C-RASP counts booleans only")
    known = min(value.type, _type([node.default]))
    if always_boolean(node.value) or always_string(node.value):
        return Kind("finite", known)
    if value.type == ANY:
        raise OutsideError("the aggregate may average several values that are not known to be numbers")
    return Kind("ratio", known, node.selector)


def _map(node: Map, args: list[Kind]) -> Kind:
    if OPS[node.op].reads_truth:
        return BOOLEAN
    if node.op in COMPARISONS:
        if not all(a.name == "finite" for a in args):
            _joined(*args)
        return BOOLEAN
    if node.op == "where":
        args = args[1:]
    if all(a.name == "finite" for a in args):
        return Kind("finite", _type_of_result(node.op, args))
    if node.op in ("+", "-", "where"):
        return _joined(*args)
    return _scaled(node, args)


def _type_of_result(op: str, args: list[Kind]) -> int:
    least = min(a.type for a in args)
    match OPS[op].result:
        case None:
            return ANY
        case "int" if least >= NUMBER:
            return WHOLE
        case "float" | "power":
            return min(least, NUMBER)
        case _:
            return min(least, NUMBER) if op == "%" else least


def _joined(left: Kind, right: Kind) -> Kind:
    """The kind of a sum, difference, comparison or choice of two, one of which is not finite."""
    known = min(left.type, right.type)
    below = left.below or right.below
    if below is None:
        return Kind("count", known)
    other = right if left.below else left
    if other.name == "count":
        raise OutsideError("a mean is compared with or added to a count, which multiplies two counts")
    if other.name == "ratio" and other.below is not below:
        raise OutsideError("means over different selectors are compared or added, which multiplies two counts")
    return Kind("ratio", known, below)


def _scaled(node: Map, args: list[Kind]) -> Kind:
    """The kind of any other operation on a count or a ratio."""
    first = args[0]
    if node.op in ("neg", "pos"):
        return first
    if node.op == "round" and first.name == "count" and first.type == WHOLE:
        return first
    if node.op == "*":
        return _product(node, args)
    words = {"/": "a division", "%": "a remainder", "^": "a power", "round": "rounding"}
    what = "count" if any(a.name == "count" for a in args) else "mean"
    raise OutsideError(f"{words.get(node.op, f'`{node.op}`')} of a {what}, and C-RASP adds and compares only")


def _product(node: Map, args: list[Kind]) -> Kind:
    for operand, kind in enumerate(args):
        other = args[1 - operand]
        if kind.name == "finite" and kind.type >= NUMBER and other.type >= NUMBER:
            return Kind(other.name, min(other.type, kind.type), other.below)
        if kind.below is UP_TO_HERE and offset(node.args[1 - operand]) == 1:
            return Kind("count", kind.type)
    raise OutsideError("a count or mean is multiplied by something other than a number with finitely many values")


C_RASP: Dialect[Kind] = Dialect(
    "C-RASP",
    no_length="`length` looks at the whole word, and C-RASP counts up to the position only",
    leaf=_leaf,
    map=_map,
    table=_table,
    select=_select,
    joined=lambda node, kinds: SELECTOR,
    best=_best,
    width=_width,
    aggregate=_aggregate,
    answer=_answer,
)
