"""`capax run`: what PROGRAM and INPUT may be, and what is printed."""

import json
from pathlib import Path

import pytest

from tests.unit.app.outcome import Capax

FILE = """\
# two programs and a function
double = indices * 2;
_hidden = indices * 3;
def plus(x, n) { return x + n; }
first = tokens[0];
five = 5;
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    (tmp_path / "p.rasp").write_text(FILE)
    return "p.rasp"


def test_a_library_name(capax: Capax) -> None:
    done = capax("run", "reverse", "hello")
    assert done.code == 0
    assert done.out == 'reverse("hello") = [o, l, l, e, h] (strings)\n'
    assert done.err == ""


def test_json_is_just_the_list(capax: Capax) -> None:
    done = capax("run", "reverse", "hello", "--json")
    assert done.out == '["o", "l", "l", "e", "h"]\n'
    assert done.err == ""


def test_options_may_stand_first(capax: Capax) -> None:
    assert capax("run", "--json", "reverse", "ab").json == ["b", "a"]


def test_a_file_runs_its_last_program(capax: Capax, file: str) -> None:
    assert capax("run", file, "abc", "--json").json == ["a", "a", "a"]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("double", [0, 2, 4]),
        ("_hidden", [0, 3, 6]),
        ("plus(double, 1)", [1, 3, 5]),
        ("length", [3, 3, 3]),
        ("first == tokens", [True, False, False]),
    ],
)
def test_a_name_or_expression_of_a_file(capax: Capax, file: str, name: str, values: list[object]) -> None:
    assert capax("run", f"{file}:{name}", "abc", "--json").json == values


@pytest.mark.parametrize(
    ("expression", "values"),
    [
        ("indices + 1", [1, 2, 3]),
        ("selector_width(select(tokens, tokens, ==))", [1, 1, 1]),
        ("aggregate(select(indices, length - 1 - indices, ==), hist_nobos * 2)", [2, 2, 2]),
        ("select(indices, indices, <)", [[False] * 3, [True, False, False], [True, True, False]]),
        ("1 / 3 * (indices + 1)", [1 / 3, 2 / 3, 1.0]),
    ],
)
def test_an_expression(capax: Capax, expression: str, values: list[object]) -> None:
    assert capax("run", expression, "abc", "--json").json == values


def test_a_library_function_is_applied_as_in_its_example(capax: Capax) -> None:
    assert capax("run", "sort", "cab").out == 'sort(tokens, tokens)("cab") = [a, b, c] (strings)\n'


@pytest.mark.parametrize("typed", ["hello", "hello\n", "hello\r\n"])
def test_standard_input(capax: Capax, typed: str) -> None:
    assert capax("run", "reverse", "-", "--json", stdin=typed).json == list("olleh")


@pytest.mark.parametrize(
    ("split", "text", "values"),
    [
        ("chars", "a b", ["a", " ", "b"]),
        ("words", "  one two\tthree ", ["one", "two", "three"]),
        ("ints", "1 -2 3", [1, -2, 3]),
        ("ints", "1,2, 3", [1, 2, 3]),
        ("ints", "-1 2", [-1, 2]),
        ("floats", "1 2.5 1e3", [1.0, 2.5, 1000.0]),
        ("json", '["a", "bc"]', ["a", "bc"]),
        ("json", '"abc"', ["a", "b", "c"]),
        ("json", "[1, 2.5]", [1, 2.5]),
        ("json", "[true, false]", [True, False]),
    ],
)
def test_how_the_input_is_split(capax: Capax, split: str, text: str, values: list[object]) -> None:
    assert capax("run", "tokens_asis", text, "--as", split, "--json").json == values


def test_an_input_that_starts_with_a_dash(capax: Capax) -> None:
    assert capax("run", "reverse", "-ab", "--json").json == ["b", "a", "-"]
    assert capax("run", "reverse", "--json", "--", "--json").json == list("nosj--")


def test_infinities_are_strings_in_json(capax: Capax) -> None:
    assert capax("run", "(indices - 1) * 1e308 * 100", "abc", "--json").json == ["-inf", 0.0, "inf"]


def test_large_integers_stay_exact(capax: Capax) -> None:
    assert capax("run", "indices + 2 ^ 100", "ab", "--json").json == [2**100, 2**100 + 1]


def test_trace_shows_every_named_step(capax: Capax, tmp_path: Path) -> None:
    (tmp_path / "q.rasp").write_text("a = indices + 1;\nsame = select(a, a, ==);\nb = aggregate(same, a) * 2;\n")
    done = capax("run", "q.rasp", "xy", "--trace")
    names = ["a ", "same ", "b "]
    assert [line.split("=")[0].strip() for line in done.out.splitlines() if " = " in line] == ["a", "b"]
    assert sorted(names, key=done.out.index) == names
    assert done.out.endswith("b    = [2, 4] (ints)\n")


def test_trace_as_json(capax: Capax, file: str) -> None:
    result = capax("run", f"{file}:first", "ab", "--trace", "--json").json
    assert result["program"] == "first"
    assert result["input"] == ["a", "b"]
    assert result["values"] == ["a", "a"]
    assert result["trace"][-1] == {"name": "first", "kind": "s-op", "type": "strings", "values": ["a", "a"]}


def test_trace_names_only_what_the_program_names(capax: Capax) -> None:
    steps = capax("run", "reverse", "ab", "--trace", "--json").json["trace"]
    assert "_is_start" not in [step["name"] for step in steps]  # a name of hist_bos; reverse does not use it


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["run", "revrse", "abc"], "did you mean `reverse`?"),
        (["run", "lenght + 1", "abc"], "did you mean `length`?"),
        (["run", "nowhere.rasp", "abc"], "nowhere.rasp"),
        (["run", "reverse", ""], "empty"),
        (["run", "1 / indices", "abc"], "position 0"),
        (["run", "tokens_int", "a1"], "position 0"),
        (["run", "reverse", "a", "--as", "bytes"], "chars, words, ints, floats or json"),
        (["run", "reverse", "x", "--as", "ints"], "`x` is not an integer"),
        (["run", "reverse"], "INPUT"),
        (["run"], "PROGRAM"),
        (["frobnicate"], "frobnicate"),
    ],
)
def test_wrong_input_has_exit_code_2_and_nothing_on_standard_output(capax: Capax, args: list[str], said: str) -> None:
    for more in ([], ["--json"]):
        done = capax(*args, *more)
        assert done.code == 2, done
        assert done.out == ""
        assert said.lower() in done.err.lower()


def test_a_broken_file_is_reported_with_its_line(capax: Capax, tmp_path: Path) -> None:
    (tmp_path / "bad.rasp").write_text("a = indices;\nb = a +;\n")
    done = capax("run", "bad.rasp", "abc")
    assert done.code == 2
    assert "bad.rasp:2:8" in done.err


@pytest.mark.parametrize(
    ("program", "word", "kind", "values"),
    [
        ("tokens + 1", "3 2 1", "ints", [4, 3, 2]),
        ("tokens", "3 2 1", "ints", [3, 2, 1]),
        ("reverse", "3,2,1", "ints", [1, 2, 3]),
        ("sort(tokens, tokens)", "10 9 -1", "ints", [-1, 9, 10]),
        ("tokens / 2", "3 1", "floats", [1.5, 0.5]),
        ("tokens", "1 0.5", "floats", [1.0, 0.5]),
        ("tokens", "[1, 2.5]", "json", [1, 2.5]),
        ("tokens", "[true, false]", "json", [True, False]),
        ("tokens", '["a", "bc"]', "json", ["a", "bc"]),
        ("tokens_str", "3 2", "ints", ["3", "2"]),
        ("tokens", "3 2", "words", ["3", "2"]),
        ("tokens", "32", "chars", ["3", "2"]),
    ],
)
def test_numbers_stay_numbers(program: str, word: str, kind: str, values: list[object], capax: Capax) -> None:
    found = json.loads(capax("run", program, word, "--as", kind, "--json").out)
    assert [(type(v), v) for v in found] == [(type(v), v) for v in values]


def test_numbers_stay_numbers_in_files_batches_layers_and_pictures(capax: Capax, tmp_path: Path) -> None:
    (tmp_path / "more.rasp").write_text("more = tokens + 1;\n")
    assert capax("run", "more.rasp", "1 2", "--as", "ints", "--json").out == "[2, 3]\n"
    batch = capax("run", "more.rasp", "--batch", "-", "--as", "ints", "--json", stdin="1 2\n3\n")
    assert batch.out == "[2, 3]\n[4]\n"
    assert "2 3" in capax("draw", "more.rasp", "1 2", "--as", "ints").out
    assert "on '1 3'" in capax("layers", "selector_width(select(tokens, 2, <))", "1 3", "--as", "ints").out


def test_numbers_stay_numbers_in_models(capax: Capax, tmp_path: Path) -> None:
    model = str(tmp_path / "more.safetensors")
    made = capax("compile", "tokens + 1", "--alphabet", "1 2 3", "--as", "ints", "--max-length", "3", "-o", model)
    assert made.code == 0
    assert capax("apply", model, "3 1", "--as", "ints", "--json").out == "[4, 2]\n"
    assert capax("verify", model).code == 0
