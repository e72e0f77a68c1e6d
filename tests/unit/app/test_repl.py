"""`capax repl` from a pipe: the modern prompt, and the classic one."""

from pathlib import Path

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
