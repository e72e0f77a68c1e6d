"""Style sheets and scripts, from the folder `static`; and the style of pictures, for light and dark pages."""

from collections.abc import Callable
from dataclasses import fields
from functools import cache
from importlib.resources import files
from string import Template
from typing import Literal, TypeAlias

from capax.draw.ink.palette import DARK, LEVELS, LIGHT, Palette
from capax.errors import CapaxError


@cache
def asset(name: str, package: str = "capax.draw.ink") -> str:
    """The text of a static file."""
    return files(package).joinpath("static", name).read_text(encoding="utf-8")


def one_line(name: str, **values: str) -> str:
    """A style sheet of one rule a line, without the line ends; `$name` in it stands for a value."""
    return Template(asset(name)).substitute(values).replace("\n", "")


def scoped(name: str, scope: str, **values: str) -> str:
    """A style sheet of one rule a line whose selectors hold below `scope` alone."""
    rules = [line.split("{") for line in Template(asset(name)).substitute(values).splitlines()]
    return "".join(f"{','.join(f'{scope} {part}' for part in where.split(','))}{{{body}" for where, body in rules)


Theme: TypeAlias = Literal["auto", "light", "dark"]
THEMES: tuple[Theme, ...] = ("auto", "light", "dark")

FONTS = (
    "'DejaVu Sans Mono','Liberation Mono',Menlo,Consolas,'Noto Sans Mono',"
    "'Noto Sans Mono CJK SC','Courier New',monospace"
)

HAIR = "#8a939c55"
"""The colour of lines in tables, for light and dark pages."""


@cache
def style_sheet(theme: str, *, scope: str) -> str:
    """The rules for a theme; `auto` follows the reader's setting, and the theme of a notebook."""
    return scoped("marks.css", scope, fonts=FONTS) + _themed(theme, scope, _colours)


def _themed(theme: str, scope: str, colours: Callable[[Palette, str], str]) -> str:
    match theme:
        case "light":
            return colours(LIGHT, scope)
        case "dark":
            return colours(DARK, scope)
        case "auto":
            dark = colours(DARK, scope)
            notebook = "".join(
                colours(DARK, f"{body} {scope}") for body in ("body[data-jp-theme-light=false]", "body.vscode-dark")
            )
            light = "".join(
                colours(LIGHT, f"{body} {scope}") for body in ("body[data-jp-theme-light=true]", "body.vscode-light")
            )
            media = f"@media (prefers-color-scheme:dark){{{dark}{light}}}"
            return colours(LIGHT, scope) + media + notebook
        case _:
            raise CapaxError("bad-option", f"there is no theme {theme!r}", hint=f"use {', '.join(THEMES)}")


def bar_style(theme: str, *, scope: str) -> str:
    """The rules for a bar that stands over a picture: what is below does not show through."""

    def colours(palette: Palette, bar: str) -> str:
        return f"{bar}{{background:{palette.page};color:{palette.quiet};border-bottom:1px solid {palette.line}}}"

    return _themed(theme, scope, colours)


def card_style(*, scope: str) -> str:
    """The rules for words beside pictures; their colours are the page's own."""
    return scoped("card.css", scope, fonts=FONTS, hair=HAIR)


def _colours(palette: Palette, scope: str) -> str:
    """The rules of one theme; layers and shades are numbered."""
    layers = list(enumerate(palette.layers))
    numbered = [f".layer{k}{{fill:{colour}}}" for k, colour in layers]
    numbered += [f".wire.w{k}{{stroke:{colour}}}" for k, colour in layers]
    for k in range(1, LEVELS + 1):
        numbered += [f".shade{k}{{fill:{palette.shade(k)}}}", f".cells.s{k}{{stroke:{palette.shade(k)}}}"]
    named = {item.name: getattr(palette, item.name) for item in fields(palette) if item.name != "layers"}
    return scoped("colours.css", scope, **named) + "".join(f"{scope} {rule}" for rule in numbered)
