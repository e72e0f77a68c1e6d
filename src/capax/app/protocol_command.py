"""`capax protocol NAME MODEL`: a reduction run on a model, with every bit counted."""

from typing import Annotated, Any

import typer

from capax.app.options import Unchecked, parameters_of
from capax.app.process.output import print_json, print_text, say
from capax.errors import CapaxError

Json = Annotated[bool, typer.Option("--json", help="Print the result alone, as JSON.")]
Numbers = Annotated[
    str | None,
    typer.Option("--numbers", metavar="SYSTEM", help="Run the model in these exact integers, such as integer:8,4,4."),
]
ANY = {"allow_extra_args": True, "ignore_unknown_options": True}


def run_protocol(
    name: str, model: str, given: dict[str, str], seed: int, numbers: str | None = None, *, unchecked: bool = False
) -> dict[str, Any]:
    """A run of a protocol on the model of a file; sizes that the model does not declare stand in `given`."""
    from capax.app.files.models import given_model
    from capax.limits.protocols import protocol
    from capax.limits.witnesses.claim import LAYOUTS, claim_of, quantised

    found = protocol(name)
    loaded = quantised(given_model(model, unchecked=unchecked), numbers)
    sizes = {key: value for key, value in given.items() if key in LAYOUTS[found.task]}
    rest = {key: value for key, value in given.items() if key not in sizes}
    claim = claim_of(loaded, found.task, sizes)
    outcome = found.play(loaded, claim.sizes, rest, seed)
    facts = {"title": found.title, "statement": found.statement, "citation": found.citation, "seed": seed}
    return outcome.to_json() | facts


def register(app: typer.Typer) -> None:
    """Adds the command to the command line."""
    app.command(name="protocol", context_settings=ANY)(_protocol)


def _protocol(
    context: typer.Context,
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="A protocol; without one they are listed.")] = None,
    model: Annotated[str | None, typer.Argument(metavar="MODEL", help="A model file, FILE.safetensors.")] = None,
    seed: Annotated[int, typer.Option("--seed", help="The seed of the input, where none is given.")] = 0,
    numbers: Numbers = None,
    picture: Annotated[
        str | None, typer.Option("--picture", metavar="FILE", help="Draw the transcript to an .svg file.")
    ] = None,
    unchecked: Unchecked = False,
    as_json: Json = False,
) -> None:
    """Run a reduction on a model: players that share its tokens, every message as bytes, the output compared.

    Sizes that the model does not declare, and inputs, are options of their own: `--n 8`, `--a 0110`. A run whose
    output is not that of the whole model, bit for bit, is an error.

    Example: capax protocol composition layer.safetensors --seed 1 --picture run.svg
    """
    from capax.app.show_protocol import show_run

    if name is None or model is None:
        if name is not None:
            raise CapaxError("bad-option", "give the model too", hint=f"capax protocol {name} FILE.safetensors")
        _list(as_json)
        return
    if picture is not None and not picture.endswith(".svg"):
        raise CapaxError("bad-option", f"no transcript can be drawn to {picture}", hint="the name ends with .svg")
    result = run_protocol(name, model, parameters_of(context.args), _seed(seed), numbers, unchecked=unchecked)
    print_json(result) if as_json else print_text(show_run(result))
    if picture is not None:
        from pathlib import Path

        from capax.app.files.read import write_text
        from capax.draw.subjects.transcript import draw_transcript

        write_text(Path(picture), draw_transcript(result))
        say(f"{picture}: drawn")


def _seed(seed: int) -> int:
    if seed < 0:
        raise CapaxError("bad-option", f"a seed is a whole number from 0 on, not {seed}")
    return seed


def _list(as_json: bool) -> None:
    from capax.limits.protocols import names, protocol
    from capax.limits.witnesses.claim import LAYOUTS

    found = [protocol(name) for name in names()]
    if as_json:
        print_json(
            [
                {
                    "name": p.name,
                    "title": p.title,
                    "statement": p.statement,
                    "citation": p.citation,
                    "layout": LAYOUTS[p.task],
                    "options": dict(p.options),
                }
                for p in found
            ]
        )
        return
    wide = max(len(p.name) for p in found)
    print_text("\n".join(f"{p.name.ljust(wide)}  {p.title}" for p in found))
