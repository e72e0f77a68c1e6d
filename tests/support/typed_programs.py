"""Random programs that make sense: numbers with numbers, strings with strings, so that most words have a value."""

from collections.abc import Callable
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
    Not,
    Or,
    Select,
    SelectorNode,
    SOpNode,
    Table,
    Width,
)

FULL = Select(Const(1), Const(1), "==")
LENGTH = Width(FULL)
NUMBERS: st.SearchStrategy[Any] = st.integers(-2, 4) | st.sampled_from([0.5, -1.5, 1 / 3])


@st.composite
def typed_programs(draw: st.DrawFn, max_steps: int = 9) -> SOpNode:
    """An s-op over words of numbers: the last of some nodes, each made from earlier ones of the right types."""
    made = _Made()
    last: Any = Input("asis")
    for _ in range(draw(st.integers(1, max_steps))):
        last = draw(_WEIGHTED)(_Earlier(draw, made), draw)
        made.add(last)
    if isinstance(last, SelectorNode):
        return draw(st.sampled_from([Width(last), Aggregate(last, draw(_recent(made.numbers)), draw(NUMBERS))]))
    return last  # type: ignore[no-any-return]


class _Made:
    """What there is so far, by type."""

    def __init__(self) -> None:
        self.numbers: list[SOpNode] = [Input("asis"), Indices(), LENGTH]
        self.bits: list[SOpNode] = [Map("==", (Input("asis"), Const(1)))]
        self.strings: list[SOpNode] = [Input("str")]
        self.selectors: list[SelectorNode] = [
            FULL,
            Select(Indices(), Indices(), "<"),
            Select(Indices(), Indices(), "<="),
            Select(Input("asis"), Input("asis"), "=="),
        ]
        self.kinds: dict[SOpNode, list[SOpNode]] = {}

    def add(self, node: Any) -> None:
        """Keeps a node with its type."""
        if isinstance(node, SelectorNode):
            self.selectors.append(node)
        else:
            self.kind_of(node).append(node)

    def kind_of(self, node: SOpNode) -> list[SOpNode]:
        """The list of the node's type."""
        match node:
            case Map(op=op) if op in (*COMPARISONS, "and", "or", "not"):
                return self.bits
            case Map(op="where"):
                return self.kind_of(node.args[1])
            case Table(entries=entries):
                return self.strings if isinstance(entries[0][1], str) else self.numbers
            case Aggregate():
                return self.strings if isinstance(node.default, str) else self.numbers
            case Input(kind="str"):
                return self.strings
            case _:
                return self.numbers


def _recent(items: list[Any]) -> st.SearchStrategy[Any]:
    return st.sampled_from(items + items[-3:] * 2)


# Strategies are made once: hypothesis checks each one when it is first drawn from, which takes longer than a draw.
_COMPARISONS = st.sampled_from(COMPARISONS)
_JOINS = st.sampled_from([And, Or])
_LETTERS = st.sampled_from("ax")
_SUMS = st.sampled_from(["+", "-", "+", "-", "*"])
_ARITHMETIC = st.sampled_from(["+", "-", "*", "/", "%"])
_UNARY = st.sampled_from(["neg", "round"])
_LOGIC = st.sampled_from(["and", "or"])
_EITHER = st.booleans()


class _Earlier:
    """Draws nodes of each type from those that there are so far."""

    def __init__(self, draw: st.DrawFn, made: _Made) -> None:
        self.draw, self.made = draw, made

    def number(self) -> SOpNode:
        return self._of(self.made.numbers)

    def bit(self) -> SOpNode:
        return self._of(self.made.bits)

    def string(self) -> SOpNode:
        return self._of(self.made.strings)

    def selector(self) -> SelectorNode:
        return self._of(self.made.selectors)

    def constant(self) -> Const:
        return Const(self.draw(NUMBERS))

    def _of(self, items: list[Any]) -> Any:
        return self.draw(_recent(items))


_STEPS: list[tuple[int, Callable[[_Earlier, st.DrawFn], Any]]] = [
    (3, lambda at, draw: Select(at.number(), at.number(), draw(_COMPARISONS))),
    (1, lambda at, draw: Select(at.number(), at.constant(), draw(_COMPARISONS))),
    (1, lambda at, draw: Select(at.constant(), at.number(), draw(_COMPARISONS))),
    (1, lambda at, draw: Select(at.string(), at.string(), draw(_COMPARISONS))),
    (3, lambda at, draw: draw(_JOINS)(at.selector(), at.selector())),
    (1, lambda at, draw: Not(at.selector())),
    (1, lambda at, draw: Best(at.selector(), at.number())),
    (4, lambda at, draw: Aggregate(at.selector(), at.number(), draw(NUMBERS))),
    (1, lambda at, draw: Aggregate(Select(Indices(), at.number(), "=="), at.string(), draw(_LETTERS))),
    (3, lambda at, draw: Width(at.selector())),
    (3, lambda at, draw: Map(draw(_SUMS), (at.number(), at.number()))),
    (1, lambda at, draw: Map(draw(_ARITHMETIC), (at.number(), at.constant()))),
    (1, lambda at, draw: Map("/", (at.number(), Map("+", (Const(1), LENGTH))))),
    (1, lambda at, draw: Map(draw(_UNARY), (at.number(),))),
    (2, lambda at, draw: Map(draw(_COMPARISONS), (at.number(), at.number() if draw(_EITHER) else Const(1)))),
    (1, lambda at, draw: Map(draw(_LOGIC), (at.bit(), at.bit()))),
    (1, lambda at, draw: Map("not", (at.bit(),))),
    (1, lambda at, draw: Map("indicator", (at.bit(),))),
    (2, lambda at, draw: Map("where", (at.bit(), at.number(), at.number()))),
    (1, lambda at, draw: Map("where", (at.bit(), at.string(), at.string()))),
    (1, lambda at, draw: Table("dict", ((0, "x"), (1, "y"), (2, "x"), (3, "z")), at.number())),
    (1, lambda at, draw: Table("list", ((0, 5), (1, -1), (2, 2), (3, 0)), at.number())),
]
_WEIGHTED = st.sampled_from([make for weight, make in _STEPS for _ in range(weight)])
