"""The style sheet of pictures, for light and dark pages."""

from collections.abc import Callable
from functools import cache
from typing import Literal, TypeAlias

from capax.draw.ink.palette import DARK, LEVELS, LIGHT, Palette
from capax.errors import CapaxError

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
    return _fixed(scope) + _themed(theme, scope, _colours)


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
    rules = {
        "table": "border-collapse:collapse;margin:4px 0",
        "td,th": f"text-align:left;vertical-align:top;padding:3px 10px 3px 0;border-bottom:1px solid {HAIR}",
        "th": "padding-top:10px",
        "p": "margin:4px 0",
        "code": f"font-family:{FONTS};font-size:12px;background:none;padding:0;white-space:pre-wrap",
    }
    return _rules(rules, scope)


def _fixed(scope: str) -> str:
    rules = {
        "text": f"font-family:{FONTS};white-space:pre",
        ".title,.output,.result": "font-weight:bold",
        ".lines": "fill:none;stroke-width:1",
        ".cells": "fill:none;stroke-width:1",
        ".hit": "fill-opacity:0",
        ".wire": "fill:none;stroke-width:1.4",
        ".dots": "stroke-width:5.5;stroke-linecap:round",
        ".chip": "fill-opacity:.22",
    }
    return _rules(rules, scope)


def _colours(palette: Palette, scope: str) -> str:
    rules = {
        ".page": f"fill:{palette.page}",
        ".panel": f"fill:{palette.panel};stroke:{palette.line}",
        ".well": f"fill:{palette.well};stroke:{palette.line}",
        ".wire": f"stroke:{palette.quiet}",
        ".arrowhead": f"fill:{palette.quiet}",
        ".lines": f"stroke:{palette.line}",
        "text,.chiptext,.value": f"fill:{palette.text}",
        ".title": f"fill:{palette.text}",
        ".quiet": f"fill:{palette.quiet}",
        ".name": f"fill:{palette.text}",
        ".output,.result": f"fill:{palette.accent}",
        ".other": f"fill:{palette.other}",
    }
    rules |= {f".layer{k}": f"fill:{colour}" for k, colour in enumerate(palette.layers)}
    rules |= {f".wire.w{k}": f"stroke:{colour}" for k, colour in enumerate(palette.layers)}
    for k in range(1, LEVELS + 1):
        rules[f".shade{k}"] = f"fill:{palette.shade(k)}"
        rules[f".cells.s{k}"] = f"stroke:{palette.shade(k)}"
    return _rules(rules, scope)


def _rules(rules: dict[str, str], scope: str) -> str:
    return "".join(
        ",".join(f"{scope} {part}" for part in selector.split(",")) + "{" + body + "}"
        for selector, body in rules.items()
    )
