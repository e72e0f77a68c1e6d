"""Numbers over an s-op in place of what it was made from: still true of every combination."""

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import capax
from capax import aggregate, indicator, indices, library, select, selector_width, tokens
from capax.certify.intervals.arithmetic import IntervalArithmetic
from capax.certify.intervals.tensor import IntervalTensor, between, exactly
from capax.certify.parts.by_value import by_value
from capax.certify.values.axes import NARROW, Axes
from capax.rasp.ir.nodes import Node, SOpNode, Width
from tests.support.outcomes import count_outcome, least_share

LONGEST = 9
SO_FAR = select(indices, indices, "<=")
OPENED, CLOSED = (selector_width(select(tokens, token, "==") & SO_FAR) for token in "()")
BELOW = OPENED < CLOSED
FULL = OPENED == LONGEST - 2
EITHER = indicator(BELOW | FULL)
PROGRAM = aggregate(select(EITHER, 1, "=="), indices, -1)


def setting() -> tuple[Axes, IntervalArithmetic]:
    """The axes of the program, with flags as axes, and arithmetic over them."""
    assert isinstance(PROGRAM.node, SOpNode)
    axes = Axes(PROGRAM.node, "()", LONGEST, coarse=NARROW)
    assert {BELOW.node, FULL.node, EITHER.node} <= {*axes.cuts}
    return axes, IntervalArithmetic("float32", {a: len(v) for a, v in axes.values.items()}, feasible=axes.feasible)


def counts() -> tuple[Any, Any]:
    """Both counts as nodes."""
    return OPENED.node, CLOSED.node


def at(axes: Axes, node: Node, known: dict[Node, int]) -> int:
    """Which value an axis has where the bases have theirs."""
    if node in known:
        return known[node]
    source = axes.cuts[node]
    inner = [at(axes, a, known) for a in source.axes]
    rows = axes.rows(node).reshape(source.codes.shape)
    return -1 if -1 in inner else int(rows[tuple(inner)])


def holds(axes: Axes, before: IntervalTensor, after: IntervalTensor) -> bool:
    """Whether the bounds afterwards are no narrower at any combination of counts that gives all s-ops a value."""
    bases = [a for a in (*counts(), *axes.values) if isinstance(a, Width)]
    for index in itertools.product(*(range(len(axes.values[a])) for a in dict.fromkeys(bases))):
        known: dict[Node, int] = dict(zip(dict.fromkeys(bases), index, strict=True))
        where = [tuple(at(axes, a, known) for a in x.axes) for x in (before, after)]
        if any(-1 in w for w in where):
            continue
        if not (after.low[where[1]] <= before.low[where[0]] and before.high[where[0]] <= after.high[where[1]]):
            return False
    return True


def numbers_of(axes: Axes, values: Any, noise: float = 0.0) -> IntervalTensor:
    """A number over both counts, with noise."""
    kind = counts()
    low = np.asarray(values, np.float64).reshape([len(axes.values[a]) for a in kind])
    return between(kind, low - noise, low + noise)


def flags(axes: Axes) -> Any:
    """For both counts whether one of the flags holds."""
    one, two = (np.array(axes.values[a]) for a in counts())
    return ((one[:, None] < two[None, :]) | (one[:, None] == LONGEST - 2)).astype(np.float64)


@pytest.mark.parametrize("noise", [0.0, 2.0**-10])
def test_a_function_of_flags_is_a_number_over_one_flag(noise: float) -> None:
    """Also where the flag is made of flags: both counts become two flags, and these become one."""
    axes, arithmetic = setting()
    before = numbers_of(axes, flags(axes) * 3 - 1, noise)
    (after,) = by_value([before], axes, arithmetic, narrow=True)
    assert after.axes == (EITHER.node,)
    assert sorted(after.low.tolist()) == [-1 - noise, 2 - noise]
    assert holds(axes, before, after)


def test_other_axes_stay() -> None:
    """A number that depends on the flag and on the position: only the counts give way."""
    axes, arithmetic = setting()
    here = np.arange(LONGEST) / 4.0
    kind = (counts()[0], indices.node, counts()[1])
    before = exactly(kind, flags(axes)[:, None, :] * 8 + here[None, :, None])
    (after,) = by_value([before], axes, arithmetic, narrow=True)
    assert set(after.axes) == {EITHER.node, indices.node}
    moved = after.low if after.axes[0] is EITHER.node else after.low.T
    assert sorted(map(tuple, moved.tolist())) == sorted([tuple(here), tuple(here + 8)])


@least_share("other axes", 0.05)
@given(st.data())
def test_whatever_the_number_is_the_bounds_hold(data: st.DataObject) -> None:
    """Functions of differences, of flags, of neither; with noise and with one combination that is off."""
    axes, arithmetic = setting()
    one, two = (np.array(axes.values[a]) for a in counts())
    table = np.array(data.draw(st.lists(st.integers(-2, 2), min_size=40, max_size=40)), np.float64)
    kinds = [flags(axes), one[:, None] - two[None, :], (one[:, None] == LONGEST - 2) + 2.0 * (one[:, None] < two)]
    values = table[(data.draw(st.sampled_from(kinds)) + 15).astype(int)]
    if data.draw(st.booleans()):
        values[data.draw(st.integers(0, len(one) - 1)), data.draw(st.integers(0, len(two) - 1))] += 1
    before = numbers_of(axes, values, data.draw(st.sampled_from([0.0, 0.125])))
    (after,) = by_value([before], axes, arithmetic, narrow=True)
    count_outcome("other axes" if after.axes != before.axes else "same axes")
    assert holds(axes, before, after)
    assert after.error <= 2 * before.error


def test_a_number_that_is_no_function_of_a_flag_stays() -> None:
    axes, arithmetic = setting()
    before = numbers_of(axes, flags(axes) + np.arange(flags(axes).size).reshape(flags(axes).shape))
    (after,) = by_value([before], axes, arithmetic, narrow=True)
    assert after is before


def test_flags_of_flags_are_certified_at_the_whole_length() -> None:
    """Brackets of two kinds: with all combinations of counts these would be too many."""
    compiled = capax.compile(library.dyck2_ptf, alphabet="(){}", max_length=200, words=20)
    assert compiled.label == "certified in float32 up to length 200"
