"""The picture of classes of languages: the larger ones above, with the kinds of transformers that lie there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from capax.draw.shapes.sketch import Sketch
from capax.draw.shapes.text_width import width
from capax.draw.subjects.layered_graph import lay_out

NAME, SMALL, LINE = 13.0, 10.5, 14.0
DOWN, PAD = 46.0, 9.0
SIGNS = {"exactly": "=", "at_least": "≥", "at_most": "≤"}


@dataclass(frozen=True, slots=True)
class LatticeBox:
    """A class, or several that are equal: its names, what it is, and the models that lie there, with how."""

    names: tuple[str, ...]
    what: str
    models: tuple[tuple[str, str], ...] = ()

    @property
    def lines(self) -> list[str]:
        """The small lines below the names."""
        return [f"{SIGNS[how]} {model}" for how, model in self.models]

    @property
    def wide(self) -> float:
        """The width of the box."""
        return max(width(" = ".join(self.names), NAME), *(width(line, SMALL) for line in [*self.lines, ""])) + 2 * PAD

    @property
    def tall(self) -> float:
        """The height of the box."""
        return NAME + 2 * PAD + LINE * len(self.lines)


@dataclass(frozen=True, slots=True)
class LatticeLine:
    """An inclusion of two boxes, by their indices in the list; `dashed`: nobody knows whether it is strict."""

    small: int
    big: int
    dashed: bool


def draw_lattice(boxes: Sequence[LatticeBox], lines: Sequence[LatticeLine], title: str) -> str:
    """Classes as an SVG document; a dashed line is an inclusion that may be an equality."""
    visible = needed(lines)
    layout = lay_out([(box.wide, box.tall) for box in boxes], [(line.small, line.big) for line in visible], DOWN)
    at = layout.middles
    sketch = Sketch(title)
    for line in visible:
        (x0, y0), (x1, y1) = at[line.small], at[line.big]
        start, end = (x0, y0 - boxes[line.small].tall / 2), (x1, y1 + boxes[line.big].tall / 2)
        sketch.trail([start, *layout.bends[line.small, line.big], end], dashed=line.dashed)
    for box, (x, y) in zip(boxes, at, strict=True):
        left, top = x - box.wide / 2, y - box.tall / 2
        sketch.box(left, top, box.wide, box.tall, "panel", round_=6, title=box.what)
        sketch.text(x, top + PAD + 0.8 * NAME, " = ".join(box.names), NAME, "name")
        for number, line_ in enumerate(box.lines, 1):
            sketch.text(left + PAD, top + PAD + 0.8 * NAME + LINE * number, line_, SMALL, "quiet", "start")
    right = max(x + box.wide / 2 for box, (x, _) in zip(boxes, at, strict=True))
    low = max(y + box.tall / 2 for box, (_, y) in zip(boxes, at, strict=True))
    for number, text in enumerate(
        (
            "= these recognise exactly the class",
            "≥ these recognise all of it",
            "≤ these recognise nothing outside it",
            "dashed: whether the inclusion is strict is open",
        )
    ):
        sketch.text(right, low + 2 * LINE + LINE * number, text, SMALL, "quiet", "end")
    return sketch.svg()


def needed(lines: Sequence[LatticeLine]) -> list[LatticeLine]:
    """The lines that do not follow from others: no chain of other lines joins their boxes and says as much."""
    return [line for line in lines if not _chain(line, lines)]


def _chain(line: LatticeLine, lines: Sequence[LatticeLine]) -> bool:
    """Whether other lines lead from the lower box of a line to the upper, a strict one among them if it is strict."""
    todo, seen = [(line.small, line.dashed)], {(line.small, line.dashed)}
    while todo:
        at, name = todo.pop()
        for other in lines:
            after = (other.big, name or not other.dashed)
            if other.small == at and other is not line and after not in seen:
                seen.add(after)
                todo.append(after)
    return (line.big, True) in seen


def lattice_boxes(
    classes: Mapping[str, str], equal: Sequence[tuple[str, str]], models: Mapping[str, Sequence[tuple[str, str]]]
) -> tuple[list[LatticeBox], dict[str, int]]:
    """The boxes of classes, equal ones in one box, and the index of each class in the list of boxes."""
    joined: dict[str, list[str]] = {}
    for cls in classes:
        host = next((a if b == cls else b for a, b in equal if cls in (a, b) and (a if b == cls else b) in joined), cls)
        joined.setdefault(host, []).append(cls)
    boxes: list[LatticeBox] = []
    where: dict[str, int] = {}
    for names in joined.values():
        where |= dict.fromkeys(names, len(boxes))
        here = dict.fromkeys(entry for name in names for entry in models.get(name, ()))
        boxes.append(LatticeBox(tuple(names), "; ".join(classes[name] for name in names), tuple(here)))
    return boxes, where
