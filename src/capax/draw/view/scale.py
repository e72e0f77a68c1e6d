"""How large the cells of a picture are, from the length of the word and the texts that they hold."""

from collections.abc import Iterable
from dataclasses import dataclass

from capax.draw.shapes.measure import width
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
