"""`capax theorem NAME`: a theorem built and checked, or its failure without an assumption."""

from collections.abc import Mapping
from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from capax.app.commands._result import finish
from capax.app.options import PARAMETERS, Json, ModelOutput, check_output, parameters_of
from capax.errors import CapaxError

if TYPE_CHECKING:
    from capax.report import Report
    from capax.theorems.base.theorem import SizeRow, Theorem, TheoremRun

GROUP: Final = ("What transformers can do", 2)
SETTINGS: Final = PARAMETERS
WIDTH: Final = 100


def command(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="A theorem; `capax theorems` lists them.")],
    break_it: Annotated[
        bool, typer.Option("--break", help="Drop an assumption or a part of the model, and show the failure.")
    ] = False,
    output: ModelOutput = None,
    as_json: Json = False,
) -> None:
    """State a theorem, build its model, check it and show its sizes beside the bounds. Exit code 1 if it fails.

    Its parameters are options of their own: `--name value`. With --break: exit code 1 if nothing fails.

    Example: capax theorem ngram-heads --order 4 --attention softmax -o lm.safetensors
    """
    parameters = parameters_of(context.args)
    if not break_it:
        result = run_theorem(name, parameters, output)
        finish(result, as_json=as_json, yes=result.outcome.check.holds, written=output)
        return
    if output is not None:
        raise CapaxError("bad-option", "-o does not go with --break", hint="leave one of them out")
    broken = break_theorem(name, parameters)
    finish(broken, as_json=as_json, yes=not broken.report.holds)


@dataclass(frozen=True, slots=True)
class CheckedTheorem:
    """A theorem at some parameters, built and checked, and the file of its model if it was written."""

    outcome: "TheoremRun"
    file: str | None

    def to_json(self) -> dict[str, Any]:
        """The statement, the check and the sizes."""
        return self.outcome.to_json() | {"file": self.file}

    def render(self) -> str:
        """The statement, the sizes beside the bounds, the model, and the check."""
        outcome = self.outcome
        lines = _statement(outcome.theorem, outcome.parameters, outcome.model.provenance.read)
        lines += ["", *_sizes(outcome.rows), "", "the model"]
        lines += [f"  {line}" for line in str(outcome.model.size).splitlines()]
        if outcome.oracles:
            lines.append("  with an oracle map: an arbitrary function in place of a network")
        return "\n".join([*lines, "", str(outcome.check)])


@dataclass(frozen=True, slots=True)
class BrokenTheorem:
    """The failure of a theorem without one of its assumptions, or without a part of its model."""

    theorem: "Theorem"
    parameters: Mapping[str, Any]
    report: "Report"

    def to_json(self) -> dict[str, Any]:
        """The statement, what was given up, and the failure."""
        broken = {"broken": not self.report.holds, "check": self.report.to_json()}
        return self.theorem.to_json() | {"at": dict(self.parameters), "breaks": self.theorem.breaks} | broken

    def render(self) -> str:
        """The statement, what was given up, and the failure."""
        from capax.theorems.base.theorem import BREAKS

        dropped = wrap(BREAKS[self.theorem.breaks], WIDTH, initial_indent="given up   ", subsequent_indent=" " * 11)
        return "\n".join([*_statement(self.theorem, self.parameters, None), *dropped, "", str(self.report)])


def run_theorem(name: str, parameters: Mapping[str, Any], output: str | None = None) -> CheckedTheorem:
    """A theorem built and checked at some parameters; the model goes to `output` if that is a file."""
    from capax import theorems
    from capax.app.files.models import save_model

    check_output(output)
    outcome = theorems.theorem(name).run(**parameters)
    if output is not None:
        save_model(outcome.model, output)
    return CheckedTheorem(outcome, output)


def break_theorem(name: str, parameters: Mapping[str, Any]) -> BrokenTheorem:
    """The failure of a theorem without one of its assumptions, at some parameters."""
    from capax import theorems

    theorem = theorems.theorem(name)
    return BrokenTheorem(theorem, theorem.settle(parameters), theorem.broken(**parameters))


def _statement(theorem: "Theorem", parameters: Mapping[str, Any], read: Any) -> list[str]:
    from capax.formal.acceptance import READS

    lines = [f"{theorem.name}: {theorem.title}", "", *wrap(theorem.statement, WIDTH), ""]
    facts = [("assuming", text) for text in theorem.assumptions]
    facts += [("attention", theorem.attention), ("precision", theorem.precision)]
    facts += [("read", READS[read])] if read in READS else []
    facts += [("scope", theorem.scope), ("citation", theorem.citation)]
    facts.append(("at", ", ".join(f"{name} {value}" for name, value in parameters.items()) or "no parameters"))
    for name, text in facts:
        lines += wrap(text, WIDTH, initial_indent=f"{name:<10} ", subsequent_indent=" " * 11)
    return lines


def _sizes(rows: "tuple[SizeRow, ...]") -> list[str]:
    """A table: what, built, bound, note."""
    cells = [["size", "built", "bound", ""]]
    cells += [[row.what, _number(row.built), _number(row.bound), row.note] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return ["  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in cells]


def _number(value: int | float | str) -> str:
    match value:
        case int():
            return f"{value:,}"
        case float():
            return f"{value:,.4g}"
        case str():
            return value
