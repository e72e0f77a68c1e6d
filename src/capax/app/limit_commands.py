"""`capax limits` and `capax limit NAME`: options, and the same as functions of plain data."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from capax import limits as shelf
from capax.app.options import Unchecked, parameters_of
from capax.app.process.output import print_json, print_text, say
from capax.errors import CapaxError

if TYPE_CHECKING:
    from capax.model.model import Model

ENDINGS = (".svg", ".png", ".pdf")
Json = Annotated[bool, typer.Option("--json", help="Print the result alone, as JSON.")]


def list_limits() -> list[dict[str, Any]]:
    """Every limit: its name, statement, assumptions, parameters and source."""
    return [shelf.limit(name).to_json() for name in shelf.names()]


def run_limit(
    name: str,
    given: dict[str, Any],
    model: str | None = None,
    plot: str | None = None,
    *,
    unchecked: bool = False,
) -> dict[str, Any]:
    """What a limit says at given parameters, or of a model in a file; `plot` is a file for its picture."""
    limit = shelf.limit(name)
    if plot is not None and not plot.lower().endswith(ENDINGS):
        hint = f"the name ends with {', '.join(ENDINGS)}"
        raise CapaxError("bad-option", f"no picture can be written to {plot}", hint=hint)
    if model is not None and not limit.measures:
        raise CapaxError("bad-option", f"{name} is about sizes and takes no model", hint="leave --model out")
    loaded = _loaded(model, unchecked=unchecked)
    result = limit.run(model=loaded, **given)
    if plot is not None:
        _draw(plot, limit.picture(model=loaded, **given), name)
    texts = [row.measure for row in result.quantities]
    return result.to_json() | {"file": model, "picture": plot, "texts": texts, "at_texts": result.at}


def limits_page() -> str:
    """The reference page, from running every limit at its defaults."""
    from capax.limits.base.page import page

    return page(shelf.limit(name).run() for name in shelf.names())


def _loaded(path: str | None, *, unchecked: bool) -> "Model | None":
    if path is None:
        return None
    from capax.app.files.models import given_model

    return given_model(path, unchecked=unchecked)


def _draw(path: str, chart: Any, name: str) -> None:
    """Writes the picture of a limit, by the ending of the file's name."""
    from capax.app.commands.draw import rendered_svg
    from capax.app.files.read import write_text
    from capax.app.files.write import write_bytes
    from capax.draw.subjects.chart import draw_chart

    if chart is None:
        hint = "a limit that measures needs --model and words of two lengths" if name == "parity-sensitivity" else None
        raise CapaxError("bad-option", f"there is nothing to draw of {name} here", hint=hint)
    ending = Path(path).suffix.lower().removeprefix(".")
    if ending == "svg":
        write_text(Path(path), draw_chart(chart))
    else:
        write_bytes(Path(path), rendered_svg(draw_chart(chart, theme="light"), ending))


def register(app: typer.Typer) -> None:
    """Adds the two commands to the command line."""
    app.command(name="limits")(_limits)
    settings = {"allow_extra_args": True, "ignore_unknown_options": True}
    app.command(name="limit", context_settings=settings)(_limit)


def _limits(
    page: Annotated[bool, typer.Option("--page", help="Run all of them and print the reference page.")] = False,
    as_json: Json = False,
) -> None:
    """List the negative results: what transformers cannot do, as calculators.

    Example: capax limits
    """
    if page:
        print_text(limits_page().removesuffix("\n"))
    elif as_json:
        print_json(list_limits())
    else:
        from capax.app.show_theorem import show_list

        print_text(show_list(list_limits()))


def _limit(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="A limit; `capax limits` lists them.")],
    model: Annotated[
        str | None, typer.Option("--model", metavar="FILE", help="The model to measure, for limits that do.")
    ] = None,
    plot: Annotated[
        str | None, typer.Option("--plot", metavar="FILE", help="Draw the bound: a .svg, .png or .pdf file.")
    ] = None,
    unchecked: Unchecked = False,
    as_json: Json = False,
) -> None:
    """State a limit and compute what it says at given sizes; it may be that it says nothing.

    Its parameters are options of their own: `--name value`. Numbers may be written as 1e300 or 2^1000.

    Example: capax limit composition --heads 32 --dim 128 --bits 16 --n 10000
    """
    from capax.app.show_limit import show_result

    result = run_limit(name, parameters_of(context.args, "limit"), model, plot, unchecked=unchecked)
    if as_json:
        print_json({key: value for key, value in result.items() if key not in ("texts", "at_texts")})
    else:
        print_text(show_result(result))
    if plot is not None:
        say(f"{plot}: drawn")
