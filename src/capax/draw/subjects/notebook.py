"""How programs, their values, schedules and the library show themselves in a notebook, on the running example.

`capax/display.py` names `bundle` as the renderer of these classes, which know nothing of pictures.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from capax.draw.ink.html import fragment
from capax.draw.ink.svg import svg
from capax.draw.subjects.card import function_card
from capax.draw.view.flow import flow_of, picture_of
from capax.draw.view.rows import show
from capax.draw.view.triples import MOST_SLICES
from capax.draw.view.view import CELLS, NOWHERE, Cells, HeadGrid, Row, RowTable, View
from capax.errors import CapaxError
from capax.rasp.analysis.schedule import Schedule
from capax.rasp.ir.types import Atom
from capax.rasp.meaning.reference import read_word
from capax.rasp.meaning.sequence import Matrix, Sequence, Triples
from capax.rasp.python.program import Program
from capax.rasp.text.module import TextFunction

_example: list[Atom] = list("hello")


def set_example(word: Iterable[Any]) -> None:
    """Sets the word on which notebooks show programs; "hello" at first."""
    _example[:] = read_word(word)


def example() -> list[Atom]:
    """The word on which notebooks show programs."""
    return list(_example)


def bundle(value: Any) -> dict[str, str]:
    """The forms of a program, value or schedule that a notebook can choose from, by media type.

    A program that fails on the running example has none, and the notebook shows its text.
    """
    if isinstance(value, TextFunction):
        return function_card(value, _example)
    try:
        view = view_of(value)
    except CapaxError:
        return {}
    return {"text/html": fragment(view), "image/svg+xml": svg(view)}


def view_of(value: Any) -> View:
    """The picture of a program or schedule on the running example, or of a value."""
    match value:
        case Program():
            return picture_of(value, _example)
        case Schedule():
            return flow_of(value, _example)
        case Sequence():
            return RowTable("", (_positions(len(value)), _values(value)))
        case Matrix():
            return _matrix(value)
        case Triples():
            return _triples(value)
        case _:
            raise CapaxError("bad-option", f"there is no picture of {type(value).__name__}")


def _values(sequence: Sequence) -> Row:
    texts = tuple(show(value) for value in sequence.values[:CELLS])
    return _row("value", texts, sequence.type, len(sequence), is_result=True)


def _positions(size: int) -> Row:
    return _row("position", tuple(map(str, range(min(size, CELLS)))), "ints", size)


def _row(name: str, texts: tuple[str, ...], type: str, size: int, *, is_result: bool = False) -> Row:
    short = size <= CELLS
    return Row(name, texts if short else (), type, size, NOWHERE, is_result=is_result, ends=() if short else texts[:8])


def _matrix(matrix: Matrix) -> HeadGrid:
    if len(matrix) > CELLS:
        raise CapaxError("bad-option", f"a matrix of {len(matrix)} rows is not drawn")
    rows = tuple(tuple(map(float, row)) for row in matrix.rows)
    row = _positions(len(matrix))
    return HeadGrid("", "selected pairs", "", (row,), (row,), Cells("selected", len(matrix), 1, rows))


def _triples(triples: Triples) -> HeadGrid:
    n = len(triples)
    if n > MOST_SLICES:
        raise CapaxError("bad-option", f"triples of {n} queries are not drawn")
    rows = tuple(tuple(sum(line) / (sum(map(sum, row)) or 1) for line in row) for row in triples.rows)
    place = _positions(n)
    slices = tuple(replace(_matrix(triples.slice(query)), name=f"query {query}") for query in range(n))
    return HeadGrid("", "selected pairs of keys", "", (place,), (place,), Cells("weights", n, 1, rows), slices=slices)
