"""What positions and other counts tell of a count holds on every word."""

import itertools

import numpy as np
import pytest

from capax.certify.values.axes import TOKEN, Axes
from capax.certify.values.width_limits import AFTER, BEFORE, FROM_HERE, HERE, SO_FAR, by_position, selects_no_more
from capax.rasp.ir.describe import FULL
from capax.rasp.ir.nodes import And, Const, Indices, Map, Or, Select, SelectorNode, Width
from capax.rasp.meaning.fast import evaluate_batch

LONGEST = 4
WORDS = [w for n in range(1, LONGEST + 1) for w in itertools.product((0, 1), repeat=n)]
SAME, LESS = Select(TOKEN, TOKEN, "=="), Select(TOKEN, TOKEN, "<")
FIRST = Select(Indices(), Const(0), "==")
SELECTORS: dict[str, SelectorNode] = {
    "so far": SO_FAR,
    "before": BEFORE,
    "from here": FROM_HERE,
    "after": AFTER,
    "here": HERE,
    "all": FULL,
    "equal": SAME,
    "equal so far": And(SAME, SO_FAR),
    "equal before": And(BEFORE, SAME),
    "less, after": And(LESS, AFTER),
    "equal from here": And(SAME, FROM_HERE),
    "first, equal, so far": And(And(FIRST, SAME), SO_FAR),
    "before or equal": Or(BEFORE, SAME),
}
KNOWN = {"so far", "before", "from here", "after", "here", "equal so far", "equal before", "less, after"}


def counts(selector: SelectorNode) -> list[list[int]]:
    """The width at each position of each word."""
    return [list(row) for row in evaluate_batch(Width(selector), WORDS)]


@pytest.mark.parametrize("name", SELECTORS)
def test_counts_at_positions(name: str) -> None:
    """What occurs is possible; and where a comparison of positions is all that there is, no more is possible."""
    allowed = by_position(SELECTORS[name], np.arange(LONGEST + 1), LONGEST)
    if allowed is None:
        assert name not in KNOWN
        return
    occurs = np.zeros_like(allowed)
    for row in counts(SELECTORS[name]):
        occurs[np.arange(len(row)), row] = True
    assert not (occurs & ~allowed).any()
    if name in ("so far", "before"):
        assert np.array_equal(occurs, allowed)
    if name in KNOWN:
        assert np.array_equal(occurs.max(axis=1), allowed.max(axis=1))
        assert all(np.flatnonzero(o)[-1] == np.flatnonzero(a)[-1] for o, a in zip(occurs, allowed, strict=True))


@pytest.mark.parametrize(("one", "two"), list(itertools.permutations(SELECTORS, 2)))
def test_selectors_with_more_conditions_select_no_more(one: str, two: str) -> None:
    if selects_no_more(SELECTORS[one], SELECTORS[two]):
        rows = zip(counts(SELECTORS[one]), counts(SELECTORS[two]), strict=True)
        assert all(a <= b for fewer, more in rows for a, b in zip(fewer, more, strict=True))
    else:
        assert two != "all"
        assert {one, two} != {"equal so far", "equal"} or one == "equal"


def test_pairs_of_counts_are_feasible_where_they_occur() -> None:
    """Of two counts, one of which has all conditions of the other and more, only the pairs in order are possible."""
    less, more = Width(And(SAME, SO_FAR)), Width(SAME)
    axes = Axes(Map("+", (less, more)), (0, 1), LONGEST)
    allowed = np.array(axes.feasible((less, more)))
    pairs = zip(counts(less.selector), counts(more.selector), strict=True)
    occurs = {(a, b) for one, two in pairs for a, b in zip(one, two, strict=True)}
    listed = {(axes.values[less][i], axes.values[more][j]) for i, j in zip(*np.nonzero(allowed), strict=True)}
    assert occurs == listed
