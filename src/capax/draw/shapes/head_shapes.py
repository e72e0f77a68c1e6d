"""The shapes of one head: keys on top, queries at the left, values below, outputs at the right."""

from dataclasses import replace

from capax.draw.ink.palette import LEVELS, SEEN, SHARES
from capax.draw.shapes.lines import (
    NAME,
    Scale,
    chip,
    chip_width,
    key,
    label,
    label_width,
    scale_of,
    summary,
    tip,
    values_line,
)
from capax.draw.shapes.shapes import Box, Grid, Outlet, Shape, ShapeGroup, Text
from capax.draw.shapes.text_width import shorten, width, wrap
from capax.draw.view.view import HeadGrid, Row, head_item

LINE = 18
"""The height of a line of text."""
COLUMN = 120
"""The most that the name of a query or output makes its column wide."""

MOST_LINES = 12
"""The most lines of what a selector is."""
COUNTS = "the head gives how many keys each query selects"
"""What the mark of a counting head says when pointed at."""


def head_shapes(head: HeadGrid) -> ShapeGroup:
    """A head as a group of shapes."""
    scale = scale_of(head.cells, (*head.keys, *head.values))
    body = _full(head, scale) if scale.is_full else _coarse(head, scale)
    room = max(body.width, 330 if head.label else 120)
    top = _titles(head, room)
    if head.slices:
        body = _with_slices(body, head)
    wide = max(body.width, top.width)
    outlets: list[Shape] = [
        replace(shape, y=shape.y + top.height) for shape in body.shapes if isinstance(shape, Outlet)
    ]
    return ShapeGroup(0, 0, wide, top.height + body.height, [top, body.at(0, top.height), *outlets], "head")


BESIDE = 3
"""How many slices of a head of third order stand side by side."""


def _with_slices(body: ShapeGroup, head: HeadGrid) -> ShapeGroup:
    """The shapes of a head of third order, and at their right, clear of arrows, a slice for each query."""
    y, wide = 0.0, body.width
    shapes: list[Shape] = list(body.shapes)
    parts = [head_shapes(part) for part in head.slices]
    for start in range(0, len(parts), BESIDE):
        line = parts[start : start + BESIDE]
        x = body.width + 36
        for part in line:
            shapes.append(part.at(x, y))
            x += part.width + 24
        y += max(part.height for part in line) + 10
        wide = max(wide, x - 24)
    return replace(body, width=wide, height=max(y, body.height), shapes=shapes)


def _titles(head: HeadGrid, room: float) -> ShapeGroup:
    """The head's number, its selector's name and what that is."""
    shapes: list[Shape] = []
    x, y = 0.0, 13.0
    if head.label:
        shapes.append(Text(0, y, f"head {head.label}", 12, "title", row=head_item(head.label)))
        x = width(f"head {head.label}", 12) + 10
    lines = wrap(head.name, room - x, 12, 1) if width(head.name, 12) <= room - x else []
    if lines:
        shapes.append(Text(x, y, lines[0], 12, "name"))
        y += LINE
    elif x:
        y += LINE
    for below in filter(None, (head.formula if lines else head.name, head.where)):
        for line in wrap(below, room, NAME, MOST_LINES):
            shapes.append(Text(0, y, line, NAME, "quiet", title=below))
            y += 15
    widest = max((s.left + width(s.text, s.size) for s in shapes if isinstance(s, Text)), default=0.0)
    return ShapeGroup(0, 0, widest, y - 6, shapes)


# with every value


def _full(head: HeadGrid, scale: Scale) -> ShapeGroup:
    shapes: list[Shape] = []
    most = COLUMN if len(head.queries) > 1 else 1.6 * COLUMN
    columns = [_query_width(query, scale, most) for query in head.queries]
    labels = [label_width(head.across, r) for r in head.keys] + [label_width("value", r) for r in head.values]
    query_room = sum(columns) + 12 * len(columns) + width(head.down, NAME)
    gutter = max([query_room, *labels]) + 8
    y = 4.0
    for row in head.keys:
        shapes += label(head.across, row, gutter - 8, y + 13)
        shapes += values_line(row, gutter, y + 13, scale)
        y += LINE
    y += LINE + 1
    shapes += _queries(head, columns, gutter - 8, y, scale)
    n = head.cells.size
    shapes.append(Grid(gutter, y, scale.cell, scale.height, head, lines=True))
    right = gutter + n * scale.cell
    outputs, end = _outputs(head, right + 8, y, scale)
    shapes += outputs
    y += n * scale.height + 3
    for row in head.values:
        shapes += label("value", row, gutter - 8, y + 13)
        shapes += values_line(row, gutter, y + 13, scale)
        y += LINE
    if head.counts:
        shapes.append(Text(gutter - 8, y + 13, "counts", NAME, "quiet", "end", COUNTS))
        y += LINE
    elif not head.values:
        y += 4
    if not head.values and any(", else " in o.formula for o in head.outputs):
        y += LINE
    if head.cells.kind == "weights":
        shapes += _legend(head, gutter, y + 6)
        right = max(right, gutter + 16 * LEVELS + 10 + width("01   weight", 10))
        y += 26
    return ShapeGroup(0, 0, max(end, right), y + 4, shapes)


def _query_width(row: Row, scale: Scale, most: float) -> float:
    named = min(width(row.name, NAME) + chip_width(row) + 5, most)
    return max(named, min(max(width(v, scale.font) for v in row.values) + 2, most))


