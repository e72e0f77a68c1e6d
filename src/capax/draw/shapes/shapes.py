"""What ink is put on: texts, boxes and grids of cells at their places, in groups that move as one; and paths."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, TypeAlias

from capax.draw.shapes.text_width import width
from capax.draw.view.view import HeadGrid

Anchor: TypeAlias = Literal["start", "middle", "end"]
Point: TypeAlias = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Text:
    """A line of text; `y` is its base line, `style` a class of the style sheet."""

    x: float
    y: float
    text: str
    size: float
    style: str = "text"
    anchor: Anchor = "start"
    title: str = ""
    row: str = ""
    """The sequence that the text names, so that all its names can be shown together."""

    @property
    def left(self) -> float:
        """The left edge."""
        wide = width(self.text, self.size)
        return self.x - {"start": 0.0, "middle": wide / 2, "end": wide}[self.anchor]

    @property
    def box(self) -> tuple[float, float, float, float]:
        """The left, top, right and bottom edges."""
        return self.left, self.y - 0.8 * self.size, self.left + width(self.text, self.size), self.y + 0.22 * self.size


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle with round corners."""

    x: float
    y: float
    width: float
    height: float
    style: str
    round: float = 0
    title: str = ""


@dataclass(frozen=True, slots=True)
class Grid:
    """The cells of a head, each `width` by `height`; `lines` are drawn between them where there is room."""

    x: float
    y: float
    width: float
    height: float
    head: HeadGrid
    lines: bool


@dataclass(frozen=True, slots=True)
class Outlet:
    """Where the arrows of a head's output begin; unseen. `down` where they leave downwards, else to the left."""

    x: float
    y: float
    item: str
    down: bool


@dataclass(frozen=True, slots=True)
class Port:
    """The free way from the left edge of a layer to an item, for arrows that go `out` of it or come in; unseen."""

    item: str
    out: bool
    points: tuple[Point, ...]

    def moved(self, x: float, y: float) -> "Port":
        """The same way elsewhere."""
        return Port(self.item, self.out, tuple((x + px, y + py) for px, py in self.points))


@dataclass(frozen=True, slots=True)
class Trunk:
    """The arrows of one source up to where they turn off: along `points`, with a dot at each of `dots`."""

    source: str
    points: tuple[Point, ...]
    dots: tuple[Point, ...]
    style: str
    title: str


@dataclass(frozen=True, slots=True)
class Tip:
    """The end of the arrows into one target, along `points` to the head of the arrow."""

    target: str
    points: tuple[Point, ...]
    style: str


@dataclass(frozen=True, slots=True)
class ShapeGroup:
    """Shapes that move together; `name` and `layer` mark what the group is."""

    x: float
    y: float
    width: float
    height: float
    shapes: "list[Shape]" = field(default_factory=list)
    name: str = ""
    layer: int | None = None

    def at(self, x: float, y: float) -> "ShapeGroup":
        """The same group elsewhere."""
        return ShapeGroup(x, y, self.width, self.height, self.shapes, self.name, self.layer)


Shape: TypeAlias = Text | Box | Grid | ShapeGroup | Outlet | Port | Trunk | Tip


def texts(group: ShapeGroup, x: float = 0, y: float = 0) -> Iterator[tuple[Text, tuple[float, float, float, float]]]:
    """Every text of a group with its edges on the page."""
    x, y = x + group.x, y + group.y
    for shape in group.shapes:
        match shape:
            case Text():
                left, top, right, bottom = shape.box
                yield shape, (x + left, y + top, x + right, y + bottom)
            case ShapeGroup():
                yield from texts(shape, x, y)


ROUND = 4
"""The radius of a corner."""
HEAD = 6.5
"""The length of the head of an arrow, which is as wide."""


@lru_cache(maxsize=8192)
def number(value: float) -> str:
    """A coordinate in as few characters as needed."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def line_path(points: Sequence[Point]) -> str:
    """The data of a line along points; its segments are level or upright."""
    parts = [f"M{_pair(points[0])}"]
    for before, corner, after in zip(points, points[1:], points[2:]):  # noqa: B905 - three neighbours at a time
        reach = min(ROUND, _length(before, corner) / 2, _length(corner, after) / 2)
        start, stop = _towards(corner, before, reach), _towards(corner, after, reach)
        parts.append(f"L{_pair(start)}Q{_pair(corner)} {_pair(stop)}")
    return "".join([*parts, f"L{_pair(points[-1])}"])


def head_path(points: Sequence[Point]) -> str:
    """The data of an arrow's head at the end of a line."""
    before, end = points[-2:]
    (x, y), (bx, by) = end, _towards(end, before, HEAD)
    across = ((by - y) / 2, (bx - x) / 2)
    left, right = (bx + across[0], by + across[1]), (bx - across[0], by - across[1])
    return f"M{_pair(end)}L{_pair(left)}L{_pair(right)}z"


def _pair(point: Point) -> str:
    return f"{number(point[0])} {number(point[1])}"


def _length(a: Point, b: Point) -> float:
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


def _towards(start: Point, end: Point, far: float) -> Point:
    """The point so far from the start on the way to the end."""
    part = far / (_length(start, end) or 1)
    return start[0] + (end[0] - start[0]) * part, start[1] + (end[1] - start[1]) * part
