"""`capax search`: programs and what was exhausted, several at once, files, and what is refused."""

from pathlib import Path

import pytest

from capax.app.against_specs.search import _usual_letters
from tests.unit.app.outcome import Capax


def test_a_program_is_printed_with_its_costs(capax: Capax) -> None:
    """The text, size, layers and heads, the evidence, and what was exhausted."""
    done = capax("search", "hist_nobos")
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert lines[:2] == ["spec       hist_nobos (program), alphabet a b c", ""]
    assert lines[2:4] == ["same_token = select(tokens, tokens, ==);", "hist_nobos = selector_width(same_token);"]
    assert "size       4 nodes" in lines
    assert "layers     1, heads 1; sublayers sf" in lines
    assert any(line.startswith("exhausted  no program of at most 3 nodes") for line in lines)


def test_none_is_proved_up_to_a_size(capax: Capax) -> None:
    """Exit code 0 with --prove-none, and 1 without it."""
    asked = ("search", "reverse", "--size", "6", "--layers", "1")
    assert capax(*asked).code == 1
    done = capax(*asked, "--prove-none")
    assert done.code == 0, done.err
    assert "no program of at most 6 nodes over this grammar with at most 1 layer agrees" in " ".join(done.out.split())
    assert capax("search", "hist_nobos", "--prove-none").code == 1


def test_examples_and_a_file_for_the_program(capax: Capax, tmp_path: Path) -> None:
    """Examples are read from a file, and the program is written to one that can be run."""
    examples, output = tmp_path / "first.tsv", tmp_path / "first.rasp"
    examples.write_text("abc\taaa\nba\tbb\ncab\tccc\n")
    done = capax("search", str(examples), "-o", str(output))
    assert done.code == 0, done.err
    assert capax("run", str(output), "cabab", "--json").json == ["c"] * 5


def test_several_are_a_table(capax: Capax) -> None:
    """A row for each, and exit code 1 if one was not found."""
    done = capax("search", "hist_nobos", "tokens", "--engine", "serial", "--json")
    assert done.code == 0, done.err
    assert [row["result"]["programs"][0]["size"] for row in done.json] == [4, 1]
    assert capax("search", "hist_nobos", "reverse", "--engine", "serial", "--size", "4").code == 1


def test_a_search_goes_on_from_its_state(capax: Capax, tmp_path: Path) -> None:
    """The file is written after each size, and refused for another search."""
    state = str(tmp_path / "state.npz")
    assert capax("search", "length - indices - 2", "--size", "3", "--state", state).code == 1
    assert capax("search", "length - indices - 2", "--size", "6", "--state", state).code == 0
    done = capax("search", "reverse", "--state", state)
    assert done.code == 2
    assert "bad-state" in done.err


def test_parameters_of_a_task_are_options(capax: Capax) -> None:
    """Before or after the task, with a space or an equals sign: they are no specifications."""
    for asked in (("task:sort", "--symbols", "4"), ("--symbols=4", "task:sort")):
        done = capax("search", *asked, "--size", "2", "--json")
        assert done.code == 1, done.err
        assert done.json["name"] == "sort (symbols=4)"


def test_a_library_program_comes_before_a_language_of_its_name(capax: Capax) -> None:
    """The letters are those the program names, and programs may name them and its numbers."""
    done = capax("search", "parity", "--json", "--size", "3")
    assert (done.json["kind"], done.json["alphabet"], done.json["constants"]) == (
        "program",
        ["0", "1"],
        [0, 1, 2, "0", "1"],
    )
    assert capax("search", "language:parity", "--json", "--size", "2").json["kind"] == "language"
    named = capax("search", 'indices + 7 if tokens == "x" else 0', "--json", "--size", "2").json
    assert (named["alphabet"], named["constants"]) == (["x", "a", "b"], [0, 1, 2, 7, "x"])


def test_a_model_is_asked_for_words_that_it_can_read(capax: Capax, tmp_path: Path) -> None:
    """No word of the sample or of the tests is longer than the longest that the model is made for."""
    model = str(tmp_path / "model.safetensors")
    assert capax("compile", "tokens", "--alphabet", "ab", "--max-length", "4", "-o", model).code == 0
    done = capax("search", model, "--json")
    assert done.code == 0, done.err
    assert done.json["sample"]["longest"] == 4
    assert done.json["programs"][0]["evidence"]["words"] == 2 + 4 + 8 + 16


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("reverse", "--with", "loops"), "bad-option"),
        (("reverse", "--order", "sx"), "bad-option"),
        (("reverse", "--seconds", "0"), "bad-option"),
        (("reverse", "--hint", "select("), "unclosed"),
        (("reverse", "-o", "program.txt"), "bad-option"),
        (("reverse", "sort", "--state", "x"), "bad-option"),
        (("nosuch.tsv",), "file-not-found"),
        (("own",), "unfit-spec"),
        (("revers",), "unknown-program"),
        (("no-such-name",), "unknown-program"),
        (("missing.safetensors",), "file-not-found"),
        (("",), "unfit-spec"),
        (("hist_nobos", "--bogus"), "bad-option"),
        (("hist_nobos", "--symbols", "4"), "bad-option"),
        (("task:sort", "--symbol", "4"), "bad-option"),
        (("task:sort", "--symbols"), "bad-option"),
    ],
)
def test_what_is_refused(capax: Capax, arguments: tuple[str, ...], code: str) -> None:
    """Exit code 2, and an error with its code."""
    done = capax("search", *arguments)
    assert done.code == 2
    assert code in done.err


def test_answers_of_a_program_are_no_letters_of_its_words() -> None:
    """Branches of a conditional are outputs, where the program compares tokens with two other letters."""
    assert _usual_letters("dyck1_ptf") == (")", "(")
    assert _usual_letters('"T" if tokens == "x" else "F"') == ("x", "T", "F")
