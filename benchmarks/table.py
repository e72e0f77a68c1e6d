"""A table as Markdown, which is easy to read as it is and can be put on a page."""

import re
import sys


class Table:
    """Columns with their names, rows of texts, and a title; `print` shows it with its columns in line."""

    def __init__(self, *columns: str, title: str = "") -> None:
        self.columns, self.title = list(columns), title
        self.rows: list[list[str]] = []

    def add_row(self, *cells: object) -> None:
        """One row more; what is missing at its end is empty. Whoever waits at a terminal sees it at once."""
        row = [str(cell) for cell in cells]
        assert len(row) <= len(self.columns), row
        self.rows.append(row + [""] * (len(self.columns) - len(row)))
        if sys.stderr.isatty():
            print(*row, sep="; ", file=sys.stderr, flush=True)

    def __str__(self) -> str:
        placed = [_column([name, *cells]) for name, *cells in zip(self.columns, *self.rows, strict=True)]
        lines = [f"| {' | '.join(line)} |" for line in zip(*placed, strict=True)]
        return "\n".join([*([f"**{self.title}**", ""] if self.title else []), *lines]) + "\n"


def _column(cells: list[str]) -> list[str]:
    """A column, its cells filled up to one width: name, rule, the rest; to the right where most cells are figures."""
    name, *rest = (cell.replace("|", "\\|") for cell in cells)
    width = max(3, len(name), *map(len, rest))
    if 2 * sum(map(_figure, rest)) > len(rest):
        return [name.rjust(width), "-" * (width - 1) + ":", *(cell.rjust(width) for cell in rest)]
    return [name.ljust(width), "-" * width, *(cell.ljust(width) for cell in rest)]


def _figure(cell: str) -> bool:
    return re.fullmatch(r"[-+<>x ]*\d[\d,.e+-]*( ?\w{1,2})?|-", cell) is not None
