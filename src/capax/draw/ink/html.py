"""Views in HTML: one self-contained piece with the picture, hovering, and steps through the layers."""

import hashlib
import json
from collections.abc import Sequence
from html import escape
from itertools import groupby
from typing import Any

from capax.draw.ink.page import page
from capax.draw.ink.palette import DARK, LIGHT
from capax.draw.ink.style import asset, bar_style, one_line
from capax.draw.ink.svg import page_svg, title_of
from capax.draw.shapes.shapes import line_path
from capax.draw.view.coarse import coarse
from capax.draw.view.view import Cells, Flow, HeadGrid, Row, View, grids


def fragment(view: View, *, theme: str = "auto") -> str:
    """A view as a piece of HTML for a notebook or a page: no outside references, and it can stand there twice."""
    if isinstance(view, Flow) and view.rounds:
        return _scrubber(view, theme)
    view = coarse(view)
    drawn = page(view)
    picture = page_svg(drawn, theme=theme, tips=False, title=title_of(view))
    parts = {
        "grids": [_grid_json(head) for head in grids(view)],
        "arrows": [[source, target, line_path(points)] for source, target, points in drawn.routes],
    }
    data = json.dumps(parts, ensure_ascii=False, separators=(",", ":"))
    data = data.replace("<", "\\u003c")  # the data stands inside a script element
    name = "capax-" + hashlib.sha256((picture + data).encode("utf-8", "replace")).hexdigest()[:12]
    return (
        f'<div class="capax-view" id="{name}" tabindex="0">'
        f"<style>{one_line('picture.css')}</style>{_buttons(view, theme)}"
        f'<div class="capax-scroll">{picture}</div><div class="capax-tip" hidden></div>'
        f'<script type="application/json">{data}</script><script>({picture_script()})("{name}")</script></div>\n'
    )


def _scrubber(view: Flow, theme: str) -> str:
    """The pictures of a loop, one at a time, below a bar of its rounds; the arrow keys move along it. No script."""
    parts = [(label, fragment(part, theme=theme)) for label, part in view.rounds]
    name = "capax-" + hashlib.sha256("".join(part for _, part in parts).encode("utf-8", "replace")).hexdigest()[:12]
    chosen = next((i for i, (label, _) in enumerate(parts) if label == "1"), 0)
    inputs = "".join(
        f'<input type="radio" name="{name}" id="{name}-{i}"{" checked" if i == chosen else ""}>'
        for i in range(len(parts))
    )
    labels = "".join(f'<label for="{name}-{i}">{escape(label)}</label>' for i, (label, _) in enumerate(parts))
    pictures = "".join(f"<div>{part}</div>" for _, part in parts)
    rules = "".join(
        f"#{name}-{i}:checked~.capax-rounds-shown>:nth-child({i + 1}){{display:block}}"
        f"#{name}-{i}:checked~.capax-rounds-bar>:nth-child({i + 1}){{background:#0072b2;color:#fff}}"
        f"#{name}-{i}:focus-visible~.capax-rounds-bar>:nth-child({i + 1}){{outline:2px solid #d55e00}}"
        for i in range(len(parts))
    )
    bar = f"capax-bar-{theme}"
    return (
        f'<div class="capax-rounds"><style>{one_line("rounds.css")}{bar_style(theme, scope=f".{bar}")}{rules}'
        f"</style>{inputs}"
        f'<div class="capax-rounds-bar {bar}" title="rounds: click one, or use the arrow keys">{labels}</div>'
        f'<div class="capax-rounds-shown">{pictures}</div></div>\n'
    )


def picture_script() -> str:
    """The script of a picture as a function of its id: hovering over a grid, and steps through the layers."""
    return asset("picture.js").rstrip("\n")


def html(view: View, *, theme: str = "auto") -> str:
    """A view as an HTML document of its own."""
    title = view.title if not isinstance(view, HeadGrid) else view.name
    return _document(title, fragment(view, theme=theme), theme)


def html_beside(views: Sequence[View], title: str, *, theme: str = "auto") -> str:
    """Views side by side, or below each other where there is no room, as an HTML document."""
    parts = "".join(f'<div style="flex:1 1 24em;min-width:0">{fragment(view, theme=theme)}</div>' for view in views)
    return _document(title, f'<div style="display:flex;flex-wrap:wrap;align-items:flex-start">{parts}</div>\n', theme)


def _document(title: str, body: str, theme: str) -> str:
    light, dark = f"background:{LIGHT.page}", f"background:{DARK.page}"
    page = {"light": f"body{{{light}}}", "dark": f"body{{{dark}}}"}.get(
        theme, f"body{{{light}}}@media (prefers-color-scheme:dark){{body{{{dark}}}}}"
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(title)}</title><style>body{{margin:0}}{page}</style></head><body>\n"
        f"{body}</body></html>\n"
    )


def _buttons(view: View, theme: str) -> str:
    if not isinstance(view, Flow) or len(view.layers) < 2:
        return ""
    name = f"capax-bar-{theme}"  # pieces of several themes can stand on one page
    return (
        f'<style>{bar_style(theme, scope=f".{name}")}</style><div class="capax-steps {name}">'
        '<button data-step="-1" title="one layer back (left arrow)">&#9664;</button>'
        '<button data-step="1" title="one layer on (right arrow)">&#9654;</button>'
        '<button data-step="0" title="all layers (Escape)">all</button><span aria-live="polite"></span></div>'
    )


def _grid_json(head: HeadGrid) -> dict[str, Any]:
    """What hovering needs to know about a grid."""
    cells = head.cells
    if cells.step > 1:  # an overview names no values
        return {"step": cells.step, "size": cells.size, "kind": cells.kind, "rows": hover_rows(cells)}
    return {
        "step": 1,
        "size": cells.size,
        "kind": cells.kind,
        "counts": head.counts,
        "keys": _columns(head.keys),
        "queries": _columns(head.queries),
        "values": _columns(head.values),
        "outputs": _columns(head.outputs),
        "rows": hover_rows(cells),
    }


def _columns(rows: tuple[Row, ...]) -> list[list[Any]]:
    return [[row.name, list(row.values)] for row in rows]


def hover_rows(cells: Cells) -> list[int | list[int]]:
    """The rows of a grid in short; one that is equal to an earlier one is the number of that."""
    seen: dict[tuple[float, ...], int] = {}
    write = _runs if cells.kind in ("selected", "average") else _weights
    return [first if (first := seen.setdefault(row, i)) != i else write(row) for i, row in enumerate(cells.rows)]


def _runs(row: tuple[float, ...]) -> list[int]:
    """How many keys are not selected, then how many are, and so on; a weight follows from the number selected."""
    runs = [(selected, len(list(same))) for selected, same in groupby(row, bool)]
    return [0] * runs[0][0] + [count for _, count in runs]


def _weights(row: tuple[float, ...]) -> list[int]:
    """The weights in ten-thousandths; a negative number says how often the next one stands there."""
    runs: list[int] = []
    for weight, same in groupby(round(10_000 * weight) for weight in row):
        count = len(list(same))
        runs += [weight] if count == 1 else [-count, weight]
    return runs
