"""The picture of a monoid: its egg-boxes, those of more general words above."""

from collections import defaultdict

from capax.draw.shapes.sketch import Sketch
from capax.draw.shapes.text_width import shorten, width
from capax.errors import CapaxError
from capax.formal.automata.green import EggBox
from capax.formal.automata.monoid import Monoid

LETTERS, ROW, GAP, LEVEL = 11.0, 15.0, 26.0, 44.0
MOST_BOXES, MOST_CELLS, MOST_WORDS = 120, 12, 4
"""The most boxes in a picture, rows or columns of a box that are shown, and words in a cell."""


def draw_monoid(monoid: Monoid, boxes: tuple[EggBox, ...], title: str) -> str:
    """A monoid as an SVG document.

    A box is a D-class: rows are R-classes, columns L-classes. In a cell stand shortest words of its elements; a cell
    with an idempotent, which is a group, is marked by a star and a colour. A box stands below those that it can be made
    from.
    """
    if len(boxes) > MOST_BOXES:
        what = f"a picture of {len(boxes):,} egg-boxes cannot be read"
        raise CapaxError("too-large", what, hint=f"monoids of up to {MOST_BOXES} egg-boxes are drawn")
    sketch, y = Sketch(title), 0.0
    for level in _levels(monoid, boxes):
        sizes = [_size(monoid, box) for box in level]
        x = -(sum(wide for wide, _ in sizes) + GAP * (len(sizes) - 1)) / 2
        for box, (wide, _) in zip(level, sizes, strict=True):
            _box(sketch, monoid, box, x, y)
            x += wide + GAP
        y += max(tall for _, tall in sizes) + LEVEL
    return sketch.svg()


def _levels(monoid: Monoid, boxes: tuple[EggBox, ...]) -> list[list[EggBox]]:
    """The boxes by the longest way to them from the identity's."""
    home = {e: at for at, box in enumerate(boxes) for row in box.cells for cell in row for e in cell}
    deep = [0] * len(boxes)
    for at, box in enumerate(boxes):  # boxes come after those that lead to them
        for e in (e for row in box.cells for cell in row for e in cell):
            for after in (*monoid.right[e], *monoid.left[e]):
                below = home[int(after)]
                if below != at:
                    deep[below] = max(deep[below], deep[at] + 1)
    levels: dict[int, list[EggBox]] = defaultdict(list)
    for at, box in enumerate(boxes):
        levels[deep[at]].append(box)
    return [levels[level] for level in sorted(levels)]


def _cell_size(monoid: Monoid, box: EggBox) -> tuple[float, float]:
    words = [line for row in box.cells[:MOST_CELLS] for cell in row[:MOST_CELLS] for line in _lines(monoid, cell)]
    wide = max(width(line, LETTERS) for line in words) + LETTERS + 12
    return wide, ROW * min(box.cell_size, MOST_WORDS + 1) + 8


def _size(monoid: Monoid, box: EggBox) -> tuple[float, float]:
    wide, tall = _cell_size(monoid, box)
    return wide * min(box.columns, MOST_CELLS), tall * min(box.rows, MOST_CELLS) + ROW


def _box(sketch: Sketch, monoid: Monoid, box: EggBox, x: float, y: float) -> None:
    wide, tall = _cell_size(monoid, box)
    groups = set(box.groups)
    for r, row in enumerate(box.cells[:MOST_CELLS]):
        for c, cell in enumerate(row[:MOST_CELLS]):
            left, top, star = x + c * wide, y + r * tall, (r, c) in groups
            what = f"{len(cell)} element{'s' * (len(cell) != 1)}" + (", a group" if star else "")
            sketch.box(left, top, wide, tall, "shade1" if star else "panel", title=what)
            for at, line in enumerate(_lines(monoid, cell)):
                sketch.text(left + 6, top + ROW * (at + 0.95), line, LETTERS, "name", "start")
            if star:
                sketch.text(left + wide - 6, top + ROW * 0.95, "*", LETTERS, "result", "end")
    hidden = box.rows > MOST_CELLS or box.columns > MOST_CELLS
    note = f"{box.rows} × {box.columns}" + (f", {MOST_CELLS} shown" if hidden else "")
    sketch.text(x, y + tall * min(box.rows, MOST_CELLS) + ROW, note, LETTERS - 1, "quiet", "start")


def _lines(monoid: Monoid, cell: tuple[int, ...]) -> list[str]:
    words = [shorten("".join(monoid.word(e)) or "ε", 12 * LETTERS, LETTERS) for e in cell[:MOST_WORDS]]
    return words if len(cell) <= MOST_WORDS else [*words, f"and {len(cell) - MOST_WORDS:,} more"]
