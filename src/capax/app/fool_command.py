"""`capax fool MODEL` and `capax check-witness FILE MODEL`: inputs that fool a model, and a second look at them."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from capax.app import plant_command, protocol_command
from capax.app.files.read import read_text, write_text
from capax.app.options import Unchecked, parameters_of
from capax.app.process.output import print_json, print_text, say
from capax.app.protocol_command import ANY, Json, Numbers
from capax.errors import CapaxError

MOST_SECONDS = 86_400
LONG = 250
"""Longer words of models with several layers take the definition many seconds."""


def run_fool(
    model: str,
    task: str,
    given: dict[str, str],
    *,
    seconds: float,
    seed: int,
    numbers: str | None = None,
    unchecked: bool = False,
) -> dict[str, Any]:
    """The search for a witness against the model of a file, within some seconds."""
    from capax.app.files.models import given_model
    from capax.limits.witnesses.check.read import read_witness
    from capax.limits.witnesses.check.truths import truth
    from capax.limits.witnesses.claim import is_rounded, quantised
    from capax.limits.witnesses.search.fool import fool

    if not 0 < seconds <= MOST_SECONDS:
        raise CapaxError("bad-option", f"--seconds is a number up to {MOST_SECONDS:,}, not {seconds:g}")
    if seed < 0:
        raise CapaxError("bad-option", f"a seed is a whole number from 0 on, not {seed}")
    start = time.monotonic()
    if model.endswith(".json"):
        return _fool_net(model, task, given, lambda: (time.monotonic() - start) / seconds)
    read = given_model(model, unchecked=unchecked)
    loaded = quantised(read, numbers)
    found = fool(loaded, task, given, seed=seed, used=lambda: (time.monotonic() - start) / seconds)
    result = found.to_json() | {"model": model, "task": task, "truths": None}
    result |= {"numbers": loaded.numbers, "rounded": is_rounded(read, loaded)}
    if found.witness is not None:
        said = read_witness(json.dumps(found.witness), "the witness")
        result["truths"] = [truth(said.task, said.sizes, word, said.read_at) for word in said.inputs]
    return result


def _fool_net(file: str, task: str, given: dict[str, str], used: Callable[[], float]) -> dict[str, Any]:
    """The search for a witness against the recurrent or fully connected network of a file."""
    from capax.limits.witnesses.net import read_net
    from capax.limits.witnesses.search.nets import fool_net

    if task != "sparse-averaging" or given:
        raise CapaxError(
            "bad-option",
            "a network of this kind is asked about sparse-averaging alone, and its file says the sizes",
            hint=f"capax fool {file} --task sparse-averaging",
        )
    found = fool_net(read_net(read_text(Path(file)), file), used)
    result = found.to_json() | {"model": file, "task": task, "truths": None, "numbers": None, "rounded": False}
    if found.witness is not None:
        result["truths"] = [word[word[-1]] for word in found.witness["inputs"]]
    return result


def run_check(witness: str, model: str, *, unchecked: bool = False) -> dict[str, Any]:
    """The second look at the witness in a file, against the model of a file."""
    from capax.app.files.models import given_model
    from capax.limits.witnesses.check.check import check_witness, not_checked
    from capax.limits.witnesses.check.nets import check_net_witness, is_net_witness
    from capax.limits.witnesses.check.read import NOT_CHECKED, read_witness

    text = read_text(Path(witness))
    if model.endswith(".json") and is_net_witness(text):
        report = check_net_witness(text, read_text(Path(model)), witness)
        left_out = list(NOT_CHECKED)
    else:
        given, loaded = read_witness(text, witness), given_model(model, unchecked=unchecked)
        if loaded.depth > 1 and max(map(len, given.inputs)) > LONG:
            say("the definition goes through all pairs of places: this takes a while")
        report = check_witness(given, loaded)
        left_out = list(not_checked(loaded))
    result = {"witness": witness, "model": model, "holds": report.holds, "not_checked": left_out}
    return result | {"check": report.to_json(), "text": str(report)}


def register(app: typer.Typer) -> None:
    """Adds these commands, and those that go with them, to the command line."""
    protocol_command.register(app)
    app.command(name="fool", context_settings=ANY)(_fool)
    app.command(name="check-witness")(_check)
    plant_command.register(app)


def _fool(
    context: typer.Context,
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="A model in exact integers, or a network in a .json file.")
    ],
    task: Annotated[
        str,
        typer.Option("--task", help="composition, sparse-averaging, match3, parity, sequential-composition, ..."),
    ],
    seconds: Annotated[float, typer.Option("--seconds", help="How long to search.")] = 60.0,
    seed: Annotated[int, typer.Option("--seed", help="The seed of the search.")] = 0,
    numbers: Numbers = None,
    output: Annotated[
        str | None, typer.Option("-o", "--output", metavar="FILE", help="The .json file to write.")
    ] = None,
    unchecked: Unchecked = False,
    as_json: Json = False,
) -> None:
    """Look for two inputs that a model cannot tell apart though it should, or for a wrong answer. Exit code 1 if none.

    The model is a small one in exact integers, as those of `capax plant` are, or a recurrent or fully connected network
    in a .json file. Others are rounded by --numbers, where that can be done (not with layer norms or fractional
    positions), and the result is then about the rounded model. The token layout is declared by the model or by options
    of its own, such as `--n 8`.

    Example: capax fool layer.safetensors --task composition --seconds 10 -o witness.json
    """
    from capax.app.show_protocol import show_fooling

    given = parameters_of(context.args)
    result = run_fool(model, task, given, seconds=seconds, seed=seed, numbers=numbers, unchecked=unchecked)
    print_json(result) if as_json else print_text(show_fooling(result))
    if output is not None and result["witness"] is not None:
        write_text(Path(output), json.dumps(result["witness"], indent=1) + "\n")
        say(f"written to {output}")
    if result["witness"] is None:
        raise typer.Exit(1)


def _check(
    witness: Annotated[str, typer.Argument(metavar="FILE", help="A witness that `capax fool` wrote.")],
    model: Annotated[str, typer.Argument(metavar="MODEL", help="The model or network that it is about.")],
    unchecked: Unchecked = False,
    as_json: Json = False,
) -> None:
    """Check a witness again, by code that shares nothing with the search. Exit code 1 if it does not hold.

    Every field is worked out again and compared; those that cannot be are named as not checked.

    Example: capax check-witness witness.json layer.safetensors
    """
    result = run_check(witness, model, unchecked=unchecked)
    print_json({k: v for k, v in result.items() if k != "text"}) if as_json else print_text(result["text"])
    if not result["holds"]:
        raise typer.Exit(1)
