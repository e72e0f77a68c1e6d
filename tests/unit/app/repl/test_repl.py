"""`capax repl` from a pipe: the modern prompt, and the classic one."""

import io
from pathlib import Path

import pytest

from capax.app.repl.repl import run_plain
from capax.app.repl.screen import Plain
from capax.app.session import Session
from capax.rasp import library
from capax.rasp.ir.ops import calls
from tests.unit.app.outcome import Capax


def test_definitions_and_applications(capax: Capax) -> None:
    typed = 'r = aggregate(select(indices, length - 1 - indices, ==), tokens);\nr("abc");\nx = 1 + 2;\n'
    done = capax("repl", stdin=typed)
    assert done.code == 0
    assert done.out == 's-op r\n  r("hello") = [o, l, l, e, h] (strings)\n[c, b, a] (strings)\nx = 3\n'


def test_the_last_line_needs_no_newline(capax: Capax) -> None:
    assert capax("repl", stdin="x = 3;").out == "x = 3\n"


def test_what_is_unfinished_at_the_end_is_reported(capax: Capax) -> None:
    assert "error[missing-semicolon]" in capax("repl", stdin="x = 3").out
    assert "error[unclosed]" in capax("repl", stdin="def f(x) {\n").out


def test_several_lines_and_several_statements(capax: Capax) -> None:
    typed = "def f(x) { # comment\n  y = x + 1;\n  return y;\n}\na = f(1); b = f(a);\n"
    assert capax("repl", stdin=typed).out == "function f(x)\na = 2\nb = 3\n"


def test_an_empty_line_from_a_pipe_ends_no_statement(capax: Capax) -> None:
    done = capax("repl", stdin="def f(x) {\n\n  y = x\n\n    + 1;\n\n  return y;\n}\n\na = f(1);\n")
    assert done.code == 0
    assert done.out == "function f(x)\na = 2\n"


def test_a_piped_session_with_errors_runs_to_its_end_and_ends_with_2(capax: Capax) -> None:
    for typed in ("zzz;\nx = 1;\n", "x = 1 +;\nx = 1;\n", "length = 3;\nx = 1;\n"):
        done = capax("repl", stdin=typed)
        assert done.code == 2
        assert done.out.endswith("x = 1\n")
    assert capax("repl", stdin="x = tokens_int;\nx = 7 % 3 * 2;\n").code == 0  # a failing example, and a warning


def test_at_a_terminal_an_empty_line_ends_a_statement_outside_braces() -> None:
    lines = iter(["def f(x) {", "", "return x;", "}", "x = 1", "", "y = 2 +", ""])
    out = io.StringIO()

    def read(prompt: str) -> str:
        try:
            return next(lines)
        except StopIteration:
            raise EOFError from None

    run_plain(Session(Plain(out)), read, out, interactive=True)
    shown = out.getvalue()
    assert "function f(x)\nx = 1\n" in shown
    assert "error[unclosed]" in shown


def test_at_a_terminal_a_whole_line_needs_no_semicolon() -> None:
    """What goes on in the next line, in brackets or after an operator, does; so do the lines of a block."""
    lines = iter(
        ["x = 1", "x", "y = x +", "41", "z = [1,", "2]", "def f(a) {", "b = a;", "return b;", "}", "f(y)", "x ="]
    )
    out = io.StringIO()

    def read(prompt: str) -> str:
        try:
            return next(lines)
        except StopIteration:
            raise EOFError from None

    run_plain(Session(Plain(out)), read, out, interactive=True)
    shown = out.getvalue().splitlines()[1:]
    assert shown[:3] == ["x = 1", "x = 1", "y = 42"]
    assert "function f(a)" in shown
    assert any(line.endswith("= 42") for line in shown[shown.index("function f(a)") :])
    assert "error[" in out.getvalue(), "the last line is unfinished"


def test_costs_of_what_is_not_loaded_say_where_it_is() -> None:
    lines, out = iter(["layers reverse", 'load "paper_examples"', "layers reverse"]), io.StringIO()

    def read(prompt: str) -> str:
        try:
            return next(lines)
        except StopIteration:
            raise EOFError from None

    run_plain(Session(Plain(out)), read, out, interactive=True)
    missing, found = out.getvalue().split('load "paper_examples";', 1)
    assert "`reverse` is in the library" in missing
    assert "reverse: 2 layers" in found


def test_a_missing_semicolon_loses_nothing(capax: Capax) -> None:
    done = capax("repl", stdin="x = 1\ny = 2;\ny;\n")
    assert "error[missing-semicolon]" in done.out
    assert done.out.endswith("y = 2\ny = 2\n")


def test_an_error_does_not_end_the_session(capax: Capax) -> None:
    done = capax("repl", stdin="zzz;\nx = 1;\n")
    assert "error[undefined-name]" in done.out
    assert done.out.endswith("x = 1\n")


def test_a_definition_that_fails_on_the_example_is_kept(capax: Capax) -> None:
    done = capax("repl", stdin='x = tokens_int + 1;\nx("123");\n')
    assert "fails on the example" in done.out
    assert done.out.endswith("[2, 3, 4] (ints)\n")


def test_application_results_are_values(capax: Capax) -> None:
    typed = 'a = indices("abc");\na[1] + 1;\na == [0, 1, 2];\n[x * 2 for x in a];\nlen(a);\n'
    done = capax("repl", stdin=typed)
    assert [line.split(" = ")[1] for line in done.out.splitlines()] == [
        "[0, 1, 2] (ints)",
        "2",
        "True",
        "[0, 2, 4]",
        "3",
    ]


def test_examples(capax: Capax) -> None:
    typed = 'set example "ab"\nset selector example "x"\nshow example\nindices;\nexamples off\nindices;\n'
    assert capax("repl", stdin=typed).out == (
        's-op example: "ab"\nselector example: "x"\ns-op indices\n  indices("ab") = [0, 1] (ints)\ns-op indices\n'
    )


