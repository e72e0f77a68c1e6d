"""Disjoint parts of a selector: their widths add up."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from capax.rasp.ir.nodes import COMPARISONS, And, Indices, Input, Not, Or, Select, SelectorNode
from capax.rasp.meaning import reference
from capax.rasp.rewrite.disjoint import MOST_PARTS, disjoint_parts
from capax.rasp.rewrite.rewrite import rewrite
from tests.support.outcomes import count_outcome, least_share

X = Input("asis")
LEAVES = [Select(a, b, op) for a, b in ((X, X), (X, Indices()), (Indices(), Indices())) for op in COMPARISONS]

selectors: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from(LEAVES),
    lambda inner: st.one_of(st.builds(And, inner, inner), st.builds(Or, inner, inner), st.builds(Not, inner)),
    max_leaves=5,
)


@least_share("parts", 0.8)
@given(selectors, st.lists(st.integers(0, 3), min_size=1, max_size=5))
def test_each_pair_is_in_one_part(selector: SelectorNode, word: list[int]) -> None:
    """A pair is selected by exactly one of the parts if the selector selects it, else by none."""
    simpler = rewrite(selector).node
    assert isinstance(simpler, SelectorNode)
    parts = disjoint_parts(simpler)
    count_outcome("left whole" if parts is None else "parts")
    if parts is None:
        return
    assert len(parts) <= MOST_PARTS
    rows = [reference.evaluate(part, word) for part in parts]
    for query, whole in enumerate(reference.evaluate(selector, word)):
        for key, selected in enumerate(whole):
            assert sum(part[query][key] for part in rows) == selected


def test_too_many_parts() -> None:
    """A selector that would need many is left whole."""
    wide: Any = LEAVES[0]
    for leaf in LEAVES[1:12]:
        wide = Or(wide, And(leaf, LEAVES[13]))
    assert disjoint_parts(wide) is None
