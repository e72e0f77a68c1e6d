"""`capax pattern` from the command line."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import capax
from capax.app.cli import create_app
from capax.errors import CapaxError


def _run(*words: str, code: int = 0) -> str:
    result = CliRunner().invoke(create_app("pattern"), ["pattern", *words])
    if isinstance(result.exception, CapaxError):
        raise result.exception
    assert result.exit_code == code, result.output
    return result.output


def test_every_form_of_a_matrix(tmp_path: Path) -> None:
    """Text, JSON and files give the same report."""
    (tmp_path / "m.csv").write_text("1,0\n1,1\n")
    (tmp_path / "m.json").write_text("[[true, false], [1, 1.0]]")
    (tmp_path / "m.txt").write_text("10\n11\n")
    first = _run("10/11", "--json")
    for form in ("10;11", "[[1, 0], [1, 1]]", *(str(tmp_path / f"m.{end}") for end in ("csv", "json", "txt"))):
        assert _run(form, "--json") == first
    assert json.loads(first)["selector"] == "select(indices, indices, <=)"


def test_a_head_of_a_model(tmp_path: Path) -> None:
    """The second layer of reverse looks at the mirrored position; third-order heads and other numbers are refused."""
    path = str(tmp_path / "m.safetensors")
    capax.compile(capax.library.reverse, alphabet="ab", max_length=3, certify=False, words=5).model.save(path)
    report = json.loads(_run("--model", path, "--head", "2.1", "aba", "--json"))
    assert report["selector"] == "select(indices, (length - 1) - indices, ==)"
    for head in ("3.1", "x", "2.7"):
        with pytest.raises(CapaxError, match="no head"):
            _run("--model", path, "--head", head, "aba")
    with pytest.raises(CapaxError, match="needs --head"):
        _run("--model", path)
    capax.compile(capax.library.match3, alphabet=[1, 2], max_length=2, certify=False, words=5).model.save(path)
    with pytest.raises(CapaxError, match="third order"):
        _run("--model", path, "--head", "1.1", "1 2", "--as", "ints")


def test_no_selector_is_a_no() -> None:
    """The exit code is 1, and two pairs are shown."""
    text = _run("10/01", "aa", "--keys", "tokens", "--queries", 'tokens, indicator(tokens == "a")', code=1)
    assert "the keys 0 and 1 have equal values" in text


@pytest.mark.parametrize(
    ("words", "what"),
    [
        ((), "give a matrix"),
        (("10/01", "--model", "m.safetensors"), "needs --head L.H and INPUT"),
        (("10/01", "aa", "--model", "m.safetensors"), "give a matrix"),
        (("[[1, 0]",), "not a matrix"),
        (("[1, 0]",), "not a matrix"),
        (("10/01", "--keys", "tokens,"), "not a list of s-ops"),
        (("nowhere.csv",), "no file"),
    ],
)
def test_bad_input(words: tuple[str, ...], what: str) -> None:
    with pytest.raises(CapaxError, match=what):
        _run(*words)
