"""Every program has a budget, at every command that builds one; exponential graphs are drawn all the same."""

from pathlib import Path

import pytest

import capax as module
from capax.errors import CapaxError
from capax.rasp.python.program import Program
from capax.rasp.text.interpreter import BUDGET, STEPS, Limits, limits_of
from tests.unit.app.outcome import Capax

CALLS = "".join(
    ["def f0(x) { return x + x; }\n", *(f"def f{i}(x) {{ return f{i - 1}(x) + f{i - 1}(x); }}\n" for i in range(1, 31))]
)
COMMANDS = [
    ("run", "FILE", "abc"),
    ("run", "FILE", "--plan"),
    ("layers", "FILE"),
    ("draw", "FILE"),
    ("check", "FILE"),
    ("compile", "FILE", "--alphabet", "ab", "--max-length", "3"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda c: " ".join(c[:1]))
def test_no_command_builds_for_ever(command: tuple[str, ...], capax: Capax, tmp_path: Path) -> None:
    Path("calls.rasp").write_text(CALLS + "y = f30(indices);\n")
    done = capax(*(("calls.rasp" if part == "FILE" else part) for part in command), "--budget", "400")
    assert done.code == (1 if command[0] == "check" else 2)
    assert "error[too-many-steps]" in done.err
    assert "--budget" in done.err


def test_without_the_option_there_is_a_budget_too() -> None:
    assert Limits().steps == STEPS * BUDGET
    with pytest.raises(CapaxError) as caught:
        Program.from_text(CALLS + "y = f30(indices);\n", budget=100)
    assert caught.value.code == "too-many-steps"


def test_a_larger_budget_lets_a_program_through(capax: Capax, tmp_path: Path) -> None:
    Path("loop.rasp").write_text("x = 0; for i in range(300) { x = x + i; } y = indices + x;\n")
    assert capax("run", "loop.rasp", "ab", "--budget", "10").code == 2
    assert capax("run", "loop.rasp", "ab", "--budget", "50").code == 0
    assert module.load("loop.rasp", budget=50).x == 44850
    with pytest.raises(CapaxError):
        module.load("loop.rasp", budget=10)


def test_a_file_ends_with_its_budget_and_says_so_once(capax: Capax, tmp_path: Path) -> None:
    Path("loop.rasp").write_text("for i in range(300) { x = i; }\ny = indices;\n")
    assert capax("check", "loop.rasp", "--budget", "5").err.count("too-many-steps") == 1


def test_at_the_prompt_each_statement_has_the_whole_budget(capax: Capax) -> None:
    loop = "for i in range(100) { x = i; } "
    assert capax("repl", "--budget", "10", stdin=f"{loop}\n{loop}{loop}x;\n").out == "x = 99\n"


@pytest.mark.parametrize("text", ["x = [0] * 1000000;", "x = 2 ^ 200000;", 'x = "ab" * 500000;', "x = indices + 1;"])
def test_what_is_large_counts_as_many_steps(text: str) -> None:
    """Each statement takes a few steps by itself."""
    with pytest.raises(CapaxError) as caught:
        Program.from_text(f"for i in range(1000) {{ {text} }}", budget=200)
    assert caught.value.code == "too-many-steps"


def test_a_budget_is_positive(capax: Capax) -> None:
    assert "error[bad-option]" in capax("run", "reverse", "abc", "--budget", "0").err
    assert limits_of(3).steps == 300


@pytest.mark.parametrize("command", [("layers",), ("draw",), ("draw", "--all"), ("run", "--trace")])
def test_shared_parts_are_shown_once(command: tuple[str, ...], capax: Capax, tmp_path: Path) -> None:
    """Written out, these programs have 2 to the power of 160 parts."""
    Path("shared.rasp").write_text(
        "s = select(indices, indices, <=); x = indices;\n"
        "for j in range(4) { for i in range(40) { x = x + x; s = s and not (s or s); } x = aggregate(s, x); }\ny = x;\n"
    )
    done = capax(command[0], "shared.rasp", *(("abc",) if command[0] == "run" else ()), *command[1:])
    assert done.code == 0
    assert len(done.out) < 100_000


def test_the_unit_of_the_budget_is_said(capax: Capax) -> None:
    Path("loop.rasp").write_text("for i in range(1000) { x = i; }")
    assert "more than 1,000 steps to build, a budget of 10 (units of 100 steps)" in (
        capax("run", "loop.rasp", "ab", "--budget", "10").err
    )
    for command in ("run", "layers", "draw", "check", "repl", "compile"):
        assert "units of 100 steps" in " ".join(capax(command, "--help").out.replace("│", " ").split())
