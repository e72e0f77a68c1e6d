"""Element-wise s-ops for a target: right on every row, and the obvious ones in their obvious form."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax import indices, tokens, where
from capax.decompiler.feature import Feature, Strings, grown, values_of
from capax.decompiler.function_fit import explain, truth_of
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import Node, SOpNode

STRINGS = Strings(("", "a", "b", "c"))
WORD, AT = np.array([1, 2, 3] * 5, np.float64), np.repeat(np.arange(5.0), 3)
BASE = [Feature(tokens.node, "str", WORD, 1.0), Feature(indices.node, "int", AT, 1.0)]
BANK = grown(BASE, STRINGS)


def column(root: SOpNode) -> Feature:
    """The values of an element-wise node over the base."""
    known: dict[Node, Feature] = {f.node: f for f in BASE}
    for node in topological(root):
        if node not in known:
            value = values_of(node, known, STRINGS)
            if value is not None:
                known[node] = value
    return known[root]


@pytest.mark.parametrize(
    "program",
    [indices + 1, tokens == "b", where(tokens == "a", indices, 0), where(indices == 0, tokens, "c"), indices % 2 == 1],
    ids=str,
)
def test_small_s_ops_come_back(program: SOpNode) -> None:
    """A target of a small s-op is explained by one that has its values and is no larger."""
    aim = column(program.node)
    texts = [STRINGS.listed[int(x)] if aim.kind == "str" else int(x) for x in aim.values]
    target = [bool(x) for x in aim.values] if aim.kind == "bool" else texts
    tree = explain(target, BANK, BASE)
    assert tree is not None
    assert np.array_equal(column(tree.node).values, aim.values)
    assert len(topological(tree.node)) <= len(topological(program.node))


@given(st.lists(st.booleans(), min_size=15, max_size=15))
def test_a_truth_that_is_found_is_right(target: list[bool]) -> None:
    """Whatever the target: an s-op that is given has its values on every row."""
    truth = truth_of(np.array(target), BANK, BASE)
    if truth is not None:
        assert np.array_equal(truth.values > 0, target)
        assert np.array_equal(column(truth.node).values > 0, target)


def test_rows_that_do_not_count() -> None:
    """Of two rows that are asked for nothing is asked of the others."""
    rows = np.arange(15) < 2
    truth = truth_of(WORD == 2, BANK, BASE, rows)
    assert truth is not None
    assert np.array_equal(truth.values[:2], [0, 1])
