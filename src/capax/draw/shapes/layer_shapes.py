"""The shapes of a layer: heads beside each other, the feed-forward rows below them, and free ways for arrows.

Above a line of heads there is a way to each head but the first, which arrows reach from the left. Below it there
is a way from each output. Ways that end farther to the right lie farther from the heads, so that none cross.
"""

from collections.abc import Sequence

from capax.draw.shapes.head_shapes import head_shapes
from capax.draw.shapes.lines import NAME, Scale, label, label_width, scale_for, tip, values_line
from capax.draw.shapes.shapes import Box, Outlet, Port, Shape, ShapeGroup, Text
from capax.draw.shapes.text_width import shorten, width
from capax.draw.view.view import Flow, HeadGrid, LayerBox, Row, head_item

INDENT = 22
"""From the left edge of a layer to what is in it."""
WIDEST = 1240
"""Heads that would make a layer wider go below the others."""
WAY = 6
"""From one way to the next."""
BETWEEN = 36
"""From one head to the next."""


def flow_shapes(view: Flow) -> list[ShapeGroup]:
    """The layers of a flow, each a group that starts at 0, 0."""
    sources, targets = {arrow.source for arrow in view.arrows}, {arrow.target for arrow in view.arrows}
    return [_layer(layer, sources, targets) for layer in view.layers]


def _layer(layer: LayerBox, sources: set[str], targets: set[str]) -> ShapeGroup:
    title = f"layer {layer.number}" if layer.number else "before the first layer"
    shapes: list[Shape] = [Text(INDENT - 4, 20, title, 13, "title")]
    y, widest = 34.0, 300.0
    for line in _lines(layer.heads):
        part = _line(line, sources, targets)
        shapes.append(part.at(0, y))
        y, widest = y + part.height, max(widest, part.width)
    if layer.feed_forward:
        if layer.heads:
            shapes.append(Text(INDENT - 4, y + 20, "feed-forward", 12, "title"))
            y += 28
        table = table_shapes(layer.feed_forward)
        shapes.append(table.at(INDENT, y))
        shapes += row_ports(layer.feed_forward, INDENT, y, sources, targets)
        widest, y = max(widest, INDENT + table.width), y + table.height
    return ShapeGroup(0, 0, widest + 16, y + 12, shapes, "layer", layer.number)


def _lines(heads: Sequence[HeadGrid]) -> list[list[tuple[HeadGrid, ShapeGroup]]]:
    """The heads in lines that are not too wide."""
    lines: list[list[tuple[HeadGrid, ShapeGroup]]] = []
    x = 0.0
    for head in heads:
        shapes = head_shapes(head)
        if not lines or x + shapes.width > WIDEST:
            lines.append([])
            x = float(INDENT)
        lines[-1].append((head, shapes))
        x += shapes.width + BETWEEN
    return lines


def _line(line: list[tuple[HeadGrid, ShapeGroup]], sources: set[str], targets: set[str]) -> ShapeGroup:
    """A line of heads with the ways to them and from them."""
    labels = [head.label for head, _ in line[1:] if head_item(head.label) in targets]
    top = WAY * len(labels)
    bottom = top + max(shapes_of_head.height for _, shapes_of_head in line)
    shapes: list[Shape] = []
    x, leaving = float(INDENT), 0
    for index, (head, shapes_of_head) in enumerate(line):
        shapes.append(shapes_of_head.at(x, top))
        item = head_item(head.label)
        if item in targets:
            above = top - WAY * (labels.index(head.label) + 1) if index else 0
            shapes.append(
                Port(item, False, ((0, above), (x + 6, above), (x + 6, top + 1)) if index else _level(x, top))
            )
        for outlet in shapes_of_head.shapes:
            if isinstance(outlet, Outlet) and outlet.item in sources:
                at = (x + outlet.x, top + outlet.y)
                direct = not outlet.down and not index
                if not direct:
                    leaving += 1
                shapes.append(_way_out(outlet, at, x, bottom + WAY * leaving, direct=direct))
        x += shapes_of_head.width + BETWEEN
    gap = WAY * leaving + (WAY if leaving else 0)
    return ShapeGroup(0, 0, x - BETWEEN, bottom + gap + 6, shapes, "line")


def _level(x: float, top: float) -> tuple[tuple[float, float], ...]:
    """To the title of the first head, from the left."""
    return (0, top + 9), (x - 4, top + 9)


def _way_out(outlet: Outlet, at: tuple[float, float], head: float, below: float, *, direct: bool) -> Port:
    x, y = at
    if direct:
        return Port(outlet.item, True, ((0, y), (x, y)))
    if outlet.down:
        return Port(outlet.item, True, ((0, below), (x, below), (x, y)))
    aside = head - BETWEEN / 2 + 6
    return Port(outlet.item, True, ((0, below), (aside, below), (aside, y), (x, y)))


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
