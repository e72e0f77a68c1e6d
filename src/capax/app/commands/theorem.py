"""`capax theorem NAME`: a theorem built and checked, or its failure without an assumption."""

from collections.abc import Mapping
from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from capax.app.commands._columns import fact
from capax.app.commands._result import finish
from capax.app.options import PARAMETERS, Json, ModelOutput, check_output, parameters_of
from capax.display import Card
from capax.errors import CapaxError

if TYPE_CHECKING:
    from capax.auditor.model_proof import ModelProof
    from capax.report import Report
    from capax.theorems.base.theorem import SizeRow, Theorem, TheoremRun

GROUP: Final = ("What transformers can do", 2)
SETTINGS: Final = PARAMETERS
WIDTH: Final = 100
MOST_INPUTS: Final = 300_000
"""No more inputs than these are run for a proof."""
UNPROVED: Final = "not proved: there are too many inputs of this size to run them all, so the model was tested on some"


def command(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="A theorem; `capax theorems` lists them.")],
    break_it: Annotated[
        bool, typer.Option("--break", help="Drop an assumption or a part of the model, and show the failure.")
    ] = False,
    prove: Annotated[
        int, typer.Option("--prove", metavar="N", help="Prove it on at least N inputs, or all of this size; 0: none.")
    ] = 10_000,
    output: ModelOutput = None,
    as_json: Json = False,
) -> None:
    """State a theorem, build its model, check it and show its sizes beside the bounds. Exit code 1 if it fails.

    The last line is the model's label: on which inputs all its answers are proved right, and how.

    Its parameters are options of their own: `--name value`. With --break: exit code 1 if nothing fails.

    Example: capax theorem ngram-heads --order 4 --attention softmax -o lm.safetensors
    """
    parameters = parameters_of(context.args)
    if not break_it:
        result = run_theorem(name, parameters, output, prove)
        finish(result, as_json=as_json, yes=result.holds, written=output)
        return
    if output is not None:
        raise CapaxError("bad-option", "-o does not go with --break", hint="leave one of them out")
    broken = break_theorem(name, parameters)
    finish(broken, as_json=as_json, yes=not broken.report.holds)


@dataclass(frozen=True, slots=True)
class CheckedTheorem(Card):
    """A theorem at some parameters, built and checked, the file of its model if it was written, and a proof.

    `proof` is None where none was `asked` for, and where there are too many inputs.
    """

    outcome: "TheoremRun"
    file: str | None
    proof: "ModelProof | None" = None
    asked: bool = False

    @property
    def holds(self) -> bool:
        """Whether no input was found on which the model is wrong."""
        return self.outcome.check.holds and (self.proof is None or self.proof.holds)

    def to_json(self) -> dict[str, Any]:
        """The statement, the check and the sizes."""
        proof = None if self.proof is None else self.proof.to_json()
        return self.outcome.to_json() | {"proof": proof, "file": self.file}

    def render(self) -> str:
        """The statement, the sizes beside the bounds, the model, and the check."""
        outcome = self.outcome
        lines = _statement(outcome.theorem, outcome.parameters, outcome.model.provenance.read, self._verdict())
        lines += ["", *_sizes(outcome.rows), "", "the model"]
        lines += [f"  {line}" for line in str(outcome.model.size).splitlines()]
        if outcome.oracles:
            lines.append("  with an oracle map: an arbitrary function in place of a network")
        lines += ["", str(outcome.check)]
        if self.proof is not None or self.asked:
            lines += ["", UNPROVED if self.proof is None else str(self.proof)]
        return "\n".join(lines)

    def _verdict(self) -> str:
        """Whether the model is right, and on what that is proved."""
        check = self.outcome.check
        proved = f"; {self.proof.label}" if check.holds and self.proof is not None else ""
        return f"{'yes' if check.holds else 'no'}: {check.statement}{proved}"


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
        verdict = f"{'yes' if self.report.holds else 'no'}: {self.report.statement}"
        return "\n".join([*_statement(self.theorem, self.parameters, None, verdict), *dropped, "", str(self.report)])


def run_theorem(
    name: str, parameters: Mapping[str, Any], output: str | None = None, prove: int = 10_000
) -> CheckedTheorem:
    """A theorem built and checked at some parameters; the model goes to `output` if that is a file.

    It is proved on at least `prove` inputs, or on all of its size.
    """
    from capax import theorems
    from capax.app.files.models import save_model

    check_output(output)
    if not 0 <= prove <= MOST_INPUTS:
        raise CapaxError("bad-option", f"--prove is a number of inputs up to {MOST_INPUTS:,}, not {prove}")
    theorem = theorems.theorem(name)
    outcome = theorem.run(**parameters)
    if output is not None:
        save_model(outcome.model, output)
    asked = prove > 0 and outcome.check.holds
    proof = theorem.proof(outcome.model, least=prove, **parameters) if asked else None
    return CheckedTheorem(outcome, output, proof, asked)


def break_theorem(name: str, parameters: Mapping[str, Any]) -> BrokenTheorem:
    """The failure of a theorem without one of its assumptions, at some parameters."""
    from capax import theorems

    theorem = theorems.theorem(name)
    return BrokenTheorem(theorem, theorem.settle(parameters), theorem.broken(**parameters))


def _statement(theorem: "Theorem", parameters: Mapping[str, Any], read: Any, verdict: str) -> list[str]:
    from capax.formal.acceptance import READS

    lines = [f"{theorem.name}: {theorem.title}", "", *fact("verdict", verdict), "", *wrap(theorem.statement, WIDTH), ""]
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
