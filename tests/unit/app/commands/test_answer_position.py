"""Where the answer of a model is read is said by every view of it."""

import json
from typing import Any

import pytest
from typer.testing import CliRunner

from capax.app.cli import create_app
from capax.app.commands._answer_position import AnswerPosition, answer_position
from capax.model.provenance import Provenance

END = "at an end marker after the word, $"


def run(*words: str) -> Any:
    result = CliRunner().invoke(create_app(), list(words))
    assert result.exit_code == 0, result.output
    return result


@pytest.fixture(scope="module")
def ends(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A model that is read at an end marker."""
    path = str(tmp_path_factory.mktemp("read") / "ends.safetensors")
    run("recognise", ".*a", "--alphabet", "ab", "--read", "end", "--route", "star-free", "-o", path)
    return path


@pytest.mark.parametrize("name", ["parity", "ltl"])
def test_a_theorem_about_a_language_says_where_it_is_read(name: str) -> None:
    assert "\nread       at the last symbol\n" in run("theorem", name, "--length", "6").stdout
    assert json.loads(run("theorem", name, "--length", "6", "--json").stdout)["read"] == "last"


def test_a_theorem_about_no_language_says_nothing_of_it() -> None:
    assert json.loads(run("theorem", "match2", "--json").stdout)["read"] is None
    assert "\nread  " not in run("theorem", "match2").stdout


def test_views_of_a_model_with_an_end_marker(ends: str) -> None:
    explained = run("explain", ends).stdout
    assert f"\n  read     {END}\n" in explained
    assert "at the last position" not in explained
    assert f"\nread              {END}\n" in run("size", ends).stdout
    for command in ("explain", "size"):
        told = json.loads(run(command, ends, "--json").stdout)
        assert (told["read"], told["end_marker"]) == ("end", "$")
        assert "text" not in told


def test_an_input_without_the_end_marker_gets_a_note(ends: str) -> None:
    forgotten, whole = run("apply", ends, "aba"), run("apply", ends, "aba$")
    assert "read at the end marker $" in forgotten.stderr
    assert "note" not in forgotten.stdout
    assert "[F, F, F, T]" in whole.stdout
    assert whole.stderr == ""
    plain = run("apply", ends, "aba", "--logits", "--json")
    assert "note" not in json.loads(plain.stdout)
    assert "read at the end marker $" in plain.stderr


@pytest.mark.parametrize(
    "entries", [{}, {"read": 7}, {"read": "middle"}, {"read": ["end"]}, {"end_marker": "$"}, {"read": None}]
)
def test_entries_that_say_nothing(entries: dict[str, Any]) -> None:
    """A file may say anything."""
    position = answer_position(Provenance.from_json(entries))
    assert position == AnswerPosition(None, None)
    assert position.in_words() is None
    assert position.missing_marker("ab") is None


def test_a_marker_that_is_no_text() -> None:
    position = answer_position(Provenance.from_json({"read": "end", "end_marker": 7}))
    assert position == AnswerPosition("end", None)
    assert position.in_words() == "at an end marker after the word"
    assert AnswerPosition("end", "$").missing_marker([]) is not None
