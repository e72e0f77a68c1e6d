"""Errors that must point at what the user wrote, and say what is really wrong there."""

from pathlib import Path

import pytest

from capax.errors import CapaxError, Notice
from tests.golden.errors.cases import Case, Command, Text
from tests.golden.errors.test_errors import said


def the_error(case: Case) -> CapaxError:
    """The one error of a case."""
    found: list[CapaxError | Notice] = said(case)
    assert len(found) == 1
    assert isinstance(found[0], CapaxError)
    return found[0]


def test_missing_semicolon_before_return() -> None:
    error = the_error(Text("def f(x) {\n    y = x + 1\n    return y;\n}"))
    assert error.code == "missing-semicolon"
    assert error.where is not None
    assert error.where.line == 2


def test_a_filter_in_a_comprehension_is_named() -> None:
    assert "filter" in the_error(Text("x = [y for y in [1, 2] if y > 1];")).render()


def test_s_op_as_a_subtraction_is_explained() -> None:
    assert "s - op" in the_error(Text("s = 3; op = 2;\ns-op;")).render()


def test_an_unfinished_expression_on_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    error = the_error(Command(("run", "reverse(", "abc")))
    assert error.code == "unclosed"
    assert error.where is not None
    assert error.where.line == 1


@pytest.mark.parametrize("text", ["x = 1;\nselector_width(tokens);", "x = 1;\nhas_focus(3);"])
def test_a_library_function_given_no_selector(text: str) -> None:
    error = the_error(Text(text))
    assert error.code == "expected-selector"


@pytest.mark.parametrize(
    "text", ['x = 1;\nshift(tokens, 1, 0)("abc");', 'x = 1;\naverage(tokens)("ab");', "x = 1;\nselector_width(3);"]
)
def test_an_error_inside_a_library_function_points_at_the_call(text: str) -> None:
    where = the_error(Text(text)).where
    assert where is not None
    assert where.source.name == "program.rasp"
    assert where.line == 2


@pytest.mark.parametrize(("text", "place"), [("for = 2;", "for"), ("not = 3;", "not")])
def test_the_caret_stands_under_the_keyword(text: str, place: str) -> None:
    error = the_error(Text(text))
    assert error.code == "keyword"
    assert error.where is not None
    assert error.where.text == place


def test_the_hint_for_a_function_of_a_file_can_be_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    command = Command(("run", "p.rasp:f", "abc"), {"p.rasp": "def f(a, b) { return a + b; }"})
    hint = the_error(command).hint
    assert hint is not None
    assert "p.rasp:f(" in hint


def test_the_limit_of_integers_is_by_their_size() -> None:
    assert not said(Text("x = 2 ^ 250000;"))
