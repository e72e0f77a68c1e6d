"""Texts in columns, and facts with their names, as several commands print them."""

from collections.abc import Collection, Sequence
from textwrap import wrap
from typing import Final

WIDTH: Final = 100


def columns(rows: Sequence[Sequence[str]], right: Collection[int] = ()) -> list[str]:
    """Rows of texts as lines, in columns; the columns of `right` are set to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if index in right else cell.ljust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def fact(name: str, text: str) -> list[str]:
    """A name and its text, wrapped."""
    return wrap(text, WIDTH, initial_indent=f"{name:<10} ", subsequent_indent=" " * 11)
