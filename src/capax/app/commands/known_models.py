"""`capax known-models`: what the limits say of models of the sizes of well-known ones."""

from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from capax.app.commands._columns import WIDTH, columns
from capax.app.commands._result import finish
from capax.app.options import Json
from capax.errors import CapaxError, nearest

if TYPE_CHECKING:
    from capax.limits.known.table import KnownRow

GROUP: Final = ("What they cannot", 8)
NOTES: Final = (
    "d H p = n^e with the context as n; small means e below {threshold:g}, a threshold that you choose, as n^o(1) says "
    "nothing about a single n.",
    "Each number is the length from which on a limit says impossible: composition and match3 about one layer of these "
    "sizes, not about the whole model; averages (sparse-averaging) and triangles (triangle-graph) about all layers. "
    "* is within the context.",
    "Sequential composition is about all layers of a decoder. Its prompt has about 2^(the last column) tokens: it is "
    "vacuous for every model here.",
    "Where a limit does not bind, that does not mean that the model can do it.",
)


@dataclass(frozen=True, slots=True)
class KnownTable:
    """Some models with what the limits say of them."""

    rows: tuple["KnownRow", ...]
    threshold: float

    def to_json(self) -> list[dict[str, Any]]:
        """The rows as plain data."""
        return [row.to_json() for row in self.rows]

    def render(self) -> str:
        """The table, what its columns mean, and the sources."""
        head = ["model", "L", "H", "d", "context", "d H p", "e", "size"]
        cells = [[*head, "composition", "match3", "averages", "triangles", "sequential, log2"]]
        cells += [_cells(row) for row in self.rows]
        lines = [*columns(cells, right=(1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12)), ""]
        for note in NOTES:
            lines += wrap(note.format(threshold=self.threshold), WIDTH)
        lines += ["", "Sizes: cited, not checked here against the texts below.", ""]
        sources = dict.fromkeys(row.model.source for row in self.rows)
        for source in sources:
            names = ", ".join(row.model.name for row in self.rows if row.model.source == source)
            lines += wrap(f"{names}: {source}", WIDTH, subsequent_indent="  ")
        return "\n".join(lines)


def _cells(row: "KnownRow") -> list[str]:
    model = row.model
    numbers = [f"{n:,}" for n in (model.layers, model.heads, model.dim, model.context, row.message)]
    binds = (2 * row.composition + 1, row.match3, row.sparse_averaging, row.triangles)
    deep = "-" if row.log2_sequential is None else f"{row.log2_sequential:.3g}"
    starred = [f"{least:,}{'*' if row.within(least) else ' '}" for least in binds]
    return [model.name, *numbers, f"{row.exponent:.2f}", row.size, *starred, deep]


def known_table(name: str | None, bits: int, threshold: float) -> KnownTable:
    """All models, or the one of a name."""
    from capax.limits.known.table import known_models, known_row

    if not 1 <= bits <= 1024:
        raise CapaxError("bad-option", f"--bits is a whole number from 1 to 1,024, not {bits}")
    if not 0 <= threshold <= 10:
        raise CapaxError("bad-option", f"--threshold is a number from 0 to 10, not {threshold:g}")
    models = known_models()
    if name is not None:
        models = tuple(model for model in models if model.name.lower() == name.lower())
        if not models:
            names = [model.name for model in known_models()]
            near = nearest(name, names)
            hint = f"did you mean {near}?" if near else f"known are {', '.join(names)}"
            raise CapaxError("bad-option", f"there is no model {name!r:.60} here", hint=hint)
    return KnownTable(tuple(known_row(model, bits, threshold) for model in models), threshold)


def command(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="One of the models; without it, all.")] = None,
    bits: Annotated[int, typer.Option("--bits", help="The bits p of a number.")] = 16,
    threshold: Annotated[
        float, typer.Option("--threshold", help="d H p = n^e is called small for e below this.")
    ] = 0.1,
    as_json: Json = False,
) -> None:
    """List well-known models by their public sizes: small or large, and from which length on each limit binds.

    Example: capax known-models --bits 8
    """
    finish(known_table(name, bits, threshold), as_json=as_json)
