"""S-ops that are linear in position and length."""

from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from capax.compiler.analysis.linear import LENGTH, Linear, linear
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import Const, Indices, Input, Map, Node
from capax.rasp.meaning import reference

HERE, X = Indices(), Input("asis")


@st.composite
def expressions(draw: st.DrawFn, depth: int = 3) -> Any:
    """Sums, differences and products of positions, lengths and integers."""
    if depth == 0 or draw(st.booleans()):
        return draw(st.sampled_from([HERE, LENGTH, Const(2), Const(-1), Const(0.5), X]))
    if draw(st.integers(0, 4)) == 0:
        return Map(draw(st.sampled_from(["neg", "pos"])), (draw(expressions(depth - 1)),))
    args = draw(expressions(depth - 1)), draw(expressions(depth - 1))
    return Map(draw(st.sampled_from(["+", "-", "*"])), args)


@given(expressions(), st.integers(1, 5))
def test_linear_forms(node: Any, longest: int) -> None:
    """A form has the interpreter's values, its bounds are attained, and it knows when it is a position."""
    known: dict[Node, Linear] = {}
    for part in topological(node):
        found = linear(part, known)
        if found is not None:
            known[part] = found
    assume(node in known)
    form = known[node]
    seen, positions = set(), True
    for n in range(1, longest + 1):
        values = reference.evaluate(node, [0] * n)
        assert list(values) == [form.a * n + form.b * i + form.c for i in range(n)]
        seen |= set(values)
        positions = positions and all(0 <= v < n for v in values)
    assert form.bounds(longest) == (min(seen), max(seen))
    assert seen <= set(form.values(longest).values)
    assert form.is_position(longest) == positions
