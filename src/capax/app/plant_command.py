"""`capax plant TASK`: small models in exact integers that solve a task of the limits, or that cannot."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from capax.app.process.output import print_json, print_text, say
from capax.app.protocol_command import Json
from capax.errors import CapaxError, nearest

if TYPE_CHECKING:
    from capax.model.model import Model

KINDS = ("random", "solves", "side-by-side")
TASKS = ("composition", "match3", "parity", "sparse-averaging", "sequential-composition", "triangle-graph")


def planted(task: str, kind: str, sizes: dict[str, Any], seed: int) -> "Model":
    """A small model for a task: of random weights, or one that solves it."""
    from capax.limits.witnesses.models.plant import plant

    if task not in TASKS:
        near = nearest(task, list(TASKS))
        hint = f"did you mean {near}?" if near else f"known are {', '.join(TASKS)}"
        raise CapaxError("bad-option", f"no model is planted for {task!r:.60}", hint=hint)
    if kind not in KINDS:
        raise CapaxError("bad-option", f"there is no kind {kind!r:.60}", hint=f"known are {', '.join(KINDS)}")
    return plant(task, kind, sizes, seed)


def register(app: typer.Typer) -> None:
    """Adds the command to the command line."""
    app.command(name="plant")(_plant)


def _plant(
    task: Annotated[str, typer.Argument(metavar="TASK", help=", ".join(TASKS))],
    output: Annotated[str, typer.Option("-o", "--output", metavar="FILE", help="The .safetensors file to write.")],
    kind: Annotated[str, typer.Option("--kind", help="random, solves, or side-by-side (composition).")] = "random",
    n: Annotated[int, typer.Option("--n", help="The size of the task.")] = 8,
    modulus: Annotated[int, typer.Option("--modulus", help="Of match3; 0 for 8n.")] = 0,
    queries: Annotated[str, typer.Option("--queries", help="Of sequential-composition: n_1,n_2,...")] = "2",
    layers: Annotated[int, typer.Option("--layers", help="Of a random model.")] = 1,
    heads: Annotated[int, typer.Option("--heads", help="Of a random model.")] = 1,
    dim: Annotated[int, typer.Option("--dim", help="Of a random model's heads (or keys).")] = 2,
    numbers: Annotated[str, typer.Option("--numbers", help="Of a random model.")] = "integer:8,4,4",
    seed: Annotated[int, typer.Option("--seed", help="Of a random model.")] = 0,
    as_json: Json = False,
) -> None:
    """Make a small model in exact integers, with its token layout declared: random weights, or one that solves a task.

    For sparse-averaging n is q; for match3 it is the bits of each player.

    Example: capax plant composition --n 16 --heads 1 --dim 2 -o layer.safetensors
    """
    from capax.app.files.models import save_model

    if not output.endswith(".safetensors"):
        raise CapaxError(
            "bad-option", f"a model is kept in a .safetensors file, not in {output}", hint="-o NAME.safetensors"
        )
    shape = {"layers": layers, "heads": heads, "dim": dim}
    for name, value in {"n": n, **shape}.items():
        if not 1 <= value <= 4096:
            raise CapaxError("bad-option", f"--{name} is a whole number from 1 to 4,096, not {value}")
    if seed < 0:
        raise CapaxError("bad-option", f"a seed is a whole number from 0 on, not {seed}")
    sizes = {"n": n, "modulus": modulus, "queries": queries, "numbers": numbers, **shape}
    model = planted(task, kind, sizes, seed)
    save_model(model, output)
    if as_json:
        print_json({"file": output, "layout": dict(model.provenance.layout or {}), "size": model.size.to_json()})
    else:
        print_text(repr(model)[1:-1])
        say(f"written to {output}")