def test_loading(capax: Capax, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "one.rasp").write_text('load "two";\n_private = 1;\na = b + 1;\n')
    (tmp_path / "sub" / "two.rasp").write_text("b = 5;\n")
    done = capax("repl", stdin='load "sub/one";\na;\n_private;\n')
    assert "a = 6\n" in done.out
    assert "`_private` is not defined" in done.out


def test_files_are_loaded_first(capax: Capax, tmp_path: Path) -> None:
    (tmp_path / "one.rasp").write_text("a = 1;\n")
    assert capax("repl", "one.rasp", stdin="a;\n").out.endswith("a = 1\n")


def test_a_file_outside_the_working_directory(capax: Capax, tmp_path: Path) -> None:
    away = tmp_path / "away"
    away.mkdir()
    (away / "one.rasp").write_text("a = 1;\n")
    assert capax("repl", str(away / "one.rasp"), stdin="a;\n").out.endswith("a = 1\n")


def test_help(capax: Capax) -> None:
    done = capax("repl", stdin="help\nhelp shift\nhelp zzz\nhelp reverse\n")
    assert "full seq display" in done.out
    functions = done.out.split("help NAME explains each of these:")[1].split("shift(seq, n, filler)   (")[0]
    assert all(f"{op.symbol}(" in functions for op in calls("builtin", "reserved", "library"))
    assert all(name in functions for name in (*library.entries(), "aggregate(selector, value, default)", "range"))
    assert "shift(seq, n, filler)" in done.out
    assert "there is no `zzz`" in done.out
    assert 'load "paper_examples";' in done.out


def test_help_can_be_a_name(capax: Capax) -> None:
    assert capax("repl", stdin="help = 3;\nhelp;\n").out == "help = 3\nhelp = 3\n"


def test_warnings_are_shown(capax: Capax) -> None:
    assert "warning[surprising-grouping]" in capax("repl", stdin="x = 7 % 3 * 2;\n").out


def test_exit_ends(capax: Capax) -> None:
    for word in ("exit", "quit", "exit()", "quit()"):
        assert capax("repl", stdin=f"x = 1;\n{word}\ny = 2;\n").out == "x = 1\n"


def test_classic(capax: Capax) -> None:
    done = capax("repl", "--classic", stdin="x = 1;\nhelp;\nexit\n")
    assert done.code == 0
    assert done.out == (
        "RASP 0.1\nrunning example is: hello\n>>     value: x =  1\n"
        ">> \t\t!!ignoring input:\n\t Error: Undefined variable: help\n>> "
    )


SLIDES = """sel = select([2,0,0],[0,1,2],==);
sel2 = select([2,0,0],[0,1,2],>=);
new=aggregate(sel, [1,2,4]);
flip = select([2,1,0],[0,1,2],==);
reverse=aggregate(flip, ["A","B","C"]);
frac_0=aggregate(full_s, [1,0,0,0]);
full_s = select(1,1,==);
"""


def test_what_slides_show_can_be_typed(capax: Capax) -> None:
    """Lists of the lengths that the slides show, whatever the example is; `full_s` as it is defined there."""
    done = capax("repl", stdin=SLIDES)
    assert done.code == 0
    assert done.out.startswith(
        "selector sel\n      h e l\n  h | · ■ ■\n  e | · · ·\n  l | ■ · ·\n"
        "selector sel2\n      h e l\n  h | ■ ■ ■\n  e | ■ · ·\n  l | ■ · ·\n"
        's-op new\n  new("hel") = [3.0, 0, 1] (floats)\n'
    )
    assert 'reverse("hel") = [C, B, A] (strings)' in done.out
    assert 'frac_0("hell") = [0.25]*4 (floats)' in done.out
    assert "warning[reserved-name]: `full_s` has this value already" in done.out


def test_a_list_longer_than_the_example_is_shown_on_the_example_repeated(capax: Capax) -> None:
    done = capax("repl", stdin='set example "ab"\nx = tokens + ["1", "2", "3", "4", "5"];\n')
    assert done.out.endswith('x("ababa") = [a1, b2, a3, b4, a5] (strings)\n')


@pytest.mark.parametrize(
    "typed",
    ["length = 3;", "full_s = select(1, 2, ==);", "True = 1;", "indices = tokens;", "def sort(x) { return x; }"],
)
def test_another_value_for_a_reserved_name_is_refused(typed: str, capax: Capax) -> None:
    done = capax("repl", stdin=typed)
    assert done.code == 2
    assert "error[reserved-name]" in done.out


def test_a_name_of_the_language_that_gets_another_meaning_is_said(capax: Capax) -> None:
    assert "warning[shadowed-name]" in capax("repl", stdin="tokens = 3;").out
    for typed in ("tokens = tokens_int;", "def f(tokens) { return tokens; }\nf(1);", "x = tokens;"):
        assert "warning" not in capax("repl", stdin=typed).out


def test_errors_in_a_piped_session_have_the_lines_of_the_input(capax: Capax) -> None:
    typed = "x = indices;\ny = nope;\nhelp\n\n# comment\nz = 1 +;\ndef f(x) {\n  return gone;\n}\nf(1);\n"
    done = capax("repl", stdin=typed)
    found = [line.strip() for line in done.out.splitlines() if "-->" in line]
    assert found == ["--> console:2:5", "--> console:6:8", "--> console:8:10"]
    assert "2 | y = nope;" in done.out


def test_the_classic_prompt_counts_lines_from_each_statement(capax: Capax) -> None:
    done = capax("repl", "--classic", stdin="x = indices;\nz = 1 +;\n")
    assert "line 2" not in done.out
