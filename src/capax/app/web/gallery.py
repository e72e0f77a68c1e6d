"""The example programs of the playground, with an input to try each on; they are in `gallery.toml`."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Final


@dataclass(frozen=True, slots=True)
class GalleryProgram:
    """A program to start from: what it is called, its text, an input, and what it is compiled for."""

    name: str
    title: str
    text: str
    word: str
    alphabet: str
    longest: int = 12
    """The longest word that it is first compiled for."""


GALLERY: Final = tuple(
    GalleryProgram(**table)
    for table in tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))["programs"]
)
REVERSE: Final = GALLERY[0]
"""The program that the playground starts with."""
