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
        last = draw(_step(made))
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


@st.composite
def _step(draw: st.DrawFn, made: _Made) -> Any:
    n, b, t, s = (_recent(x) for x in (made.numbers, made.bits, made.strings, made.selectors))
    steps: list[tuple[int, Callable[[], Any]]] = [
        (3, lambda: Select(draw(n), draw(n), draw(st.sampled_from(COMPARISONS)))),
        (1, lambda: Select(draw(n), Const(draw(NUMBERS)), draw(st.sampled_from(COMPARISONS)))),
        (1, lambda: Select(Const(draw(NUMBERS)), draw(n), draw(st.sampled_from(COMPARISONS)))),
        (1, lambda: Select(draw(t), draw(t), draw(st.sampled_from(COMPARISONS)))),
        (3, lambda: draw(st.sampled_from([And, Or]))(draw(s), draw(s))),
        (1, lambda: Not(draw(s))),
        (1, lambda: Best(draw(s), draw(n))),
        (4, lambda: Aggregate(draw(s), draw(n), draw(NUMBERS))),
        (1, lambda: Aggregate(draw(st.just(Select(Indices(), draw(n), "=="))), draw(t), draw(st.sampled_from("ax")))),
        (3, lambda: Width(draw(s))),
        (3, lambda: Map(draw(st.sampled_from(["+", "-", "+", "-", "*"])), (draw(n), draw(n)))),
        (1, lambda: Map(draw(st.sampled_from(["+", "-", "*", "/", "%"])), (draw(n), Const(draw(NUMBERS))))),
        (1, lambda: Map("/", (draw(n), Map("+", (Const(1), LENGTH))))),
        (1, lambda: Map(draw(st.sampled_from(["neg", "round"])), (draw(n),))),
        (2, lambda: Map(draw(st.sampled_from(COMPARISONS)), (draw(n), draw(n) if draw(st.booleans()) else Const(1)))),
        (1, lambda: Map(draw(st.sampled_from(["and", "or"])), (draw(b), draw(b)))),
        (1, lambda: Map("not", (draw(b),))),
        (1, lambda: Map("indicator", (draw(b),))),
        (2, lambda: Map("where", (draw(b), draw(n), draw(n)))),
        (1, lambda: Map("where", (draw(b), draw(t), draw(t)))),
        (1, lambda: Table("dict", ((0, "x"), (1, "y"), (2, "x"), (3, "z")), draw(n))),
        (1, lambda: Table("list", ((0, 5), (1, -1), (2, 2), (3, 0)), draw(n))),
    ]
    weighted = [make for weight, make in steps for _ in range(weight)]
    return draw(st.sampled_from(weighted))()
