"""What the page asks of capax."""

import json

import pytest

from capax.app.site import page_jobs
from capax.app.web.puzzles import PUZZLES


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("reverse", list("olleh")),
        ("histogram", [1, 1, 2, 2, 1]),
        ("sort", list("aaabnn")),
        ("brackets", [1, 2, 1, 2, 1, 0]),
        ("induction", ["-", "-", "-", "b", "c"]),
    ],
)
def test_an_example_gives_its_answer(name: str, answer: list[object]) -> None:
    reply = json.loads(page_jobs.evaluate(page_jobs.TEXTS[name], page_jobs.EXAMPLES[name]))
    assert reply["run"]["values"] == answer
    assert "<svg" in reply["picture"]


def test_a_mistake_is_an_answer() -> None:
    reply = json.loads(page_jobs.evaluate("x = nothing(;", "hello"))
    assert not reply["check"]["ok"]
    reply = json.loads(page_jobs.evaluate("x = tokens + 1;", "hello"))
    assert "hello" in page_jobs.evaluate("x = tokens;", "hello")
    assert reply["error"]["text"]
    assert json.loads(page_jobs.mark("x = 1;", "nothing"))["error"]["code"] == "bad-option"


def test_every_puzzle_is_on_the_page() -> None:
    start = json.loads(page_jobs.start())
    assert [one["name"] for one in start["puzzles"]] == [puzzle.name for puzzle in PUZZLES]
    assert [one["name"] for one in start["examples"]] == list(page_jobs.EXAMPLES) == list(page_jobs.TEXTS)
    assert json.loads(page_jobs.mark('answer = indicator(tokens in ["a", "e", "i", "o", "u"]);', "vowels"))["solved"]
