"""The shapes of a whole view: a page with a title, boxes for layers, and what is in them."""

from capax.draw.head_shapes import head_shapes
from capax.draw.line_shapes import NAME, label, label_width, tip, values_line
from capax.draw.measure import shorten, width, wrap
from capax.draw.scale import Scale, scale_for
from capax.draw.shapes import Box, Group, Shape, Text
from capax.draw.side_shapes import side_shapes
from capax.draw.view import Flow, HeadGrid, LayerBox, Row, RowTable, SideBySide, View

EDGE = 16
WIDEST = 1240
"""Heads that would make a layer wider go below the others."""
FORMULA = 420
"""The most room for what an element-wise result computes."""


def page(view: View) -> Group:
    """A view as one group of shapes that starts at 0, 0."""
    match view:
        case Flow():
            parts = [_layer(layer) for layer in view.layers]
            return _page(f"{view.title}({view.word})", _cost(view), parts)
        case HeadGrid():
            return _page("", "", [head_shapes(view)])
        case RowTable():
            return _page("", "", [_table(view.rows)])
        case SideBySide():
            return _page(view.title, "", [side_shapes(view)])


def _cost(view: Flow) -> str:
    """How many layers and heads a flow has."""
    layers = sum(1 for layer in view.layers if layer.number)
    heads = sum(len(layer.heads) for layer in view.layers)
    return f"{_count(layers, 'layer')}, {_count(heads, 'head')}, {_count(view.size, 'position')}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _page(title: str, below: str, parts: list[Group]) -> Group:
    """Parts below each other, joined by a line, under a title."""
    inner = max([p.width for p in parts] + [320 if title else 0])
    shapes: list[Shape] = []
    y = float(EDGE)
    if title:
        for line in wrap(title, inner, 15, 2):
            shapes.append(Text(EDGE, y + 13, line, 15, "title"))
            y += 20
        if below:
            shapes.append(Text(EDGE, y + 9, below, NAME, "quiet"))
            y += 16
        y += 8
    for place, part in enumerate(parts):
        if place:
            shapes.append(Box(EDGE + 24, y - 14, 2, 14, "spine"))
        if part.name == "layer":
            shapes.append(_panel(part, inner).at(EDGE, y))
        else:
            shapes.append(part.at(EDGE, y))
        y += part.height + 14
    return Group(0, 0, round(inner + 2 * EDGE), round(y - 14 + EDGE), shapes)


def _panel(part: Group, wide: float) -> Group:
    """A layer's box as wide as the page."""
    layer = part.layer or 0
    back: list[Shape] = [
        Box(0, 0, wide, part.height, "panel", 6),
        Box(0, 0, 5, part.height, f"bar layer{layer % 6}", 2.5),
    ]
    return Group(0, 0, wide, part.height, back + part.shapes, "layer", layer)


def _layer(layer: LayerBox) -> Group:
    shapes: list[Shape] = [
        Text(18, 20, f"layer {layer.number}" if layer.number else "before the first layer", 13, "title")
    ]
    x, y, line, widest = 18.0, 34.0, 0.0, 300.0
    for head in map(head_shapes, layer.heads):
        if x > 18 and x + head.width > WIDEST:
            x, y, line = 18.0, y + line + 20, 0.0
        shapes.append(head.at(x, y))
        line = max(line, head.height)
        widest = max(widest, x + head.width)
        x += head.width + 36
    y += line
    if layer.feed_forward:
        if layer.heads:
            shapes.append(Text(18, y + 20, "feed-forward", 12, "title"))
            y += 28
        table = _table(layer.feed_forward)
        shapes.append(table.at(18, y))
        widest, y = max(widest, 18 + table.width), y + table.height
    return Group(0, 0, widest + 16, y + 12, shapes, "layer", layer.number)


def _table(rows: tuple[Row, ...]) -> Group:
    """Rows of values in boxes, each with its name and what it computes."""
    if not rows:
        return Group(0, 0, 0, 0)
    scale = scale_for(rows[0].size, rows)
    gutter = max(label_width("", row) for row in rows) + 8
    body = rows[0].size * scale.cell if scale.is_full else 430
    shapes: list[Shape] = []
    y = 0.0
    for row in rows:
        shapes += _table_row(row, gutter, y, body, scale)
        y += 24
    formulas = [min(width(f"= {row.formula}", NAME), FORMULA) + 12 for row in rows if row.formula]
    return Group(0, 0, gutter + body + max(formulas, default=0), y, shapes)


def _table_row(row: Row, gutter: float, y: float, body: float, scale: Scale) -> list[Shape]:
    base = y + 15
    shapes: list[Shape] = list(label("", row, gutter - 8, base))
    if scale.is_full:
        shapes.append(Box(gutter, y, body, 20, "well", 3))
    shapes += values_line(row, gutter, base, scale, "output" if row.is_result else "value")
    if row.formula:
        text = shorten(f"= {row.formula}", FORMULA, NAME)
        made = ", ".join(f"{name} ({f'layer {layer}' if layer else 'input'})" for name, layer in row.uses)
        shapes.append(Text(gutter + body + 12, base, text, NAME, "quiet", title=f"{tip(row)}, from {made}"))
    return shapes
