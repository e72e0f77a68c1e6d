"""The shapes of rows one below the other: each with its name, its values and what it computes."""

from collections.abc import Sequence

from capax.draw.shapes.lines import NAME, label, label_width, tip, values_line
from capax.draw.shapes.measure import shorten, width
from capax.draw.shapes.shapes import Box, Port, Shape, ShapeGroup, Text
from capax.draw.view.scale import Scale, scale_for
from capax.draw.view.view import Row

FORMULA = 420
"""The most room for what an element-wise result computes."""
PITCH = 24
"""From one row to the next."""


def table_shapes(rows: Sequence[Row]) -> ShapeGroup:
    """Rows of values in boxes, each with its name and what it computes."""
    if not rows:
        return ShapeGroup(0, 0, 0, 0)
    scale = scale_for(rows[0].size, rows)
    gutter = max(label_width("", row) for row in rows) + 8
    body = rows[0].size * scale.cell if scale.is_full else 430
    shapes: list[Shape] = []
    y = 0.0
    for row in rows:
        shapes += _table_row(row, gutter, y, body, scale)
        y += PITCH
    formulas = [min(width(f"= {row.formula}", NAME), FORMULA) + 12 for row in rows if row.formula]
    return ShapeGroup(0, 0, gutter + body + max(formulas, default=0), y, shapes)


def _table_row(row: Row, gutter: float, y: float, body: float, scale: Scale) -> list[Shape]:
    base = y + 15
    shapes: list[Shape] = list(label("", row, gutter - 8, base))
    if scale.is_full:
        shapes.append(Box(gutter, y, body, 20, "well", 3))
    shapes += values_line(row, gutter, base, scale, "output" if row.is_result else "value")
    if row.formula:
        text = shorten(f"= {row.formula}", FORMULA, NAME)
        sources = ", ".join(f"{name} ({f'layer {layer}' if layer else 'input'})" for name, layer in row.uses)
        shapes.append(Text(gutter + body + 12, base, text, NAME, "quiet", title=f"{tip(row)}, from {sources}"))
    return shapes


def row_ports(rows: Sequence[Row], x: float, y: float, sources: set[str], targets: set[str]) -> list[Shape]:
    """The ways to the rows of a table at `x`, `y`, from the left edge at 0; apart where arrows both come and go."""
    ports: list[Shape] = []
    gutter = max((label_width("", row) for row in rows), default=0.0) + 8
    for line, row in enumerate(rows):
        end = x + gutter - 8 - label_width("", row) - 4
        middle = y + line * PITCH + 10
        apart = 4 if row.item in sources and row.item in targets else 0
        if row.item in targets:
            ports.append(Port(row.item, False, ((0, middle - apart), (end, middle - apart))))
        if row.item in sources:
            ports.append(Port(row.item, True, ((0, middle + apart), (end, middle + apart))))
    return ports
