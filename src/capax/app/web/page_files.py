"""The files of the page: its text, styles, scripts and fonts, which the server and the site have in common."""

import json
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Final, Literal, TypeAlias

from capax.draw.ink.palette import DARK, LIGHT, Palette

STATIC: Final = Path(__file__).parent / "static"
TYPES: Final = {
    ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".woff2": "font/woff2",
    ".svg": "image/svg+xml", ".txt": "text/plain; charset=utf-8",
}  # fmt: skip
SCRIPTS: Final = (
    *("dom", "ask", "attention", "editor", "panes", "workbench", "build", "learn", "explore", "limits", "languages"),
    *("machines", "audit", "share", "app"),
)
"""The parts of the page's script, in order; they are one script, whose names are its own."""
STYLES: Final = ("theme", "page", "bench")
Mode: TypeAlias = Literal["server", "site"]


@cache
def files() -> dict[str, bytes]:
    """All files but the page itself, by name."""
    fonts = {path.name: path.read_bytes() for path in (STATIC / "fonts").iterdir()}
    return fonts | {"app.css": style().encode(), "app.js": script().encode()}


def style() -> str:
    """The rules of the page, in light and dark."""
    sheet = "".join((STATIC / "css" / f"{name}.css").read_text("utf-8") for name in STYLES)
    return sheet.replace("$light", _variables(LIGHT)).replace("$dark", _variables(DARK))


def script() -> str:
    """The script of the page."""
    parts = "".join((STATIC / "js" / f"{name}.js").read_text("utf-8") for name in SCRIPTS)
    doors = "window.capaxStart = startApp;\nwindow.capaxRefused = Refused;\nif (FACTS.mode === 'server') startApp();\n"
    return f"(() => {{\n'use strict';\n{parts}{doors}}})();\n"


def file(name: str) -> bytes | None:
    """A file by name; None if there is none."""
    return files().get(name)


def media_type(name: str) -> str:
    """What a file is, for a browser."""
    return TYPES[Path(name).suffix]


def index(mode: Mode, *, report: bool = False) -> str:
    """The page; `mode` says where its answers come from."""
    facts = json.dumps({"mode": mode, "report": report, "version": version("capax")}).replace('"', "&quot;")
    return (STATIC / "index.html").read_text("utf-8").replace("{{facts}}", facts)


def nothing_here() -> str:
    """The page for an address without one."""
    return (STATIC / "nothing.html").read_text("utf-8")


def _variables(palette: Palette) -> str:
    names = ("page", "panel", "well", "line", "text", "quiet", "accent", "faint", "full", "other")
    layers = "".join(f"--layer{number}:{colour};" for number, colour in enumerate(palette.layers))
    return "".join(f"--{name}:{getattr(palette, name)};" for name in names) + layers
