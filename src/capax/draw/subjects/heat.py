"""Grids of weights: a matrix as a head, and a program's prediction beside it."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from capax.draw.view.flow import flow, picture_of
from capax.draw.view.rows import show
from capax.draw.view.view import CELLS, NOWHERE, Cells, HeadGrid, Row, SideBySide, pick
from capax.errors import CapaxError
from capax.rasp.ir.types import sequence_type
from capax.rasp.meaning.reference import read_word
from capax.rasp.python.program import Program


def heat(matrix: Sequence[Sequence[float]], word: Iterable[Any] | None = None, *, name: str = "weights") -> HeadGrid:
    """The grid of an n x n matrix of weights from 0 to 1: lists, or a numpy array; a row for each query.

    >>> heat([[1, 0], [0.25, 0.75]], "ab").cells.rows
    ((1.0, 0.0), (0.25, 0.75))
    """
    rows = _square(matrix)
    tokens = list(range(len(rows))) if word is None else read_word(word)
    if len(tokens) != len(rows):
        raise CapaxError("bad-option", f"the matrix has {len(rows)} rows and the word {len(tokens)} tokens")
    texts = tuple(map(show, tokens))
    title = "position" if word is None else "tokens"
    row = Row(title, texts, sequence_type(tokens), len(tokens), NOWHERE)
    return HeadGrid("", name, "", (row,), (row,), Cells("weights", len(rows), 1, rows))


def _square(matrix: Sequence[Sequence[float]]) -> tuple[tuple[float, ...], ...]:
    plain: Any = matrix.tolist() if hasattr(matrix, "tolist") else matrix
    try:
        rows = tuple(tuple(float(weight) for weight in row) for row in plain)
    except (TypeError, ValueError):
        raise CapaxError("bad-option", "the weights are not a matrix of numbers") from None
    if not rows or any(len(row) != len(rows) for row in rows):
        raise CapaxError("bad-option", "the matrix of weights is not square", hint="give a row for each query")
    if len(rows) > CELLS:
        raise CapaxError("bad-option", f"a matrix of weights has at most {CELLS} rows here, not {len(rows)}")
    if not all(-1e-6 <= weight <= 1 + 1e-6 for row in rows for weight in row):
        raise CapaxError("bad-option", "a weight is not between 0 and 1", hint="give attention after the softmax")
    return rows


def side_by_side(
    program: Program,
    word: Iterable[Any],
    matrix: Sequence[Sequence[float]],
    *,
    layer: int | None = None,
    head: int = 1,
    name: str = "weights",
) -> SideBySide:
    """A head of a program on a word beside a matrix of weights, with their difference at each query.

    The head is that of the program's last step, or the one of that layer and number. The difference is half the
    sum of the absolute differences: 0 for equal weights, 1 for weights that share no key. A query that selects
    nothing predicts nothing, and differs by half of what the matrix gives.
    """
    tokens = word if isinstance(word, str) else list(word)
    left = _predicted(program, tokens, layer, head)
    right = heat(matrix, tokens, name=name)
    if left.cells.size != right.cells.size or left.cells.step != 1:
        raise CapaxError("bad-option", f"words of up to {CELLS} tokens can stand beside a matrix")
    weights = tuple(_averaged(row) for row in left.cells.rows)
    left = replace(left, cells=replace(left.cells, kind="weights", rows=weights), shares=())
    right = replace(right, keys=left.keys, queries=left.queries)
    return SideBySide(f"{left.name} and {name}", left, right, _differences(weights, right.cells.rows))


def _predicted(program: Program, word: Iterable[Any], layer: int | None, head: int) -> HeadGrid:
    if layer is not None:
        grid = pick(flow(program, word), layer, head)
        assert isinstance(grid, HeadGrid)
        return grid
    last = picture_of(program, word)
    if not isinstance(last, HeadGrid):
        raise CapaxError(
            "bad-option",
            f"the last step of `{last.title}` is element-wise and looks nowhere",
            hint="name a layer and a head",
        )
    return last


def _averaged(row: tuple[float, ...]) -> tuple[float, ...]:
    total = sum(row)
    return tuple(weight / total for weight in row) if total else row


def _differences(left: tuple[tuple[float, ...], ...], right: tuple[tuple[float, ...], ...]) -> tuple[float, ...]:
    return tuple(
        sum(abs(a - b) for a, b in zip(one, two, strict=True)) / 2 for one, two in zip(left, right, strict=True)
    )
