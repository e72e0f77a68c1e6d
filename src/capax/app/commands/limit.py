"""`capax limit NAME`: a lower bound, evaluated at given sizes."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from capax import limits
from capax.app.commands._columns import WIDTH, columns, fact
from capax.app.commands._result import finish
from capax.app.options import PARAMETERS, Json, Unchecked, parameters_of
from capax.app.process.output import say
from capax.display import Card, parts
from capax.errors import CapaxError

if TYPE_CHECKING:
    from capax.limits.base.limit import Chart, LimitResult

GROUP: Final = ("What they cannot", 2)
SETTINGS: Final = PARAMETERS
ENDINGS: Final = (".svg", ".png", ".pdf")


@dataclass(frozen=True, slots=True)
class LimitRun(Card):
    """A limit at given sizes, or of the model in `file`; `picture` is the file that it was drawn to."""

    result: "LimitResult"
    file: str | None = None
    picture: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The result as plain data."""
        return self.result.to_json() | parts(self, "file", "picture")

    @property
    def texts(self) -> list[str]:
        """The values of the quantities as people read them."""
        return [row.measure for row in self.result.quantities]

    def render(self) -> str:
        """The verdict first, then the statement, the numbers and the small print."""
        result, limit = self.result, self.result.limit
        lines = [f"{limit.name}: {limit.title}", "", *fact("verdict", result.verdict.text)]
        at = ", ".join(f"{name.replace('_', '-')} {text}" for name, text in result.at.items())
        lines += [*fact("at", at or "no parameters"), "", *wrap(limit.statement, WIDTH), ""]
        if result.quantities:
            rows = [[row.name, row.measure, row.source, row.note] for row in result.quantities]
            lines += [*columns([["quantity", "value", "source", ""], *rows]), ""]
        for text in limit.assumptions:
            lines += fact("assuming", text)
        return "\n".join(
            [
                *lines,
                *fact("unchecked", limit.unchecked),
                *fact("escapes", limit.escapes),
                *fact("citation", limit.citation),
            ]
        )


def run_limit(
    name: str,
    given: Mapping[str, Any],
    model: str | None = None,
    draw: str | None = None,
    *,
    unchecked: bool = False,
) -> LimitRun:
    """A limit at given parameters, or of a model in a file; `draw` is a file for its picture."""
    limit = limits.limit(name)
    if draw is not None and not draw.lower().endswith(ENDINGS):
        hint = f"the name ends with {', '.join(ENDINGS)}"
        raise CapaxError("bad-option", f"no picture can be written to {draw}", hint=hint)
    if model is not None and not limit.measures:
        raise CapaxError("bad-option", f"{name} is about sizes and takes no model", hint="leave --model out")
    loaded = None
    if model is not None:
        from capax.app.files.models import given_model

        loaded = given_model(model, unchecked=unchecked)
    result = limit.run(model=loaded, **given)
    if draw is not None:
        _draw(draw, limit.picture(model=loaded, **given), name)
    return LimitRun(result, model, draw)


def _draw(path: str, chart: "Chart | None", name: str) -> None:
    """Writes the picture of a limit, by the ending of the file's name."""
    from capax.app.files.text_files import write_text
    from capax.draw.subjects.chart import draw_chart
    from capax.draw.subjects.picture import rendered_svg
    from capax.model.io.atomic import write_bytes

    if chart is None:
        hint = "a limit that measures needs --model and words of two lengths" if name == "parity-sensitivity" else None
        raise CapaxError("bad-option", f"{name} has no chart here", hint=hint)
    ending = Path(path).suffix.lower().removeprefix(".")
    if ending == "svg":
        write_text(Path(path), draw_chart(chart))
    else:
        write_bytes(Path(path), rendered_svg(draw_chart(chart, theme="light"), ending))


def command(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="A limit; `capax limits` lists them.")],
    model: Annotated[
        str | None, typer.Option("--model", metavar="FILE", help="The model to measure, for limits that do.")
    ] = None,
    draw: Annotated[
        str | None, typer.Option("--draw", metavar="FILE", help="Draw the bound: a .svg, .png or .pdf file.")
    ] = None,
    unchecked: Unchecked = False,
    as_json: Json = False,
) -> None:
    """State a lower bound and evaluate it at given sizes (it may be vacuous there).

    Its parameters are options of their own: `--name value`. Numbers may be written as 1e300 or 2^1000.

    Example: capax limit composition --heads 32 --dim 128 --bits 16 --n 10000
    """
    result = run_limit(name, parameters_of(context.args, "limit"), model, draw, unchecked=unchecked)
    finish(result, as_json=as_json)
    if draw is not None:
        say(f"{draw}: drawn")
