"""The pictures of the gallery page are what the commands on the page draw."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from capax.app.resolve import resolve
from capax.draw.ink.svg import svg
from capax.draw.view.flow import flow
from tests.house.tree import ROOT

PAGE = ROOT / "docs" / "explanation" / "gallery.md"
FOLDER = ROOT / "docs" / "pictures" / "gallery"
COMMANDS = re.findall(r"^\$ capax draw (\w+) '([^']*)' -o (\w+)\.svg$", PAGE.read_text(encoding="utf-8"), re.M)


@pytest.mark.parametrize(("program", "word", "name"), COMMANDS, ids=[name for _, _, name in COMMANDS])
def test_a_picture_is_up_to_date(program: str, word: str, name: str, golden: Callable[[Path, str], None]) -> None:
    """The file holds the same bytes."""
    text = svg(flow(resolve(program).program, word))
    assert text.startswith("<svg")
    golden(FOLDER / f"{name}.svg", text)


def test_every_picture_is_on_the_page() -> None:
    """No file without a command, no command without an image."""
    assert len(COMMANDS) >= 6
    assert {path.stem for path in FOLDER.glob("*.svg")} == {name for _, _, name in COMMANDS}
    shown = re.findall(r"\]\(\.\./pictures/gallery/(\w+)\.svg\)", PAGE.read_text(encoding="utf-8"))
    assert shown == [name for _, _, name in COMMANDS]
