"""Views in SVG: the same bytes for the same view, no scripts, no outside references."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from html import escape
from itertools import groupby
from typing import assert_never

from capax.draw.ink.page import Page, page
from capax.draw.ink.palette import level
from capax.draw.ink.style import style_sheet
from capax.draw.shapes.shapes import (
    Box,
    Grid,
    Outlet,
    Port,
    Shape,
    ShapeGroup,
    Text,
    Tip,
    Trunk,
    head_path,
    line_path,
    number,
)
from capax.draw.view.coarse import coarse
from capax.draw.view.view import FULL, Cells, HeadGrid, Row, View

TIPS = 16
"""Up to this length every pair has a tool tip; up to `FULL` every query has one."""
CellRun = tuple[int, int, int]
"""The line, the first cell and the number of cells."""


def svg(view: View, *, theme: str = "auto", tips: bool = True) -> str:
    """A view as an SVG document.

    `theme` is `auto` (the reader's setting), `light` or `dark`. Without `tips` the pairs have no tool tips.
    """
    return page_svg(page(coarse(view)), theme=theme, tips=tips, title=title_of(view))


def page_svg(drawn: Page, *, theme: str, tips: bool, title: str) -> str:
    """A page as an SVG document."""
    return _SvgWriter(tips=tips).document(drawn.top, theme, title)


def title_of(view: View) -> str:
    """What a view is called."""
    return str(getattr(view, "title", "")) or str(getattr(view, "name", ""))


class _SvgWriter:
    """Writes shapes, as parts of one text; grids are numbered in the order in which they come."""

    def __init__(self, *, tips: bool) -> None:
        self._tips = tips
        self._grids = 0
        self._parts: list[str] = []

    def document(self, top: ShapeGroup, theme: str, title: str) -> str:
        wide, tall = number(top.width), number(top.height)
        # Each theme has a class of its own, since a style sheet holds for the whole page that a picture is put into.
        name = "capax" if theme == "auto" else f"capax-{theme}"
        self._parts += [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="{name}" width="{wide}" height="{tall}"',
            f' viewBox="0 0 {wide} {tall}" role="img">',
            f"<title>{_text(title)}</title><style>{style_sheet(theme, scope=f'.{name}')}</style>",
            f'<rect class="page" width="{wide}" height="{tall}"/>',
        ]
        for shape in top.shapes:
            self._shape(shape)
        self._parts.append("</svg>\n")
        return "".join(self._parts)

    def _shape(self, shape: Shape) -> None:
        match shape:
            case Text():
                self._parts.append(_line(shape))
            case Box():
                round_ = f' rx="{number(shape.round)}"' if shape.round else ""
                position = (shape.x, shape.y, shape.width, shape.height)
                self._parts.append(_rect(shape.style, *position, shape.title, round_))
            case ShapeGroup():
                self._group(shape)
            case Grid():
                self._grid(shape)
            case Trunk():
                self._parts += _trunk(shape)
            case Tip():
                line = f'<path class="wire" data-to="{_text(shape.target)}" d="{line_path(shape.points)}"/>'
                self._parts += [line, f'<path class="arrowhead" d="{head_path(shape.points)}"/>']
            case Outlet() | Port():
                pass  # places for lines, nothing to be seen
            case _:
                assert_never(shape)

    def _group(self, group: ShapeGroup) -> None:
        moved = f' transform="translate({number(group.x)} {number(group.y)})"' if group.x or group.y else ""
        name = f' class="{group.name}"' if group.name else ""
        layer = f' data-layer="{group.layer}"' if group.layer is not None else ""
        self._parts.append(f"<g{name}{layer}{moved}>")
        for shape in group.shapes:
            self._shape(shape)
        self._parts.append("</g>\n")

    def _grid(self, grid: Grid) -> None:
        rows = len(grid.head.cells.rows)
        wide, tall = rows * grid.width, rows * grid.height
        position = f"translate({number(grid.x)} {number(grid.y)})"
        self._parts += [
            f'<g class="grid" data-grid="{self._grids}" transform="{position}">',
            _rect("well", 0, 0, wide, tall),
            f'<g transform="scale({number(grid.width)} {number(grid.height)})">',
            *(f'<path class="cells s{shade}" d="{path}"/>' for shade, path in _cell_paths(grid.head.cells).items()),
            "</g>",
        ]
        self._grids += 1
        if grid.lines:
            across = "".join(f"M0 {number(k * grid.height)}h{number(wide)}" for k in range(1, rows))
            down = "".join(f"M{number(k * grid.width)} 0v{number(tall)}" for k in range(1, rows))
            self._parts.append(f'<path class="lines" d="{across}{down}"/>')
        if self._tips and grid.head.cells.step == 1:
            self._parts += _hits(grid)
        self._parts.append("</g>")


def _line(text: Text) -> str:
    anchor = "" if text.anchor == "start" else f' text-anchor="{text.anchor}"'
    row = f' data-row="{_text(text.row)}"' if text.row else ""
    title = f"<title>{_text(text.title)}</title>" if text.title else ""
    position = f'x="{number(text.x)}" y="{number(text.y)}" font-size="{number(text.size)}"'
    return f'<text class="{text.style}" {position}{anchor}{row}>{title}{_text(text.text)}</text>'


def _trunk(trunk: Trunk) -> Iterator[str]:
    yield f'<path class="wire {trunk.style}" data-from="{_text(trunk.source)}" d="{line_path(trunk.points)}">'
    yield f"<title>{_text(trunk.title)}</title></path>"
    if trunk.dots:
        dots = "".join(f"M{number(x)} {number(y)}h0" for x, y in trunk.dots)
        yield f'<path class="wire dots {trunk.style}" d="{dots}"/>'


def _hits(grid: Grid) -> Iterator[str]:
    """Unseen boxes with tool tips, over every pair or every query."""
    head, n = grid.head, grid.head.cells.size
    if n <= TIPS:
        for i in range(n):
            for j in range(n):
                yield _rect("hit", j * grid.width, i * grid.height, grid.width, grid.height, pair_tip(head, i, j))
    elif n <= FULL:
        for i in range(n):
            yield _rect("hit", 0, i * grid.height, n * grid.width, grid.height, _query_tip(head, i))


def pair_tip(head: HeadGrid, query: int, key: int) -> str:
    """What a pair says when pointed at: query, key, weight and value."""
    parts = [f"query {query}: {_at(head.queries, query)}", f"key {key}: {_at(head.keys, key)}"]
    weight = head.cells.rows[query][key]
    kind = head.cells.kind
    if kind == "weights":
        parts.append(f"weight {weight:.4g}")
    elif not weight:
        parts.append("not selected")
    else:
        parts.append("selected" + (f", weight {head.shares[query]}" if head.shares else ""))
        if head.counts:
            parts[-1] += ", counted"
        if head.values:
            parts.append(f"value: {_at(head.values, key)}")
    return "\n".join(parts)


def _query_tip(head: HeadGrid, query: int) -> str:
    chosen = [str(j) for j, weight in enumerate(head.cells.rows[query]) if weight]
    return f"query {query}: {_at(head.queries, query)}\nkeys: {', '.join(chosen) or 'none'}"


def _at(rows: tuple[Row, ...], position: int) -> str:
    return ", ".join(f"{r.name} = {r.values[position]}" for r in rows if r.values)


def _rect(style: str, x: float, y: float, wide: float, tall: float, title: str = "", more: str = "") -> str:
    position = (f' x="{number(x)}"' if x else "") + (f' y="{number(y)}"' if y else "")
    head = f'<rect class="{style}"{position} width="{number(wide)}" height="{number(tall)}"{more}'
    return f"{head}><title>{_text(title)}</title></rect>" if title else head + "/>"


@lru_cache(maxsize=8192)
def _text(text: str) -> str:
    """The text for XML: no signs of the markup, and no characters that XML forbids."""
    if not text.isprintable():
        text = "".join(c if _is_allowed(c) else "�" for c in text)
    return escape(text)


def _is_allowed(c: str) -> bool:
    return (c >= " " and not "\ud800" <= c <= "\udfff" and c not in "\ufffe\uffff") or c in "\n\t"


def _cell_paths(cells: Cells) -> dict[int, str]:
    """For each level the path data of its cells: runs of equal ones, in units of a cell; strokes are one unit wide."""
    known: dict[float, int] = {}
    rows = [_levels(row, cells.kind, known) for row in cells.rows]
    across = dict(_runs(rows))
    down = dict(_runs([bytes(column) for column in zip(*rows, strict=True)])) if len(rows) <= 300 else across
    if sum(map(len, down.values())) < sum(map(len, across.values())):
        return {shade: _path(down[shade], "v") for shade in sorted(down)}
    return {shade: _path(across[shade], "h") for shade in sorted(across)}


def _levels(row: Sequence[float], kind: str, known: dict[float, int]) -> bytes:
    for weight in set(row):
        if weight not in known:
            known[weight] = level(weight, kind)
    return bytes([known[weight] for weight in row])


def _runs(lines: Sequence[bytes]) -> Iterator[tuple[int, list[CellRun]]]:
    by_shade: dict[int, list[CellRun]] = {}
    for row, line in enumerate(lines):
        at = 0
        if not any(line):
            continue
        for shade, same in groupby(line):
            count = len(list(same))
            if shade:
                by_shade.setdefault(shade, []).append((row, at, count))
            at += count
    return iter(by_shade.items())


def _path(runs: list[CellRun], direction: str) -> str:
    """Strokes along the runs, each from where the last one ended."""
    parts: list[str] = []
    line, at = 0, 0
    for row, start, count in runs:
        along, over = start - at, row - line
        if not parts:
            parts.append(f"M{start} {row}.5" if direction == "h" else f"M{row}.5 {start}")
        elif direction == "h":
            parts.append(f"m{along} {over}")
        else:
            parts.append(f"m{over} {along}")
        parts.append(f"{direction}{count}")
        line, at = row, start + count
    return "".join(parts)
