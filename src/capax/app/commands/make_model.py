"""`capax make-model TASK`: small models in exact integers that solve a task of the limits, or that cannot."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from capax.app.commands._result import finish
from capax.app.options import Json, check_output, choice, count
from capax.errors import CapaxError

if TYPE_CHECKING:
    from capax.model.model import Model

GROUP: Final = ("What they cannot", 3)
MOST: Final = 4096


@dataclass(frozen=True, slots=True)
class ModelMade:
    """A toy model and the file that it was written to."""

    model: "Model"
    file: str

    def to_json(self) -> dict[str, Any]:
        """The file, the token layout and the size, as plain data."""
        return {
            "file": self.file,
            "layout": dict(self.model.provenance.layout or {}),
            "size": self.model.size.to_json(),
        }

    def render(self) -> str:
        """The model in a line."""
        line = repr(self.model)[1:-1]
        layout = self.model.provenance.layout or {}
        if "queries" not in layout:
            return line
        from capax.tasks.sequential_composition import layout_of

        tables, layers = layout_of(int(layout["n"]), str(layout["queries"])).steps, self.model.depth
        if tables == layers:
            return line
        note = f"note: {count(tables, 'table')} and {count(layers, 'layer')}; capax induction needs as many layers as"
        return f"{line}\n{note} tables: --layers {tables}"


def command(
    task: Annotated[
        str,
        typer.Argument(
            metavar="TASK",
            help="composition, match3, parity, sparse-averaging, sequential-composition, triangle-graph",
        ),
    ],
    output: Annotated[str, typer.Option("-o", "--output", metavar="FILE", help="The .safetensors file to write.")],
    kind: Annotated[
        str,
        choice(
            "--kind",
            choices=("random", "solves", "side-by-side", "directed"),
            help="side-by-side is for composition, directed for triangle-graph.",
        ),
    ] = "random",
    n: Annotated[int, typer.Option("--n", help="The size of the task.")] = 8,
    modulus: Annotated[int, typer.Option("--modulus", help="The modulus of match3; 0 for 8n.")] = 0,
    queries: Annotated[str, typer.Option("--queries", help="The queries of sequential-composition: n_1,n_2,...")] = "2",
    layers: Annotated[int, typer.Option("--layers", help="The number of layers of a random model.")] = 1,
    heads: Annotated[int, typer.Option("--heads", help="The heads per layer of a random model.")] = 1,
    dim: Annotated[int, typer.Option("--dim", help="The head (or key) dimension of a random model.")] = 2,
    dtype: Annotated[str, typer.Option("--dtype", help="The number system of a random model.")] = "integer:8,4,4",
    seed: Annotated[int, typer.Option("--seed", help="The seed of a random model.")] = 0,
    as_json: Json = False,
) -> None:
    """Make a small model in exact integers, with its token layout declared: random weights, or one that solves a task.

    For sparse-averaging n is q; for match3 it is the number of bits of each player.

    Example: capax make-model composition --n 16 --heads 1 --dim 2 -o layer.safetensors
    """
    from capax.app.files.models import save_model
    from capax.limits.witnesses.models.toy_model import ToySizes, toy_model

    check_output(output)
    for name, value in {"n": n, "layers": layers, "heads": heads, "dim": dim}.items():
        if not 1 <= value <= MOST:
            raise CapaxError("bad-option", f"--{name} is a whole number from 1 to {MOST:,}, not {value}")
    if seed < 0:
        raise CapaxError("bad-option", f"a seed is a whole number from 0 on, not {seed}")
    result = ModelMade(toy_model(task, kind, ToySizes(n, modulus, queries, layers, heads, dim, dtype), seed), output)
    save_model(result.model, output)
    finish(result, as_json=as_json, written=output)
