"""The pages about the command line are in step with it."""

import re
import shlex
from typing import Any

import pytest

from tests.golden.conftest import Golden
from tests.golden.reference.help_page import commands, example, help_page
from tests.house.tree import ROOT

REFERENCE = ROOT / "docs" / "reference"
COMMANDS = list(commands())
TOLD = (REFERENCE / "cli.md").read_text(encoding="utf-8")


def test_the_page_is_what_the_commands_say(golden: Golden) -> None:
    page = help_page()
    assert all(f"\n## {name}\n" in page for name, _ in COMMANDS)
    golden(REFERENCE / "help.md", page)


@pytest.mark.parametrize(("name", "command"), COMMANDS, ids=[name for name, _ in COMMANDS])
def test_the_example_is_read(name: str, command: Any) -> None:
    """The last command of the example is this one, and its arguments and options are taken."""
    words = shlex.split(example(command).split(" | ")[-1])
    path = name.split()
    assert words[: len(path)] == path
    with command.make_context(name, words[len(path) :]) as context:
        assert context.params


@pytest.mark.parametrize(("name", "command"), COMMANDS, ids=[name for name, _ in COMMANDS])
def test_the_other_page_tells_of_every_option(name: str, command: Any) -> None:
    """The page that is written by hand has a section for the command, and names each of its options there."""
    section = re.search(rf"^## {name}(?= |$)(.*?)(?=^## |\Z)", TOLD, re.M | re.S)
    assert section, f"cli.md has no section `## {name}`"
    options = [p for p in command.params if p.param_type_name == "option"]
    spellings = [[*option.opts, *option.secondary_opts] for option in options]
    missing = [each for each in spellings if not any(re.search(rf"(?<![\w-]){o}(?![\w-])", section[0]) for o in each)]
    assert missing == []


def test_the_other_page_tells_of_no_command_that_is_not() -> None:
    told = re.findall(r"^## (capax(?: [a-z][a-z-]*)+)", TOLD, re.M)
    assert sorted(told) == sorted(name for name, _ in COMMANDS)
