"""The shapes of a row: its name with the layer that it comes from, its values, and the size of its cells."""

from collections.abc import Iterable
from dataclasses import dataclass

from capax.draw.shapes.shapes import Box, Shape, Text
from capax.draw.shapes.text_width import shorten, width
from capax.draw.view.view import FULL, Cells, Row

PICTURE = 600
"""The side of a grid whose cells hold no text."""


@dataclass(frozen=True, slots=True)
class Scale:
    """The width and height of a cell, and the size of the text in it; 0 where there is none."""

    cell: float
    height: float
    font: float

    @property
    def is_full(self) -> bool:
        """Whether every value is written."""
        return self.font > 0


def scale_for(size: int, rows: Iterable[Row]) -> Scale:
    """The scale for rows of values over a word of that length."""
    if size > FULL:
        return Scale(max(2.0, PICTURE // size), max(2.0, PICTURE // size), 0)
    height, font, most = (22, 12, 64) if size <= 12 else (19, 11, 46) if size <= 24 else (15, 10, 32)
    widest = max((width(value, font) for row in rows for value in row.values), default=0)
    return Scale(min(max(height, round(widest + 7)), most), height, font)


def scale_of(cells: Cells, rows: Iterable[Row]) -> Scale:
    """The scale of a grid."""
    if cells.step == 1:
        return scale_for(cells.size, rows)
    side = max(2.0, PICTURE // len(cells.rows))
    return Scale(side, side, 0)


NAME = 11
"""The size of names."""
CHIP = 9
LONGEST = 250
"""A longer name is cut."""


def chip_width(row: Row) -> float:
    """The width of the mark that says which layer a row comes from."""
    return round(width(_origin(row), CHIP) + 8) if row.layer >= 0 else 0


def _origin(row: Row) -> str:
    return f"L{row.layer}" if row.layer else "in"


def chip(row: Row, x: float, y: float) -> list[Shape]:
    """The mark of a row's layer, from `x`, on the base line `y`."""
    wide = chip_width(row)
    if not wide:
        return []
    where = f"from layer {row.layer}" if row.layer else "there before the first layer"
    return [
        Box(x, y - 9.5, wide, 12, f"chip layer{row.layer % 6}", 3),
        Text(x + wide / 2, y - 0.2, _origin(row), CHIP, "chiptext", "middle", where),
    ]


def label_width(role: str, row: Row) -> float:
    """The room that a row's label needs."""
    named = min(width(row.name, NAME), LONGEST)
    return width(role, NAME) + (7 if role else 0) + named + 5 + chip_width(row)


def label(role: str, row: Row, right: float, y: float) -> list[Shape]:
    """A row's role, name and layer, ending at `right`, on the base line `y`."""
    left = right - chip_width(row)
    name = shorten(row.name, LONGEST, NAME)
    style = "result" if row.is_result else "name"
    shapes: list[Shape] = [
        *chip(row, left, y),
        Text(left - 5, y, name, NAME, style, "end", tip(row) if name != row.name or row.formula else "", key(row)),
    ]
    if role:
        shapes.append(Text(left - 12 - width(name, NAME), y, role, NAME, "quiet", "end"))
    return shapes


def tip(row: Row) -> str:
    """What a row's name says when pointed at."""
    return f"{row.name} = {row.formula}" if row.formula else row.name


def key(row: Row) -> str:
    """What identifies a row in a picture."""
    return row.item or f"{row.name}@{row.layer}"


def values_line(row: Row, x: float, y: float, scale: Scale, style: str = "value") -> list[Shape]:
    """A row's values over the columns of a grid that begins at `x`; where they do not fit, the first ones."""
    if not scale.is_full:
        return [Text(x, y, summary(row), NAME, style, "start", f"{row.size} values")]
    shapes: list[Shape] = []
    for position, value in enumerate(row.values):
        short = shorten(value, scale.cell - 3, scale.font)
        middle = x + (position + 0.5) * scale.cell
        shapes.append(Text(middle, y, short, scale.font, style, "middle", value if short != value else ""))
    return shapes


def summary(row: Row, most: float = 420) -> str:
    """The first values of a row, and how many there are."""
    values = row.ends or row.values
    dots = " …" if row.size > FULL else ""
    count = f"{dots} ({row.size:,} {row.type})"
    return shorten(" ".join(values[:8]), most - width(count, NAME), NAME) + count
