"""Tables of scores: means by level, and what areas are lost to."""

from capax.suite.score.model_scores import EdgeScore
from capax.suite.score.rank import ranking
from capax.suite.score.score import SuiteScores

SCORES = {"true": 2.0, "zero": 0.0, "pair": 3.0, "idle": 0.0}


def edge_score(level: str, scores: dict[str, float]) -> EdgeScore:
    """The score of a model with two true edges, whose other edges are a pair that cancels and one that is idle."""
    rank = ranking(scores, {"true", "zero"}, groups={"pair"})
    plain = ranking(scores, {"true", "zero"}, {"pair"}).auroc
    return EdgeScore("sort", level, "eap", rank, plain, (), 0.0)


def test_what_is_lost_stands_under_its_level() -> None:
    """Of four comparisons 1.5 are lost to a score of 0, and one to the pair; a level without losses is not there."""
    clear = {**SCORES, "zero": 2.0, "pair": 0.0}
    means, lost = SuiteScores("suite", (edge_score("plain", clear), edge_score("cancelling", SCORES)), ()).tables()
    assert means[1:4] == [["plain", "1.000", "1"], ["cancelling", "0.375", "1"], ["  without its groups", "0.750", ""]]
    assert lost == [
        ["area lost to", "eap"],
        ["cancelling", ""],
        ["  true edges with the score 0", "0.375"],
        ["  edges of groups above true ones", "0.250"],
    ]


def test_nothing_lost_is_no_table() -> None:
    """Where all areas are 1 there are the means alone."""
    assert len(SuiteScores("suite", (edge_score("plain", {"true": 1.0, "zero": 1.0, "pair": 0.0}),), ()).tables()) == 1
