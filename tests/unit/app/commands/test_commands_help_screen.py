"""`capax --help` has every command under a heading, with its whole sentence."""

import typer.main

from capax.app.cli import create_app
from capax.app.commands import TITLES
from tests.unit.app.conftest import Capax


def test_every_command_has_a_heading() -> None:
    commands = typer.main.get_command(create_app()).commands  # type: ignore[attr-defined]
    assert {command.rich_help_panel for command in commands.values()} == set(TITLES)


def test_no_sentence_is_cut_short(capax: Capax) -> None:
    done = capax("--help")
    assert done.code == 0
    assert "..." not in done.out.partition("Start:")[2]
    text = " ".join(done.out.split())
    assert "Check a witness again, by code that shares nothing with the search." in text
    starts = [done.out.index(f"{title}:") for title in TITLES]
    assert starts == sorted(starts)
