"""The space that n-gram models take in a transformer, as functions of length and order."""

import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from capax.app.commands._columns import WIDTH, columns
from capax.display import plain
from capax.errors import CapaxError

if TYPE_CHECKING:
    from capax.theorems.ngram.parts.space import SpaceRow

STATEMENT: Final = (
    "Theorem 5.1 of Svete and Cotterell (2024), Transformers can represent n-gram language models: for a word of T "
    "symbols, the numbers that a position holds in their construction are written with O(log T) bits. Cited from "
    "summaries of the paper, not checked here."
)
OURS: Final = (
    "Derived here: T counts the word and n - 1 paddings. `bits fit to` is the last row for which the numbers have the "
    "bits of a score. For integer scores all rows up to it are exact. For the paper's positions they are not: roots "
    "are rounded, too, and a row below it can be wrong. `wrong at` is the first row whose scores single out other rows "
    "than they should, computed row by row in that number system."
)
MOST_LENGTH: Final = 10**15
MOST_ROWS: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class NGramSpace:
    """The bits of every construction at an order and a length."""

    order: int
    length: int
    measured: int
    rows: "tuple[SpaceRow, ...]"

    def to_json(self) -> dict[str, Any]:
        """The statement and a row for each construction."""
        at = {"order": self.order, "length": self.length, "rows": self.measured}
        return {"statement": STATEMENT, "at": at, "constructions": plain(self.rows)}

    def render(self) -> str:
        """The statement, and a table."""
        heads = ["construction", "bits of a score", f"T = {self.length:,}"]
        heads += ["bits fit to, float64", "wrong at", "bits fit to, float32", "wrong at"]
        table = [heads]
        for row in self.rows:
            cells = [row.construction, row.formula, str(row.bits)]
            for numbers in ("float64", "float32"):
                cells += [f"{row.fits[numbers]:,}", self._wrong(row, numbers)]
            table.append(cells)
        units = f"besides, an MLP unit for each history: up to s^{self.order - 1} and shorter ones over s symbols"
        return "\n".join(
            [
                textwrap.fill(STATEMENT, WIDTH),
                "",
                *columns(table, right=(2, 3, 4, 5, 6)),
                "",
                textwrap.fill(OURS, WIDTH),
                units,
            ]
        )

    def _wrong(self, row: "SpaceRow", numbers: str) -> str:
        if row.encoding in ("sparsemax", "softmax"):
            return "not tried"
        wrong = row.wrong[numbers]
        return f"over {self.measured:,}" if wrong is None else f"{wrong:,}"


def space(order: int, length: int, measured: int) -> NGramSpace:
    """What each construction needs; rows up to `measured` are computed."""
    from capax.theorems.ngram.parts.one_head import refuse_order
    from capax.theorems.ngram.parts.space import space_table

    refuse_order(order)
    for value, least, most, name in ((length, 1, MOST_LENGTH, "--length"), (measured, 100, MOST_ROWS, "--rows")):
        if not least <= value <= most:
            hint = f"a whole number from {least} to {most:,}"
            raise CapaxError("bad-option", f"{name} cannot be {value}", hint=hint)
    return NGramSpace(order, length, measured, space_table(order, length, measured))
