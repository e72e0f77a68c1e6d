"""The check for RASP-L: causal programs that use positions only by their order.

Statement. RASP-L programs run from left to right: attention sees the keys up to the query. Values are tokens or
positions. Tokens, which are small integers, may be mapped in any way; positions may be compared, moved by a successor
or predecessor, and looked up, but not computed with otherwise. Attention gives a mean, a maximum, a minimum, or the
width of a selector. A program that passes the check turns into one of these, which gives the same answers on every word
on which the program gives any.

Idea. An s-op with finitely many values is a token. A width is treated as a position. A selector by which at most one
key is selected looks a value up, and so does an aggregate of strings or booleans: where it selects several, it is an
error. A mean of zeros and ones that is compared with 0 or 1 is a maximum or a minimum. `best` takes the maximum of the
score among the selected keys, then the last position that has it, and looks there.

Cite. Zhou, Bradley, Littwin, Razin, Saremi, Susskind, Bengio and Nakkiran, "What Algorithms can Transformers Learn? A
Study in Length Generalization", ICLR 2024 (arXiv 2310.16028), with its Python core (np-rasp).

Scope. The check reads the nodes and runs nothing. It takes on trust that the alphabet is finite and small (the paper
uses 8-bit integers). RASP-L is given in the paper by a Python core and rules in prose; the rules here are a strict
reading of them: a shift by a constant is repeated succession, widths get no arithmetic beyond that of positions, and
means are no numbers (RASP-L rounds them down). A selector counts as causal only where positions alone show it.
"""

from typing import Literal

from capax.rasp.analysis.dialects.dialect import Dialect, OutsideError
from capax.rasp.analysis.dialects.key_directions import NOT_CAUSAL, falls, looks_right, offset
from capax.rasp.analysis.value_set import always_boolean, always_string, always_zero_or_one
from capax.rasp.ir.nodes import (
    COMPARISONS,
    Aggregate,
    And,
    Best,
    Const,
    Indices,
    Map,
    Select,
    SOpNode,
    Table,
    Width,
)
from capax.rasp.ir.ops import OPS

Kind = Literal["token", "index", "falling", "share", "many", "one"]
"""S-ops: tokens, positions and widths, `-indices`, means of zeros and ones. Selectors: of many keys, of at most one."""


def _answer(kind: Kind) -> str | None:
    if kind in ("share", "falling"):
        return "the answer is a mean, which RASP-L rounds down" if kind == "share" else "the answer is `-indices`"
    return "a selector alone is not a RASP-L program; check an s-op that uses it" if kind in ("many", "one") else None


_NAMES: dict[Kind, str] = {"index": "a position or width", "falling": "a position", "share": "a mean"}


def _map(node: Map, kinds: list[Kind]) -> Kind:
    if falls(node):
        return "falling"
    if all(k == "token" for k in kinds):
        return "token"
    if OPS[node.op].reads_truth:
        return "token"  # the truth of a number is whether it is 0
    if node.op == "where":
        return _chosen(node, kinds[1:])
    if "share" in kinds:
        return _share_tested(node, kinds)
    if all(k == "index" or _is_whole(a) for k, a in zip(kinds, node.args, strict=True)):
        if node.op in COMPARISONS:
            return "token"
        if (node.op == "+" and "token" in kinds) or (node.op == "-" and kinds == ["index", "token"]):
            return "index"
    raise OutsideError(f"`{node.op}` computes with a position or width; RASP-L compares it and takes neighbours only")


def _is_whole(node: SOpNode) -> bool:
    return isinstance(node, Const) and isinstance(node.value, int)


def _chosen(node: Map, kinds: list[Kind]) -> Kind:
    if all(k == "token" for k in kinds):
        return "token"
    if all(k == "index" or _is_whole(a) for k, a in zip(kinds, node.args[1:], strict=True)):
        return "index"
    raise OutsideError("a choice between a position, width or mean and something else; RASP-L keeps them apart")


def _share_tested(node: Map, kinds: list[Kind]) -> Kind:
    numbers = [a.value for a in node.args if isinstance(a, Const)]
    if node.op in COMPARISONS and len(numbers) == 1 and numbers[0] in (0, 1):
        return "token"
    raise OutsideError(f"`{node.op}` uses a mean as a number, and RASP-L rounds means down")


def _select(node: Select, key: Kind, query: Kind) -> Kind:
    for kind, other, value in ((key, query, node.query), (query, key, node.key)):
        if kind in ("share", "falling"):
            raise OutsideError(f"a selector compares {_NAMES[kind]} as a number")
        if kind == "index" and other != "index" and not _is_whole(value):
            raise OutsideError("a selector compares a position or width with a token; RASP-L keeps them apart")
    return "one" if node.op == "==" and offset(node.key) is not None else "many"


def _table(node: Table, kind: Kind) -> Kind:
    if kind != "token":
        raise OutsideError(f"a table maps {_NAMES[kind]}; RASP-L maps tokens only")
    return "token"


def _width(node: Width) -> Kind:
    _expect_causal(node)
    return "index"


def _expect_causal(node: Aggregate | Width) -> None:
    if looks_right(node.selector):
        raise OutsideError(NOT_CAUSAL)


def _best(node: Best, inner: Kind, score: Kind) -> Kind:
    if score == "share":
        raise OutsideError("`best` by a mean, which RASP-L rounds down")
    return "one"


def _aggregate(node: Aggregate, selector: Kind, value: Kind) -> Kind:
    _expect_causal(node)
    if value in ("share", "falling"):
        raise OutsideError(f"an aggregate of {_NAMES[value]} as a number")
    if value == "index":
        if selector != "one":
            raise OutsideError("the aggregate may average several positions or widths")
        if not isinstance(node.default, int):
            raise OutsideError("an aggregate of positions or widths whose default is none")
    if selector == "one":
        return value
    if always_boolean(node.value) or always_string(node.value):
        return "token"
    if always_zero_or_one(node.value):
        return "share"
    raise OutsideError("the aggregate may average several numbers, and RASP-L rounds means down")


RASP_L: Dialect[Kind] = Dialect(
    "RASP-L",
    no_length="`length` looks to the right of the position, and RASP-L is causal",
    leaf=lambda node: "index" if isinstance(node, Indices) else "token",
    map=_map,
    table=_table,
    select=_select,
    joined=lambda node, kinds: "one" if isinstance(node, And) and "one" in kinds else "many",
    best=_best,
    width=_width,
    aggregate=_aggregate,
    answer=_answer,
)