def _queries(head: HeadGrid, columns: list[float], right: float, y: float, scale: Scale) -> list[Shape]:
    """The columns of the queries, the last one next to the grid."""
    shapes: list[Shape] = []
    for row, wide in zip(reversed(head.queries), reversed(columns), strict=True):
        mark = chip_width(row)
        name = shorten(row.name, wide - mark - 5, NAME)
        shapes += chip(row, right - mark, y - 6)
        shapes.append(Text(right - mark - 5, y - 6, name, NAME, "name", "end", tip(row), key(row)))
        for position, value in enumerate(row.values):
            short = shorten(value, wide, scale.font)
            base = y + (position + 0.5) * scale.height + 0.35 * scale.font
            shapes.append(Text(right, base, short, scale.font, "value", "end", value if short != value else ""))
        right -= wide + 12
    first = head.queries[0]
    name = shorten(first.name, columns[0] - chip_width(first) - 5, NAME)
    start = right + 12 + columns[0] - chip_width(first) - 5 - width(name, NAME)
    shapes.append(Text(start - 7, y - 6, head.down, NAME, "quiet", "end"))
    return shapes


def _outputs(head: HeadGrid, x: float, y: float, scale: Scale) -> tuple[list[Shape], float]:
    """The columns at the right of the grid, and where they end."""
    shapes: list[Shape] = []
    if head.shares:
        shapes.append(Text(x, y - 6, "weight", NAME, "quiet"))
        shapes += _column(head.shares, x, y, scale, "quiet", 60)
        x += max(width("weight", NAME), *(width(s, scale.font) for s in head.shares)) + 12
    for row in head.outputs:
        wide = max(min(width(row.name, NAME), 1.5 * COLUMN), min(max(width(v, scale.font) for v in row.values), COLUMN))
        name = shorten(row.name, wide, NAME)
        style = "result" if row.is_result else "name"
        shapes.append(Text(x, y - 6, name, NAME, style, "start", tip(row), key(row)))
        shapes += _column(row.values, x, y, scale, "output", wide)
        _, otherwise, default = row.formula.rpartition(", else ")
        below = y + head.cells.size * scale.height
        shapes.append(Outlet(x + 4, below + (22 if otherwise else 4), row.item, True))
        if otherwise:
            below += 16
            shapes.append(Text(x, below, shorten(f"else {default}", max(wide, 60), NAME), NAME, "quiet"))
            wide = max(wide, min(width(f"else {default}", NAME), 60))
        x += wide + 12
    return shapes, x - 12


def _column(values: tuple[str, ...], x: float, y: float, scale: Scale, style: str, wide: float) -> list[Shape]:
    shapes: list[Shape] = []
    for position, value in enumerate(values):
        short = shorten(value, wide, scale.font)
        base = y + (position + 0.5) * scale.height + 0.35 * scale.font
        shapes.append(Text(x, base, short, scale.font, style, "start", value if short != value else ""))
    return shapes


# without


def _coarse(head: HeadGrid, scale: Scale) -> ShapeGroup:
    shapes: list[Shape] = []
    above = [(head.across, r) for r in head.keys] + [(head.down, r) for r in head.queries]
    below = [("value", r) for r in head.values] + [("output", r) for r in head.outputs]
    last = f"{head.cells.size - 1:,}"
    gutter = max([width(last, NAME), *(label_width(role, row) for role, row in above + below)]) + 8
    y = 4.0
    for role, row in above:
        shapes += label(role, row, gutter - 8, y + 13)
        shapes.append(Text(gutter, y + 13, summary(row), NAME, "value", title=f"{row.size} values"))
        y += LINE
    y += 6
    rows, side = len(head.cells.rows), scale.cell
    shapes += [
        Text(gutter - 8, y + 10, "0", NAME, "quiet", "end"),
        Text(gutter - 8, y + rows * side, last, NAME, "quiet", "end"),
        Grid(gutter, y, side, side, head, lines=False),
    ]
    y += rows * side + 4
    for role, row in below:
        shapes += label(role, row, gutter - 8, y + 13)
        style = "output" if role == "output" else "value"
        if role == "output":
            shapes.append(Outlet(gutter - 8 - label_width(role, row) - 4, y + 9, row.item, False))
        shapes.append(Text(gutter, y + 13, summary(row), NAME, style, title=f"{row.size} values"))
        y += LINE
    if head.counts:
        shapes.append(Text(gutter - 8, y + 13, "counts", NAME, "quiet", "end", COUNTS))
        y += LINE
    if head.cells.kind != "selected":
        shapes += _legend(head, gutter, y + 6)
        y += 26
    return ShapeGroup(0, 0, gutter + max(rows * side, 430), y + 4, shapes)


def _legend(head: HeadGrid, x: float, y: float) -> list[Shape]:
    """The scale of the shades, with its ends."""
    kind = head.cells.kind
    low = {"weights": "0", "density": ">0"}.get(kind, f"<1/{SHARES[-1]}")
    shades = range(SEEN if kind == "density" else 1, LEVELS + 1)
    meaning = {"density": "share selected", "average": "weight of a key"}.get(kind, "weight")
    if kind == "weights" and head.cells.step > 1:
        meaning = "mean weight"
    if head.cells.sampled:
        meaning += ", sampled"
    shapes: list[Shape] = [Text(x, y + 9, low, 10, "quiet")]
    x += width(low, 10) + 5
    shapes += [Box(x + 16 * index, y, 16, 11, f"shade{k}") for index, k in enumerate(shades)]
    return [*shapes, Text(x + 16 * len(shades) + 5, y + 9, f"1   {meaning}", 10, "quiet")]
