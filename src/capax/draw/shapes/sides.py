"""The shapes of two grids beside each other, with how far they are apart at each query."""

from capax.draw.shapes.head_shapes import head_shapes
from capax.draw.shapes.lines import NAME
from capax.draw.shapes.shapes import Box, Grid, Shape, ShapeGroup, Text
from capax.draw.shapes.text_width import width
from capax.draw.view.view import SideBySide

BAR = 80
"""The length of the bar of a full difference."""
GAP = 40


def side_shapes(view: SideBySide) -> ShapeGroup:
    """A prediction, a matrix, and bars for the difference at each query."""
    left, right = head_shapes(view.left), head_shapes(view.right)
    # The titles may differ in height; the grids stand on one line.
    tops = [_grid_top(part) for part in (left, right)]
    top = max(tops)
    x = left.width + GAP
    bars_at = x + right.width + 24
    shapes: list[Shape] = [left.at(0, top - tops[0]), right.at(x, top - tops[1])]
    grid = _grid(right)
    shapes += _bars(view, bars_at, top, grid.height * len(view.left.cells.rows))
    wide = bars_at + max(BAR + 8 + width("0.000", NAME), width(_heading(view), NAME))
    return ShapeGroup(0, 0, wide, max(left.height + top - tops[0], right.height + top - tops[1]), shapes)


def _bars(view: SideBySide, x: float, y: float, tall: float) -> list[Shape]:
    shapes: list[Shape] = [Text(x, y - 6, _heading(view), NAME, "quiet")]
    each = tall / max(1, len(view.difference))
    for position, difference in enumerate(view.difference):
        middle = y + (position + 0.5) * each
        if difference > 0.0005:
            long = max(1.0, difference * BAR)
            shapes.append(
                Box(x, middle - each * 0.3, long, each * 0.6, "other", title=f"query {position}: {difference:.4f}")
            )
        if each >= 13:
            text = "0" if difference <= 0.0005 else f"{difference:.3f}"
            shapes.append(Text(x + max(1.0, difference * BAR) + 6, middle + 4, text, NAME, "quiet"))
    return shapes


def _heading(view: SideBySide) -> str:
    return f"difference, at most {max(view.difference, default=0.0):.3g}"


def _grid(group: ShapeGroup) -> Grid:
    inner_grids = [
        s for part in group.shapes if isinstance(part, ShapeGroup) for s in part.shapes if isinstance(s, Grid)
    ]
    return inner_grids[0]


def _grid_top(group: ShapeGroup) -> float:
    """How far below the top of a head its grid begins."""
    for part in group.shapes:
        if isinstance(part, ShapeGroup):
            for shape in part.shapes:
                if isinstance(shape, Grid):
                    return part.y + shape.y
    raise AssertionError("a head has a grid")
