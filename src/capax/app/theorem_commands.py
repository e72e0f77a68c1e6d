"""`capax theorems` and `capax theorem NAME`: options, and the same as functions of plain data."""

from typing import Annotated, Any

import typer

from capax import theorems as shelf
from capax.app.process.output import print_json, print_text, say
from capax.errors import CapaxError

ENDING = ".safetensors"
Json = Annotated[bool, typer.Option("--json", help="Print the result alone, as JSON.")]


def list_theorems() -> list[dict[str, Any]]:
    """Every theorem: its name, statement, assumptions, parameters and source."""
    return [shelf.theorem(name).to_json() for name in shelf.names()]


def run_theorem(name: str, given: dict[str, Any], output: str | None = None) -> dict[str, Any]:
    """A theorem built and checked at given parameters; the model goes to `output` if that is a file."""
    from capax.app.files.models import save_model

    if output is not None and not output.endswith(ENDING):
        raise CapaxError("bad-option", f"a model is kept in a {ENDING} file, not in {output}", hint=f"-o NAME{ENDING}")
    outcome = shelf.theorem(name).run(**given)
    if output is not None:
        save_model(outcome.model, output)
    return outcome.to_json() | {"file": output, "size_table": str(outcome.model.size), "text": str(outcome.check)}


def break_theorem(name: str, given: dict[str, Any]) -> dict[str, Any]:
    """The failure of a theorem without one of its assumptions, at given parameters."""
    theorem = shelf.theorem(name)
    report = theorem.broken(**given)
    at = theorem.settle(given)
    result = {"at": at, "breaks": theorem.breaks, "broken": not report.holds, "check": report.to_json()}
    return theorem.to_json() | result | {"text": str(report)}


def theorems_page() -> str:
    """The reference page, from running every theorem at its defaults."""
    from capax.theorems.base.page import page

    return page(shelf.theorem(name).run() for name in shelf.names())


def parameters_of(words: list[str], command: str = "theorem") -> dict[str, str]:
    """The parameters of a command line: `--name value` and `--name=value`."""
    found: dict[str, str] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        name, equals, value = word.removeprefix("--").partition("=")
        if not word.startswith("--") or not name or (not equals and not rest):
            hint = f"parameters are written --name value; `capax {command} NAME --help` shows an example"
            raise CapaxError("bad-option", f"{word!r:.60} is no parameter with a value", hint=hint)
        found[name.replace("-", "_")] = value if equals else rest.pop(0)
    return found


def register(app: typer.Typer) -> None:
    """Adds the two commands to the command line."""
    app.command(name="theorems")(_theorems)
    settings = {"allow_extra_args": True, "ignore_unknown_options": True}
    app.command(name="theorem", context_settings=settings)(_theorem)


def _theorems(
    page: Annotated[bool, typer.Option("--page", help="Run all of them and print the reference page.")] = False,
    as_json: Json = False,
) -> None:
    """List the positive results: what transformers can do, as code that builds and checks it.

    Example: capax theorems
    """
    if page:
        print_text(theorems_page().removesuffix("\n"))
    elif as_json:
        print_json(list_theorems())
    else:
        from capax.app.show_theorem import show_list

        print_text(show_list(list_theorems()))


def _theorem(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="A theorem; `capax theorems` lists them.")],
    break_it: Annotated[
        bool, typer.Option("--break", help="Give up an assumption or a part of the model: the failure.")
    ] = False,
    output: Annotated[
        str | None, typer.Option("-o", "--output", metavar="FILE", help="The .safetensors file to write.")
    ] = None,
    as_json: Json = False,
) -> None:
    """State a theorem, build its model, check it and show its sizes beside the bounds. Exit code 1 if it fails.

    Its parameters are options of their own: `--name value`. With --break: exit code 1 if nothing fails.

    Example: capax theorem ngram-heads --order 4 --attention softmax -o lm.safetensors
    """
    from capax.app.show_theorem import show_broken, show_outcome

    given = parameters_of(context.args)
    if break_it and output is not None:
        raise CapaxError("bad-option", "-o does not go with --break", hint="leave one of them out")
    result = break_theorem(name, given) if break_it else run_theorem(name, given, output)
    shown = {key: value for key, value in result.items() if key not in ("size_table", "text")}
    print_json(shown) if as_json else print_text(show_broken(result) if break_it else show_outcome(result))
    if output is not None and not as_json:
        say(f"written to {output}")
    if not result["broken" if break_it else "holds"]:
        raise typer.Exit(1)
