"""The check of a model against a task."""

from dataclasses import replace

from capax import theorems
from capax.model.vocabulary import Classes, Vocabulary
from capax.tasks.base.task import Task
from capax.theorems.checks import LANGUAGES, agreement
from examples.previous_token import build


def shifted(word: str) -> list[str]:
    """The token before each token."""
    return ["-", *word[:-1]]


SHIFT = Task("shift", "the token before", "words over a, b, c", shifted, lambda random, n: "abc"[:n])


def test_agreement_with_a_task() -> None:
    """The answers of a right model agree, and a wrong model has a counterexample."""
    words = ["a", "ab", "cab"]
    report = agreement(build(), SHIFT, words, "it shifts", seed=0)
    assert report.holds
    assert report.count == 3
    wrong = replace(build(), decoding=Classes(("a", "b", "x", "-")), vocabulary=Vocabulary(("a", "b", "c")))
    report = agreement(wrong, SHIFT, ["ab", "bca"], "it shifts", seed=0)
    assert not report.holds
    assert report.counterexample == {"word": "bca", "model": ["-", "b", "x"], "right": ["-", "b", "c"]}


def test_a_report_says_whether_words_were_drawn_chosen_or_all() -> None:
    """Only words that come from a seed have one."""
    drawn = agreement(build(), SHIFT, ["a", "ab"], "it shifts", seed=7)
    listed = agreement(build(), SHIFT, ["a", "ab"], "it shifts", chosen=True)
    every = agreement(build(), SHIFT, ["a", "b", "c"], "it shifts")
    assert [(report.evidence, report.seed) for report in (drawn, listed, every)] == [
        ("sampled", 7),
        ("chosen", None),
        ("exhaustive", None),
    ]
    assert str(theorems.theorem("dyck1").broken()).startswith("no (chosen, 2 inputs): ")
    assert f"seed {LANGUAGES.seed})" in str(theorems.theorem("star-free").broken())
