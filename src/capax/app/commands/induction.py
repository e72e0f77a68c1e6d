"""`capax induction MODEL`: the induction of the bound for several layers, run on a toy model."""

from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from capax.app.commands._columns import WIDTH, columns
from capax.app.commands._result import finish
from capax.app.options import Json, Unchecked, count
from capax.errors import CapaxError

if TYPE_CHECKING:
    from capax.limits.induction.epochs import Induction, InductionLevel

GROUP: Final = ("What they cannot", 7)
TOY: Final = (
    "a toy: all tables of a player are tried, or a random sample of them. That the sets stay large is observed here, "
    "and not guaranteed. At the sizes of the proof nothing can be run (capax limit sequential-composition)."
)


@dataclass(frozen=True, slots=True)
class InductionRun:
    """The sets and transcripts of every level."""

    outcome: "Induction"
    layout: dict[str, Any]
    seed: int

    @property
    def finished(self) -> bool:
        """Whether the last level was reached."""
        return self.outcome.checked > 0

    def to_json(self) -> dict[str, Any]:
        """The run as plain data."""
        return self.outcome.to_json() | {
            "layout": self.layout,
            "seed": self.seed,
            "finished": self.finished,
            "toy": True,
        }

    def render(self) -> str:
        """InductionLevel by level, then what follows."""
        run = self.outcome
        lines = ["Lemma 4.4 of Chen, Peng and Wu (2024), arXiv 2412.02975, on a model", *wrap(TOY, WIDTH), ""]
        tables = ", ".join(f"{tried:,} of {of:,} tables z_{player}" for player, (tried, of) in run.tables.items())
        lines += [f"tried: {tables}; seed {self.seed}", ""]
        for level in run.levels:
            lines += [*_level(level), ""]
        return "\n".join([*lines, *self._end()])

    def _end(self) -> list[str]:
        run = self.outcome
        if not self.finished:
            level = run.levels[-1].level
            text = (
                f"the toy ends at level {level}: no table z_{level} leaves two inputs of the players above it alike. "
                "Take a model with fewer heads, dimensions or bits, or more --tables"
            )
            return wrap(text, WIDTH)
        lines = [f"checked with the whole model: equal logits in {count(run.checked, 'context')}"]
        if run.pair is None or run.truths is None:
            return [*lines, "no two members of R differ where they are asked: nothing follows (Lemma 4.3)"]
        one, two = (", ".join(map(str, word)) for word in run.pair)
        text = f"so the model errs: it answers {run.answer} to both, and {run.truths[0]} and {run.truths[1]} are right"
        return [
            *lines,
            "two prompts that differ in the first table alone and look alike:",
            f"  {one}",
            f"  {two}",
            text,
        ]


def _level(level: "InductionLevel") -> list[str]:
    kept = ", ".join(f"|Z_{player}| = {size:,}" for player, size in level.kept.items())
    at = level.level
    lines = [
        f"level {at}: epochs 1 ... {at} are frozen for players below {at}" if at > 1 else "level 1: epoch 1 is frozen",
        f"  kept    {kept}",
        f"  R_(>={at})  {level.rest:,} of {level.before:,} inputs of the players from {at} on",
        f"  reached {count(level.reached, 'value')} of i_{at - 1}",
        f"  frozen  {level.spent:,} bits in this step; pigeonhole alone leaves 1 in 2^{level.spent:,}",
        *(f"  {step}" for step in level.steps),
    ]
    rows = [["transcript", "epoch", "from", "to", "bits", "digest", "given"]]
    rows += [
        [m.transcript, str(m.epoch), str(m.sender), str(m.receiver), str(m.bits), m.digest, m.given]
        for m in level.frozen
    ]
    return [*lines, *(f"    {line}" for line in columns(rows, right=(1, 2, 3, 4)))]


def run_on(
    model: str, given: dict[str, Any], sizes: dict[str, int], seed: int, *, unchecked: bool = False
) -> InductionRun:
    """The induction on the model of a file; sizes of the layout that it does not declare stand in `given`."""
    from capax.app.files.models import given_model
    from capax.limits.induction.run import run_induction
    from capax.limits.witnesses.claimed_task import claim_of, integer_system
    from capax.tasks.sequential_composition import layout_of

    least = {"tables": 2, "starts": 1, "keep": 1, "contexts": 1}
    for name, value in sizes.items():
        if not least[name] <= value <= 5_000:
            raise CapaxError("bad-option", f"--{name} is a whole number from {least[name]} to 5,000, not {value}")
    if seed < 0:
        raise CapaxError("bad-option", f"a seed is a whole number from 0 on, not {seed}")
    loaded = given_model(model, unchecked=unchecked)
    integer_system(loaded)
    claim = claim_of(loaded, "sequential-composition", {k: v for k, v in given.items() if v is not None})
    layout = layout_of(claim["n"], str(claim.sizes["queries"]))
    outcome = run_induction(
        loaded,
        layout,
        tables=sizes["tables"],
        starts=sizes["starts"],
        keep=sizes["keep"],
        seed=seed,
        shown=sizes["contexts"],
    )
    return InductionRun(outcome, dict(claim.sizes), seed)


def command(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model of sequential composition with L layers.")],
    n: Annotated[int | None, typer.Option("--n", help="Entries of z_1, if the model does not declare it.")] = None,
    queries: Annotated[
        str | None, typer.Option("--queries", help="n_1,n_2,... or n_1xn_2x..., if the model does not declare it.")
    ] = None,
    tables: Annotated[int, typer.Option("--tables", help="How many tables of each player are tried at most.")] = 48,
    starts: Annotated[int, typer.Option("--starts", help="How many values of i_0 are kept.")] = 2,
    keep: Annotated[int, typer.Option("--keep", help="How many tables of a player are kept at most.")] = 2,
    contexts: Annotated[int, typer.Option("--contexts", help="For how many inputs transcripts are listed.")] = 1,
    seed: Annotated[int, typer.Option("--seed", help="The seed of tables that are drawn.")] = 0,
    unchecked: Unchecked = False,
    as_json: Json = False,
) -> None:
    """Run the induction of the multi-layer lower bound on a toy model: the inputs kept and the messages frozen.

    Prints the sets of every level and the transcripts Lambda, Phi and Psi. Exit code 1 if it ends too early.

    Example: capax induction toy.safetensors --tables 64
    """
    sizes = {"tables": tables, "starts": starts, "keep": keep, "contexts": contexts}
    result = run_on(model, {"n": n, "queries": queries}, sizes, seed, unchecked=unchecked)
    finish(result, as_json=as_json, yes=result.finished)
