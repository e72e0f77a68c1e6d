"""What ink is put on: texts, boxes and grids of cells at their places, in groups that can be moved as one."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from capax.draw.shapes.measure import width
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
