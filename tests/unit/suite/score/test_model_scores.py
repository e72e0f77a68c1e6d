"""Scores that are kept are read back as they were, and only missing ones are computed."""

import math
from pathlib import Path

import pytest

from capax import CapaxError
from capax.suite.score.model_scores import EdgeScore, FeatureScore, ScoreState
from capax.suite.score.rank import Losses, Ranking

RANKING = Ranking(9, 4, 0.75, ((0.0, 0.0), (1.0, 1.0)), 0.5, math.nan, Losses(0.125, 0.0, 0.0, 0.125))
EDGES = EdgeScore("sort", "soft", "eap", RANKING, 0.5, ("m0",), 2)
FEATURES = FeatureScore("sort", "soft", "sae", 9, 4, 0.5, 0.25, 1.0)


def test_scores_come_back(tmp_path: Path) -> None:
    """From a file whose last line is cut off."""
    file = tmp_path / "scores.jsonl"
    ScoreState(file, "digest", 12).add([EDGES, FEATURES])
    with file.open("a") as handle:
        handle.write('{"case": "so')
    scores = ScoreState(file, "digest", 12).scores
    assert list(scores) == [("sort", "soft", "eap"), ("sort", "soft", "sae")]
    assert [one.to_json() for one in scores.values()] == [EDGES.to_json(), FEATURES.to_json()]


def test_another_suite_is_refused(tmp_path: Path) -> None:
    """Its digest is another, or the number of pairs."""
    file = tmp_path / "scores.jsonl"
    ScoreState(file, "digest", 12).add([FEATURES])
    for about in (("other", 12), ("digest", 6)):
        with pytest.raises(CapaxError, match="scores of another suite"):
            ScoreState(file, *about)


def test_a_line_that_is_no_score_is_refused(tmp_path: Path) -> None:
    """Not a traceback: the file is named, with what is wrong."""
    file = tmp_path / "scores.jsonl"
    file.write_text('{"case": "sort", "auroc": 1, "of": {"suite": "digest", "pairs": 12}}\n')
    with pytest.raises(CapaxError, match=r"scores\.jsonl has a line that is not a score"):
        ScoreState(file, "digest", 12)
