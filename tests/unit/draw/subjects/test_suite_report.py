"""The page of a suite's scores."""

from capax.draw.subjects.suite_report import suite_report
from capax.suite.score.model_scores import EdgeScore
from capax.suite.score.rank import ranking
from capax.suite.score.score import SuiteScores


def test_the_page_says_where_and_why_a_method_fails() -> None:
    """Each level has a section; a failure has its area, what it is lost to, and the edges that were not found."""
    rank = ranking({"m0->logits": 1.0, "input->m0": 0.0, "a0.h0->m0": 2.0}, {"m0->logits", "input->m0"})
    failed = EdgeScore("sort", "plain", "eap", rank, rank.auroc, ("input->m0",), 0.0, "package 1")
    page = suite_report(SuiteScores("suite", (failed,), ()))
    assert '<section id="plain">' in page
    assert "true edges with the score 0: 0.500; other edges above true ones: 0.500" in page
    assert '<span class="edge">input-&gt;m0</span>' in page
    assert "Below 0.95: eap on 1 of 1 models" in page
    assert "Run with package 1." in page
    assert page.count("<svg") == 2
