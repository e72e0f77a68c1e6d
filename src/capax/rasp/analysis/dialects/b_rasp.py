"""The check for B-RASP: booleans, and attention to one position.

Statement. A B-RASP program is a list of operations on boolean vectors: the input letters, boolean combinations, and
attention. Attention looks, without a mask or only left or only right of the position (strictly), for the leftmost or
the rightmost key at which a boolean combination of values at key and query holds, and gives a boolean combination of
values at both, or a default where there is no such key. A program that passes the check turns into one of these, which
gives the same answers on every word on which the program gives any.

Idea. An s-op with finitely many values is one boolean per value. A selector of comparisons of such s-ops, and of
`indices` with `indices`, is for each of the three sides (left, itself, right) a boolean combination, so the rightmost
or leftmost selected key takes at most two attentions and a test at the position itself. `best` by `indices`, by a
constant or by `-indices` is that. So is an aggregate of strings or booleans: where it selects several, it is an error.
A mean of zeros and ones that is compared with 0 or 1, and a width that is compared with 0, ask only whether some key
is selected. A fixed shift is repeated attention to the neighbour, and so is `indices` compared with a number.

Cite. Yang, Chiang and Angluin, "Masked Hard-Attention Transformers Recognize Exactly the Star-Free Languages", NeurIPS
2024 (arXiv 2310.13897).

Scope. The check reads the nodes and runs nothing. It takes on trust that the alphabet is finite. Its rules are a
selection: all uses of positions or counts as numbers are refused, some of which a star-free language would allow.
"""

from typing import Literal

from capax.rasp.analysis.dialects.dialect import Dialect, OutsideError
from capax.rasp.analysis.dialects.key_directions import falls, offset
from capax.rasp.analysis.value_set import always_boolean, always_string, always_zero_or_one
from capax.rasp.ir.nodes import (
    COMPARISONS,
    MIRRORED,
    Aggregate,
    And,
    Best,
    Const,
    Indices,
    Map,
    Not,
    Or,
    Select,
    SOpNode,
)
from capax.rasp.ir.ops import OPS

Kind = Literal["finite", "position", "share", "width", "many", "one"]
"""S-ops: finitely many values, positions, means of zeros and ones, widths. Selectors: of many keys, of at most one."""


_ANSWERS: dict[Kind, str] = {
    "position": "the answer is a position, and B-RASP gives booleans",
    "share": "the answer is a mean, and B-RASP gives booleans",
    "width": "the answer is a count, and B-RASP gives booleans",
    "many": "a selector alone is not a B-RASP program; check an s-op that uses it",
    "one": "a selector alone is not a B-RASP program; check an s-op that uses it",
}


_NAMES: dict[Kind, str] = {"position": "a position", "share": "a mean", "width": "a count"}


def _expect_finite(kind: Kind, where: str) -> Kind:
    if kind != "finite":
        raise OutsideError(f"{where} uses {_NAMES[kind]} as a number, and B-RASP has booleans only")
    return "finite"


def _map(node: Map, kinds: list[Kind]) -> Kind:
    if offset(node) is not None or falls(node):
        return "position"
    if node.op in COMPARISONS and kinds.count("finite") == 1:
        finite = kinds.index("finite")
        return _tested(kinds[1 - finite], node.args[finite], node.op if finite == 1 else MIRRORED[node.op])
    if node.op == "where" and kinds[0] in ("share", "width"):
        kinds = kinds[1:]  # the truth of a number is whether it is 0
    if OPS[node.op].reads_truth:
        kinds = ["finite" if k in ("share", "width") else k for k in kinds]
    for kind in kinds:
        _expect_finite(kind, f"`{node.op}`")
    return "finite"


def _tested(kind: Kind, number: SOpNode, op: str) -> Kind:
    """The kind of `number of that kind, op, finite number`."""
    value = number.value if isinstance(number, Const) else None
    decidable = {
        "position": value is not None,
        "share": value in (0, 1),
        "width": value == 0 or (value == 1 and op in ("<", ">=")),
    }
    if not decidable[kind]:
        raise OutsideError(
            f"`{op}` compares {_NAMES[kind]} with a number, which asks for more than whether there is one"
        )
    return "finite"


def _select(node: Select, key: Kind, query: Kind) -> Kind:
    positions = offset(node.key), offset(node.query)
    if None not in positions:
        if positions[0] == positions[1]:
            return "many"
        if node.op == "==":
            return "one"
        raise OutsideError("a selector compares positions at a distance, and B-RASP only tells left from right")
    for kind, own, other in ((key, node.key, node.query), (query, node.query, node.key)):
        if kind != "finite" and not (offset(own) is not None and isinstance(other, Const)):
            _expect_finite(kind, "a selector")
    return "many"


def _joined(node: And | Or | Not, kinds: list[Kind]) -> Kind:
    if not isinstance(node, And) and "one" in kinds:
        raise OutsideError("`or` or `not` of a selector that picks a single position")
    if kinds == ["one", "one"]:
        raise OutsideError("`and` of two selectors that pick a single position each")
    return "one" if "one" in kinds else "many"


def _best(node: Best, inner: Kind, score_kind: Kind) -> Kind:
    score = node.score
    if inner == "many" and not (isinstance(score, Const) or offset(score) is not None or falls(score)):
        raise OutsideError("`best` by a score that is not the position; B-RASP picks the leftmost or the rightmost")
    return "one"


def _aggregate(node: Aggregate, selector: Kind, value: Kind) -> Kind:
    _expect_finite(value, "`aggregate`")
    if selector == "one" or always_boolean(node.value) or always_string(node.value):
        return "finite"
    if always_zero_or_one(node.value):
        return "share"
    raise OutsideError("the aggregate may average several numbers, and B-RASP looks at one position")


B_RASP: Dialect[Kind] = Dialect(
    "B-RASP",
    no_length="`length` is a number, and B-RASP has booleans only",
    leaf=lambda node: "position" if isinstance(node, Indices) else "finite",
    map=_map,
    table=lambda node, kind: _expect_finite(kind, "a table"),
    select=_select,
    joined=_joined,
    best=_best,
    width=lambda node: "width",
    aggregate=_aggregate,
    answer=_ANSWERS.get,
)
