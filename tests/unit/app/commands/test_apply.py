"""`capax apply`, `size`, `explain` and `draw` on model files."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from capax.model.vocabulary import Classes, Vocabulary
from examples.previous_token import build
from tests.unit.app.outcome import Capax

MODEL = "previous.safetensors"


@pytest.fixture
def model(tmp_path: Path) -> str:
    """The example in a file of the working directory."""
    build().save(tmp_path / MODEL)
    return MODEL


def test_apply(capax: Capax, model: str) -> None:
    """Answers are printed as `capax run` prints values."""
    done = capax("apply", model, "abcab")
    assert (done.code, done.out, done.err) == (0, 'previous("abcab") = [-, a, b, c, a] (strings)\n', "")
    assert capax("apply", model, "abcab", "--json").json == ["-", "a", "b", "c", "a"]
    assert capax("apply", model, "-", "--json", stdin="ab\n").json == ["-", "a"]
    assert capax("apply", model, "a b", "--as", "words", "--json").json == ["-", "a"]
    assert capax("apply", model, '["c", "c"]', "--as", "json", "--json").json == ["-", "c"]


def test_the_input_before_the_model(capax: Capax, model: str) -> None:
    """The hint has them in order."""
    assert f"capax apply {model} abcab" in capax("apply", "abcab", model).err


def test_logits(capax: Capax, model: str) -> None:
    """The numbers behind the answers, a row for each token."""
    done = capax("apply", model, "ba", "--logits")
    assert done.out.splitlines()[1:] == ["         a  b  c    -", "0  b  -  0  0  0  0.5", "1  a  b  0  1  0  0.5"]
    result = capax("apply", model, "ba", "--logits", "--json").json
    assert result["outputs"] == ["a", "b", "c", "-"]
    assert result["logits"] == [[0, 0, 0, 0.5], [0, 1, 0, 0.5]]
    assert (result["model"], result["input"], result["type"]) == ("previous", ["b", "a"], "strings")
    assert result["values"] == ["-", "b"]


def test_answers_of_several_types(capax: Capax, tmp_path: Path) -> None:
    """Which the language has no name for, but models can give."""
    mixed = replace(build(), vocabulary=Vocabulary((1, 2, -3)), decoding=Classes(("a", 2, 0.5, True)))
    mixed.save(tmp_path / "mixed.safetensors")
    done = capax("apply", "mixed.safetensors", "1 2 -3", "--as", "ints")
    assert done.out == "mixed([1, 2, -3]) = [T, a, 2] (mixed)\n"
    assert capax("apply", "mixed.safetensors", "-3", "--as", "ints", "--json").json == [True]
    assert "sink" not in capax("draw", "mixed.safetensors").out


def test_size(capax: Capax, model: str) -> None:
    """The table, and the same as JSON."""
    assert capax("size", model).out == str(build().size) + "\n"
    assert capax("size", model, "--json").json == build().size.to_json() | {"read": None, "end_marker": None}


def test_explain(capax: Capax, model: str) -> None:
    """What the head reads and writes, and the program's text."""
    done = capax("explain", model)
    assert "head 1.1 before: softmax, mask strict past, scale 2048, dimension 1" in done.out
    assert "    purpose  the token at the position before\n" in done.out
    assert "    writes   was a, was b, was c\n" in done.out
    assert done.out.endswith('program\n  previous = shift(tokens, 1, "-");\n')
    assert capax("explain", model, "--json").json["layers"][0]["heads"][0]["name"] == "before"


def test_draw(capax: Capax, model: str, tmp_path: Path) -> None:
    """In the terminal, to a file, and one head alone; on tokens of its own if no input is given."""
    drawn = capax("draw", model, "abc")
    assert drawn.out.startswith('previous("abc")\n')
    assert "             b │█ · ·│\n             c │· █ ·│" in drawn.out
    assert "answers  - a b" in drawn.out
    assert capax("draw", model).out.startswith('previous("abcabc")\n')
    assert capax("draw", model, "abc", "--layer", "1", "--head", "1").out.startswith("head 1.1  before\n")
    assert capax("draw", model, "abc", "-o", "picture.svg").code == 0
    assert (tmp_path / "picture.svg").read_text().startswith("<svg")
    assert capax("draw", model, "abc", "--layer", "2").code == 2


@pytest.mark.parametrize("command", [("apply", "abx"), ("draw", "abx")])
def test_words_that_the_model_cannot_read(capax: Capax, model: str, command: tuple[str, str]) -> None:
    """The token and its place are told."""
    done = capax(command[0], model, command[1])
    assert (done.code, done.out) == (2, "")
    assert "error[unknown-token]: the token 'x' at position 2" in done.err


def test_words_of_a_wrong_length(capax: Capax, tmp_path: Path) -> None:
    """Too short, too long."""
    replace(build(), max_length=3).save(tmp_path / MODEL)
    assert "error[word-length]" in capax("apply", MODEL, "").err
    assert "at most 3" in capax("apply", MODEL, "aaaa").err


@pytest.mark.parametrize("command", ["apply", "size", "explain", "draw"])
def test_files_that_are_no_models(capax: Capax, tmp_path: Path, command: str) -> None:
    """An error that says so, and exit code 2."""
    (tmp_path / "text.safetensors").write_text("this is a text and no model at all")
    rest = ["abc"] if command in ("apply", "draw") else []
    for name, code in [("text.safetensors", "bad-model-file"), ("none.safetensors", "file-not-found")]:
        done = capax(command, name, *rest)
        assert (done.code, done.out) == (2, "")
        assert f"error[{code}]" in done.err


def test_asserts_are_not_what_protects(tmp_path: Path) -> None:
    """A file with wrong shapes is refused by Python without asserts too."""
    data = (build().save(tmp_path / MODEL), (tmp_path / MODEL).read_bytes())[1]
    (tmp_path / MODEL).write_bytes(data.replace(b'"shape":[3,7]', b'"shape":[7,3]'))
    command = [sys.executable, "-O", "-m", "capax", "apply", MODEL, "abc", "--unchecked"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2
    assert "error[bad-model-file]" in done.stderr
    assert "has the shape (7, 3) and not (3, 7)" in done.stderr


def test_an_option_is_no_input(capax: Capax, model: str) -> None:
    """As for `run`."""
    assert "there is no option --jsn" in capax("apply", model, "--jsn").err
