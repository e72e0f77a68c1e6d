"""The style sheet and the script of every page of the playground.

The pages have a content security policy without `unsafe-eval`, so no script makes code out of text, and the three
places where the toolkit does are replaced by `TIE`.
"""

from collections.abc import Callable
from functools import cache
from string import Template
from typing import Final

from jinja2 import BaseLoader, Environment
from nicegui import client

from capax.app.web.middleware import NONCE
from capax.draw.ink.html import picture_script
from capax.draw.ink.palette import DARK, LIGHT, Palette
from capax.draw.ink.style import FONTS, asset, bar_style, style_sheet

PACKAGE: Final = "capax.app.web"
WORDS: Final = "system-ui,-apple-system,'Segoe UI',Roboto,'Liberation Sans','DejaVu Sans',sans-serif"
TIE: Final = "capaxTie(app);"
"""What ties the toolkit to the script, in the script that starts the page."""


@cache
def style() -> str:
    """The rules of the pages, in light and dark. Pictures follow the page, which has a switch, not the system."""
    sheet = Template(asset("playground.css", PACKAGE))
    return (
        sheet.substitute(light=_variables(LIGHT), dark=_variables(DARK), fonts=FONTS, words=WORDS)
        + style_sheet("light", scope="body.body--light .capax")
        + style_sheet("dark", scope="body.body--dark .capax")
        + bar_style("light", scope="body.body--light .capax-bar-auto")
        + bar_style("dark", scope="body.body--dark .capax-bar-auto")
        + "body .capax-view .capax-steps{position:static;padding:4px 0 8px;"
        "background:none!important;border:0!important}"
    )


def _variables(palette: Palette) -> str:
    names = ("page", "panel", "well", "line", "text", "quiet", "accent", "faint", "full", "other")
    return "".join(f"--{name}:{getattr(palette, name)};" for name in names)


@cache
def script() -> str:
    """The script of the pages: the theme, pictures that wake up, and RASP in the editor."""
    parts = ("editor.js", "toolkit.js", "page.js")
    return f"window.capaxPicture={picture_script()};\n" + "".join(asset(name, PACKAGE) for name in parts)


MARKED = f'<script nonce="{{{{ request.scope["{NONCE}"] }}}}"'


class Marked(BaseLoader):
    """Templates with a mark on the scripts that stand in their own text; what is put into them later gets none."""

    def __init__(self, inner: BaseLoader) -> None:
        self._inner = inner

    def get_source(self, environment: Environment, template: str) -> tuple[str, str | None, Callable[[], bool] | None]:
        """The text of a template, its file, and whether that is still as it was."""
        text, file, current = self._inner.get_source(environment, template)
        return text.replace("<script", MARKED), file, current


def mark_scripts() -> None:
    """Has all pages made with marked scripts."""
    environment = client.templates.env
    if environment.loader is not None and not isinstance(environment.loader, Marked):
        environment.loader = Marked(environment.loader)
