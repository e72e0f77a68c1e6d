"""Random programs as graphs, and random words, for comparing evaluators."""

from typing import Any

from hypothesis import strategies as st

from capax.rasp.ir.nodes import (
    COMPARISONS,
    Aggregate,
    And,
    Best,
    Const,
    Indices,
    Input,
    Map,
    Node,
    Not,
    Or,
    Select,
    SelectorNode,
    SOpNode,
    Table,
    Width,
)
from capax.rasp.ir.ops import OPS

ATOMS: st.SearchStrategy[Any] = st.one_of(
    st.integers(-3, 9),
    st.sampled_from([0.5, -1.5, 1 / 3, 0.1, 2.0, -0.0, 1e16]),
    st.booleans(),
    st.sampled_from(["a", "b", "", "ab"]),
)

RARE: st.SearchStrategy[Any] = st.sampled_from([2**53, 2**53 + 1, 2**62, 2**70, -(2**63), 1e308, float("inf"), 5e-324])
"""Numbers at the edges of what arrays hold."""

_COMMON = ["+", "-", "*", "==", "<", "and", "indicator", "where"]


@st.composite
def words(draw: st.DrawFn, max_size: int = 8) -> Any:
    """A word: mostly a string over a small alphabet, else a list of one type, else anything."""
    shape = draw(st.integers(0, 9))
    if shape < 5:
        return draw(st.text("aab(", min_size=1, max_size=max_size))
    if shape == 9:
        return draw(st.lists(ATOMS | RARE, min_size=1, max_size=max_size))
    one = [st.integers(-2, 4), st.sampled_from([0.1, 0.2, -0.5, 3.0]), st.booleans(), st.sampled_from(["1", "2", "x"])]
    return draw(st.lists(one[shape - 5], min_size=1, max_size=max_size))


@st.composite
def graphs(draw: st.DrawFn, max_steps: int = 12) -> Node:
    """A program: the last of some nodes, each made from earlier ones."""
    sops: list[SOpNode] = [Input("str"), Indices(), Const(1)]
    selectors: list[SelectorNode] = [Select(Indices(), Indices(), "<")]
    last: Node = sops[0]
    for _ in range(draw(st.integers(1, max_steps))):
        last = _step(draw, sops, selectors)
        if isinstance(last, SOpNode):
            sops.append(last)
        else:
            assert isinstance(last, SelectorNode)
            selectors.append(last)
    return last


def _recent(items: list[Any]) -> st.SearchStrategy[Any]:
    """An item, later ones more often."""
    return st.sampled_from(items + items[-3:] * 2)


# Strategies are made once: hypothesis checks each one when it is first drawn from, which takes longer than a draw.
_CHOICE = st.integers(0, 13)
_INPUTS = st.sampled_from(["asis", "str", "int", "float", "bool"])
_CONSTANTS = st.one_of(ATOMS, ATOMS, ATOMS, RARE)
_OPS = st.sampled_from(list(OPS)) | st.sampled_from(_COMMON)
_TABLES = st.sampled_from(["list", "string", "dict", "members"])
_ENTRIES = st.lists(ATOMS, min_size=1, max_size=6, unique=True)
_DEFAULTS = st.just(0) | ATOMS
_COMPARISONS = st.sampled_from(COMPARISONS)
_JOINS = st.sampled_from([And, Or])
_EITHER = st.booleans()


def _step(draw: st.DrawFn, sops: list[SOpNode], selectors: list[SelectorNode]) -> Node:
    s, sel = _recent(sops), _recent(selectors)
    match draw(_CHOICE):
        case 0:
            return Input(draw(_INPUTS))
        case 1:
            return Const(draw(_CONSTANTS))
        case 2 | 3 | 4:
            op = draw(_OPS)
            return Map(op, tuple(draw(s) for _ in range(OPS[op].arity)))
        case 5:
            kind = draw(_TABLES)
            values = draw(_ENTRIES)
            keys = values if kind in ("dict", "members") else range(len(values))
            entries = tuple(zip(keys, [True] * 6 if kind == "members" else reversed(values), strict=False))
            return Table(kind, entries, draw(s))
        case 6 | 7 | 8:
            return Aggregate(draw(sel), draw(s), draw(_DEFAULTS))
        case 9:
            return Width(draw(sel))
        case 10 | 11:
            return Select(draw(s), draw(s), draw(_COMPARISONS))
        case 12:
            joined = draw(_JOINS)
            return joined(draw(sel), draw(sel))
        case _:
            return Not(draw(sel)) if draw(_EITHER) else Best(draw(sel), draw(s))


def as_sop(node: Node) -> SOpNode:
    """The node, or how many keys it selects."""
    if isinstance(node, SOpNode):
        return node
    assert isinstance(node, SelectorNode)
    return Width(node)
