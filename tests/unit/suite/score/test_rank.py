"""Ranks of edges: the area is the share of pairs in the right order, against the slow definition."""

import math
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from capax.suite.score.rank import ranking


@given(st.lists(st.tuples(st.integers(-3, 3), st.booleans()), min_size=1, max_size=20))
def test_the_area_is_the_share_of_pairs(edges: list[tuple[int, bool]]) -> None:
    """Pairs of a true and another edge; equal sizes count half, signs do not count."""
    scores = {str(i): float(score) for i, (score, _) in enumerate(edges)}
    truth = {str(i) for i, (_, true) in enumerate(edges) if true}
    pairs = [(abs(scores[a]), abs(scores[b])) for a in truth for b in scores if b not in truth]
    result = ranking(scores, truth)
    if not pairs:
        assert math.isnan(result.auroc)
    else:
        expected = sum(1.0 if a > b else 0.5 if a == b else 0.0 for a, b in pairs) / len(pairs)
        assert math.isclose(result.auroc, expected)
        points = pairwise(result.curve)
        area = sum((x1 - x0) * (y0 + y1) / 2 for (x0, y0), (x1, y1) in points)
        assert math.isclose(area, expected)
        assert math.isclose(sum(result.lost), 1 - expected, abs_tol=1e-9)


def test_what_is_lost_is_told_by_reason() -> None:
    """Of six pairs one is lost to an edge of a group, and a tie with the 0 of another edge twice by half."""
    scores = {"a": 1.0, "zero": 0.0, "tiny": 1e-9, "pair": 5.0, "idle": 0.0}
    lost = ranking(scores, {"a", "zero", "tiny"}, groups={"pair"}).lost
    assert [round(6 * part, 9) for part in lost] == [1.5, 1.5, 1.0, 0.0]


def test_rounding_counts_as_nothing() -> None:
    """A tiny score does not count, but the raw area has it; edges that are left out do not count at all."""
    scores = {"a": 1.0, "b": 1e-9, "c": 0.0, "d": 5.0}
    result = ranking(scores, {"a", "b"}, left_out={"d"})
    assert (result.auroc, result.auroc_raw, result.edges) == (0.75, 1.0, 3)
