"""The parts of a width must add up to it: every selected pair is in exactly one of them, and no other pair in any."""

import pytest

from capax import indices, select, tokens
from capax.certify.hints import is_sum_of
from capax.rasp.ir.nodes import SelectorNode

SAME = select(tokens, tokens, "==")
OTHER = select(tokens, tokens, "!=")
BEFORE = select(indices, indices, "<")
FROM_HERE = select(indices, indices, ">=")


def node(selector: object) -> SelectorNode:
    """The node of a selector."""
    result = selector.node  # type: ignore[attr-defined]
    assert isinstance(result, SelectorNode)
    return result


def test_disjoint_parts_add_up() -> None:
    assert is_sum_of(node(SAME | BEFORE), [node(SAME), node(OTHER & BEFORE)])
    assert is_sum_of(node(SAME), [node(SAME)])


@pytest.mark.parametrize(
    "parts",
    [(SAME, BEFORE), (SAME, SAME, OTHER & BEFORE), (SAME,), (SAME, OTHER & BEFORE, OTHER & FROM_HERE)],
    ids=["a pair twice", "a part twice", "a pair missing", "a pair too many"],
)
def test_parts_that_do_not_add_up_are_refused(parts: tuple[object, ...]) -> None:
    assert not is_sum_of(node(SAME | BEFORE), [node(part) for part in parts])


def test_too_many_comparisons_are_refused() -> None:
    """Nine kinds of comparisons have 19,683 outcomes, which are not gone through: even a selector itself is refused."""
    whole = SAME
    for k in range(9):
        whole = whole | select(indices, indices + k + 1, "==")
    assert not is_sum_of(node(whole), [node(whole)])
