"""Which offsets comparisons of positions select, against the definition."""

from itertools import product
from math import inf
from typing import Any, get_args

from hypothesis import given
from hypothesis import strategies as st

from capax import indices, length, select, tokens
from capax.rasp.analysis.offsets import Offsets, offsets_of, shift_of, window_of
from capax.rasp.ir.nodes import And, Comparison, Const, Indices, Map, Not, Or, Select
from capax.rasp.meaning.reference import evaluate

shifts = st.integers(-3, 3).map(lambda c: Map("+", (Indices(), Const(c))))
orders = st.builds(Select, shifts, shifts, st.sampled_from(get_args(Comparison)))
selectors = st.recursive(
    orders, lambda s: st.one_of(st.builds(And, s, s), st.builds(Or, s, s), st.builds(Not, s)), max_leaves=5
)


@given(selectors)
def test_offsets(selector: Any) -> None:
    offsets = offsets_of(selector)
    assert offsets is not None
    rows = evaluate(selector, "a" * 8)
    for i, j in product(range(8), repeat=2):
        assert rows[i][j] == (j - i in offsets)
    ends = [end for pair in offsets.ranges for end in pair]
    assert ends == sorted(ends)
    assert all(b + 1 < c for (_, b), (c, _) in zip(offsets.ranges, offsets.ranges[1:], strict=False))
    assert ~~offsets == offsets
    assert offsets.size == inf or len(list(offsets)) == offsets.size


def test_windows() -> None:
    window = select(indices, indices, "<=") & select(tokens, "a", "==") & select(indices, indices - 3, ">")
    assert window_of(window.node) == Offsets(((-2, 0),))
    assert offsets_of(window.node) is None
    assert (Offsets(((-2, 0), (3, 3))).low, Offsets(((-2, 0), (3, 3))).high) == (-2, 3)
    assert (Offsets(()).low, Offsets(()).high, Offsets(()).size) == (inf, -inf, 0)
    assert ~Offsets(()) == Offsets()


def test_shifts() -> None:
    shifted = [(indices - 3, -3), (2 + indices, 2), (length - indices, None), (indices * 2, None)]
    for sop, shift in shifted:
        assert shift_of(sop.node) == shift
