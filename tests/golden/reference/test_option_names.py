"""One name for one thing: the options of all commands, in one table that is looked at when it changes."""

from collections import defaultdict
from pathlib import Path

from tests.golden.conftest import Golden
from tests.golden.reference.help_page import commands

TABLE = Path(__file__).parent / "option_names.txt"
OTHER_NAMES = {
    "--plot": "--draw",
    "--picture": "--draw",
    "--word": "INPUT",
    "--input": "INPUT",
    "--text": "INPUT",
    "--numbers": "--dtype",
    "--chars": "--as",
    "--out": "--output",
    "--path": "--output",
    "--longest": "--max-length",
}
"""Names that an option might have had, and the one that it has."""
DECLARED = {("capax task", "--text")}
"""Where such a name means something else: the answer to a question in words is no input of a program."""


def options() -> dict[str, list[tuple[str, str]]]:
    """For every option the commands that have it, each with how its value is called."""
    table: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for name, command in commands():
        for parameter in command.params:
            if parameter.param_type_name == "option":
                long = max(parameter.opts, key=len)
                table[long].append((name, str(parameter.metavar or ("" if parameter.is_flag else "TEXT"))))
    return table


def test_the_table_of_names(golden: Golden) -> None:
    lines: list[str] = []
    table = options()
    assert len(table) > 100
    for option, users in sorted(table.items()):
        by_value: dict[str, list[str]] = defaultdict(list)
        for command, value in users:
            by_value[value].append(command.removeprefix("capax "))
        lines += [f"{option} {value}".strip() + ": " + ", ".join(sorted(names)) for value, names in by_value.items()]
    golden(TABLE, "\n".join(lines) + "\n")


def test_one_thing_has_one_name() -> None:
    found = {(command, option) for option, users in options().items() for command, _ in users if option in OTHER_NAMES}
    assert found == DECLARED


def test_files_are_written_by_the_same_option() -> None:
    """`-o` goes with `--output`, wherever there is one of them."""
    for _, command in commands():
        for parameter in command.params:
            assert ("-o" in parameter.opts) == ("--output" in parameter.opts)
