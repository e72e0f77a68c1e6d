"""Views of many large grids with fewer cells, so that the text of a picture stays small."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from capax.draw.ink.palette import LEVELS
from capax.draw.view.view import FULL, Cells, Flow, HeadGrid, Kind, SideBySide, View, grids, size_of

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

    Shares = NDArray[float64]

MOST: Final = 700_000
"""How many characters the cells of a picture may take; the rest of it takes less than what is left of a megabyte."""
STROKE: Final = 7
"""The characters of a run of cells in a path."""
RUN: Final = 3
"""The characters of a run of pairs in the data for hovering, where equal rows are told once."""
WEIGHT: Final = 5
"""The characters of a weight or share there."""


def coarse(view: View) -> View:
    """The view itself, or one whose cells stand for more pairs where the picture would grow too large."""
    if size_of(view) <= FULL:
        return view
    heads = grids(view)
    # Where every cell is a run of its own, half of them are drawn.
    if sum(len(head.cells.rows) ** 2 for head in heads) * (STROKE / 2 + WEIGHT) <= MOST:
        return view
    shares = [_shares(head.cells) for head in heads]
    step = 1
    joined = shares
    while sum(_length(share) for share in joined) > MOST and any(len(share) > 1 for share in joined):
        step += 1
        joined = [_joined(share, head.cells, step) for share, head in zip(shares, heads, strict=True)]
    if step == 1:
        return view
    return _with(view, [_head(head, share, step) for head, share in zip(heads, joined, strict=True)])


def _shares(cells: Cells) -> "Shares":
    """What a cell of a coarser view is the mean of: whether a pair is selected, or its weight."""
    import numpy as np

    weights: Shares = np.array(cells.rows)
    return (weights > 0).astype(float) if cells.kind == "average" else weights


def _length(shares: "Shares") -> int:
    """About how many characters the cells take: strokes along rows or columns, and the rows for hovering."""
    import numpy as np

    shades = np.ceil(shares * LEVELS).astype(np.uint8)
    strokes = min(_changes(shades), _changes(shades.T))
    different = {row.tobytes(): index for index, row in enumerate(shares)}
    number = RUN if ((shares == 0) | (shares == 1)).all() else WEIGHT
    return STROKE * strokes // 2 + number * _changes(shares[list(different.values())])


def _changes(rows: Any) -> int:
    return int((rows[:, 1:] != rows[:, :-1]).sum()) + len(rows)


def _joined(shares: "Shares", cells: Cells, step: int) -> "Shares":
    """The means of blocks of `step` by `step` cells."""
    import numpy as np

    # In an overview the last cell may stand for fewer pairs than the others.
    sizes = np.minimum(cells.step, cells.size - cells.step * np.arange(len(shares)))
    starts = np.arange(0, len(shares), step)
    totals = np.add.reduceat(np.add.reduceat(shares * np.outer(sizes, sizes), starts, axis=0), starts, axis=1)
    wide = np.add.reduceat(sizes, starts)
    means: Shares = totals / np.outer(wide, wide)
    return means


def _head(head: HeadGrid, shares: "Shares", step: int) -> HeadGrid:
    kind: Kind = "weights" if head.cells.kind == "weights" else "density"
    rows = tuple(map(tuple, shares.tolist()))
    return replace(head, cells=replace(head.cells, kind=kind, step=head.cells.step * step, rows=rows), shares=())


def _with(view: View, heads: list[HeadGrid]) -> View:
    """The view with other heads, in the order in which they are drawn."""
    if isinstance(view, Flow):
        rest = iter(heads)
        layers = tuple(replace(layer, heads=tuple(next(rest) for _ in layer.heads)) for layer in view.layers)
        return replace(view, layers=layers)
    if isinstance(view, SideBySide):
        return replace(view, left=heads[0], right=heads[1])
    return heads[0]
