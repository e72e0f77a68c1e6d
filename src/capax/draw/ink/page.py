"""The shapes of a whole view: a page with a title, boxes for layers, what is in them, and arrows beside them."""

from dataclasses import dataclass

from capax.draw.shapes.arrows import Route, Wiring, ports, routes, wires, wiring
from capax.draw.shapes.head_shapes import head_shapes
from capax.draw.shapes.layer_shapes import flow_shapes, table_shapes
from capax.draw.shapes.lines import NAME
from capax.draw.shapes.shapes import Box, Shape, ShapeGroup, Text
from capax.draw.shapes.sides import side_shapes
from capax.draw.shapes.text_width import wrap
from capax.draw.view.view import Flow, HeadGrid, RowTable, SideBySide, View, head_item

EDGE = 16
GAP = 14
"""Between the boxes of layers."""


@dataclass(frozen=True, slots=True)
class Page:
    """A view as one group of shapes that starts at 0, 0, and the lines of its arrows."""

    top: ShapeGroup
    routes: tuple[Route, ...] = ()


def page(view: View) -> Page:
    """A view as shapes."""
    match view:
        case Flow():
            return _flow(view)
        case HeadGrid():
            return Page(_page("", [], [head_shapes(view)]))
        case RowTable():
            return Page(_page("", [], [table_shapes(view.rows)]))
        case SideBySide():
            return Page(_page(view.title, [], [side_shapes(view)]))


def _flow(view: Flow) -> Page:
    parts = flow_shapes(view)
    inner = max(320, *(p.width for p in parts))
    # The lanes are assigned on layers below each other, and only then is known how far to the right these begin.
    plan = wiring(view.arrows, ports(_stack(parts, inner, 0, 0)))
    names, layers = _items(view)
    notes = [_cost(view), *_note(plan, names)]
    head = _heading(f"{view.title}({view.word})", notes, inner + plan.width)
    stack = _stack(parts, inner, EDGE + plan.width, EDGE + head.height)
    plan = plan.moved(stack.x, stack.y)
    wide, tall = stack.x + inner + EDGE, stack.y + stack.height + EDGE
    top = ShapeGroup(0, 0, round(wide), round(tall), [head.at(EDGE, EDGE), stack, *wires(plan, layers, names)])
    return Page(top, tuple(routes(plan)))


def _items(view: Flow) -> tuple[dict[str, str], dict[str, int]]:
    """The names and the layers of the items of a flow, heads among them."""
    names: dict[str, str] = {}
    layers: dict[str, int] = {}
    for layer in view.layers:
        for head in layer.heads:
            names[head_item(head.label)] = head_item(head.label)
            layers[head_item(head.label)] = layer.number
        for row in (*layer.feed_forward, *(output for head in layer.heads for output in head.outputs)):
            names[row.item], layers[row.item] = row.name, layer.number
    return names, layers


def _note(plan: Wiring, names: dict[str, str]) -> list[str]:
    """What is said where arrows are left out."""
    if not plan.left_out:
        return []
    some = ", ".join(names[item] for item in plan.left_out)
    return [f"no arrows from {some}: the mark beside a name says which layer it comes from"]


def _cost(view: Flow) -> str:
    """How many layers and heads a flow has."""
    layers = sum(1 for layer in view.layers if layer.number)
    heads = sum(len(layer.heads) for layer in view.layers)
    return f"{_count(layers, 'layer')}, {_count(heads, 'head')}, {_count(view.size, 'position')}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _heading(title: str, below: list[str], room: float) -> ShapeGroup:
    """The title of a page and lines below it, with the room to what follows."""
    shapes: list[Shape] = []
    y = 0.0
    for line in wrap(title, room, 15, 2):
        shapes.append(Text(0, y + 13, line, 15, "title"))
        y += 20
    for note in below:
        for line in wrap(note, room, NAME, 3):
            shapes.append(Text(0, y + 9, line, NAME, "quiet", title=note if line != note else ""))
            y += 16
    return ShapeGroup(0, 0, room, y + 8, shapes)


def _stack(parts: list[ShapeGroup], wide: float, x: float, y: float) -> ShapeGroup:
    """Layers below each other, in boxes of one width."""
    shapes: list[Shape] = []
    tall = 0.0
    for part in parts:
        shapes.append(_panel(part, wide).at(0, tall))
        tall += part.height + GAP
    return ShapeGroup(x, y, wide, tall - GAP, shapes, "layers")


def _page(title: str, below: list[str], parts: list[ShapeGroup]) -> ShapeGroup:
    """Parts below each other under a title."""
    inner = max([p.width for p in parts] + [320 if title else 0])
    shapes: list[Shape] = []
    y = float(EDGE)
    if title:
        head = _heading(title, below, inner)
        shapes.append(head.at(EDGE, y))
        y += head.height
    for part in parts:
        shapes.append(part.at(EDGE, y))
        y += part.height + GAP
    return ShapeGroup(0, 0, round(inner + 2 * EDGE), round(y - GAP + EDGE), shapes)


def _panel(part: ShapeGroup, wide: float) -> ShapeGroup:
    """A layer's box as wide as the page."""
    layer = part.layer or 0
    back: list[Shape] = [
        Box(0, 0, wide, part.height, "panel", 6),
        Box(0, 0, 5, part.height, f"bar layer{layer % 6}", 2.5),
    ]
    return ShapeGroup(0, 0, wide, part.height, back + part.shapes, "layer", layer)
