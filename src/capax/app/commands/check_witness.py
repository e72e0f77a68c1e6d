"""`capax check-witness FILE MODEL`: a witness checked by code that shares nothing with the search."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from capax.app.commands._result import finish
from capax.app.files.text_files import read_text
from capax.app.options import Json, Unchecked
from capax.app.process.output import say
from capax.display import parts
from capax.errors import CapaxError

if TYPE_CHECKING:
    from capax.auditor.spec import Spec
    from capax.report import Report

GROUP: Final = ("What they cannot", 6)
LONG: Final = 250
"""The reference evaluation takes many seconds on longer words, in models with several layers."""


@dataclass(frozen=True, slots=True)
class WitnessChecked:
    """The report about the witness of a file, and the fields of it that were not checked."""

    witness: str
    model: str
    report: "Report"
    not_checked: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether the witness holds."""
        return bool(self.report.holds)

    def to_json(self) -> dict[str, Any]:
        """The result as plain data."""
        about = parts(self, "witness", "model") | {"holds": self.report.holds}
        return about | parts(self, "not_checked") | {"check": self.report.to_json()}

    def render(self) -> str:
        """The report as text."""
        return str(self.report)


def check(witness: str, model: str, other: str | None = None, *, unchecked: bool = False) -> WitnessChecked:
    """The check of a file's witness against the model, or network, of a file; `other` is what it should equal."""
    from capax.app.files.models import given_model
    from capax.auditor.witness import is_audit_witness
    from capax.limits.witnesses.check.fooling_check import check_witness, not_checked
    from capax.limits.witnesses.check.net_check import check_net_witness, is_net_witness
    from capax.limits.witnesses.check.read_witness import NOT_CHECKED, read_witness

    text = read_text(Path(witness))
    if is_audit_witness(text):
        return _check_audit(text, witness, model, other, unchecked=unchecked)
    if other is not None:
        what = "the witness is not about two models: --other has no meaning"
        raise CapaxError("bad-option", what, hint="leave --other out")
    if model.endswith(".json") and is_net_witness(text):
        return WitnessChecked(witness, model, check_net_witness(text, read_text(Path(model)), witness), NOT_CHECKED)
    claims, loaded = read_witness(text, witness), given_model(model, unchecked=unchecked)
    if loaded.depth > 1 and max(map(len, claims.inputs)) > LONG:
        say("the reference evaluation goes through all pairs of positions: this takes a while")
    return WitnessChecked(witness, model, check_witness(claims, loaded), tuple(not_checked(loaded)))


def _check_audit(text: str, witness: str, model: str, other: str | None, *, unchecked: bool) -> WitnessChecked:
    """The check of a counterexample that an audit wrote."""
    from capax.app.against_specs.read_spec import SpecContext, model_again, spec_again
    from capax.app.files.checkpoints import any_model
    from capax.auditor.counterexample_check import NOT_CHECKED, check_audit_witness
    from capax.auditor.witness import read_audit_witness

    claims, loaded = read_audit_witness(text, witness), any_model(model, unchecked=unchecked)
    context = SpecContext(loaded, claims.letters, len(claims.word), claims.end)

    def again(kind: str, definition: str) -> "Spec":
        if (other is not None) != (kind == "model"):
            what = f"{witness} is {'not ' if other else ''}about two models"
            hint = "leave --other out" if other else "name the model that the first one should equal: --other FILE"
            raise CapaxError("bad-option", what, hint=hint)
        if other is None:
            return spec_again(kind, definition, context)
        return model_again(any_model(other, unchecked=unchecked), definition, other, claims.letters)

    report = check_audit_witness(claims, loaded, again)
    return WitnessChecked(witness, model, report, NOT_CHECKED)


def command(
    witness: Annotated[str, typer.Argument(metavar="FILE", help="A witness that `capax fool` or `capax audit` wrote.")],
    model: Annotated[str, typer.Argument(metavar="MODEL", help="The model or network that it is about.")],
    other: Annotated[
        str | None, typer.Option("--other", metavar="MODEL", help="The model that it should equal, if it is about two.")
    ] = None,
    unchecked: Unchecked = False,
    as_json: Json = False,
) -> None:
    """Check a witness again, by code that shares nothing with the search. Exit code 1 if it does not hold.

    Every field is computed again and compared; fields that cannot be checked are listed.

    Example: capax check-witness witness.json layer.safetensors
    """
    result = check(witness, model, other, unchecked=unchecked)
    finish(result, as_json=as_json, yes=result.holds)
