"""`capax --help` has every command under a heading, with its whole sentence."""

import typer.main

from capax.app.cli import app
from capax.app.help_screen import GROUPS
from tests.unit.app.conftest import Capax


def test_every_command_is_in_one_group() -> None:
    grouped = [name for _, names in GROUPS for name in names]
    assert sorted(grouped) == sorted(typer.main.get_command(app).commands)  # type: ignore[attr-defined]


def test_no_sentence_is_cut_short(capax: Capax) -> None:
    done = capax("--help")
    assert done.code == 0
    assert "..." not in done.out.partition("Start:")[2]
    text = " ".join(done.out.split())
    assert "Check a witness again, by code that shares nothing with the search." in text
    assert [done.out.index(f"{title}:") for title, _ in GROUPS] == sorted(
        done.out.index(f"{title}:") for title, _ in GROUPS
    )
