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

if TYPE_CHECKING:
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


def check(witness: str, model: str, *, unchecked: bool = False) -> WitnessChecked:
    """The check of the witness in a file against the model, or the network, of a file."""
    from capax.app.files.models import given_model
    from capax.limits.witnesses.check.net_check import check_net_witness, is_net_witness
    from capax.limits.witnesses.check.read_witness import NOT_CHECKED, read_witness
    from capax.limits.witnesses.check.witness_check import check_witness, not_checked

    text = read_text(Path(witness))
    if model.endswith(".json") and is_net_witness(text):
        return WitnessChecked(witness, model, check_net_witness(text, read_text(Path(model)), witness), NOT_CHECKED)
    claims, loaded = read_witness(text, witness), given_model(model, unchecked=unchecked)
    if loaded.depth > 1 and max(map(len, claims.inputs)) > LONG:
        say("the reference evaluation goes through all pairs of positions: this takes a while")
    return WitnessChecked(witness, model, check_witness(claims, loaded), tuple(not_checked(loaded)))


def command(
    witness: Annotated[str, typer.Argument(metavar="FILE", help="A witness that `capax fool` wrote.")],
    model: Annotated[str, typer.Argument(metavar="MODEL", help="The model or network that it is about.")],
    unchecked: Unchecked = False,
    as_json: Json = False,
) -> None:
    """Check a witness again, by code that shares nothing with the search. Exit code 1 if it does not hold.

    Every field is computed again and compared; fields that cannot be checked are listed.

    Example: capax check-witness witness.json layer.safetensors
    """
    result = check(witness, model, unchecked=unchecked)
    finish(result, as_json=as_json, yes=result.holds)
