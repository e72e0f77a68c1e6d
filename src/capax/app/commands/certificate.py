"""`capax certificate`: a compiled model as a file that a proof assistant checks."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from capax.app.commands._result import finish
from capax.app.options import MODEL, Json, Unchecked, choice
from capax.errors import CapaxError

if TYPE_CHECKING:
    from capax.certify.coq import CoqCertificate

GROUP: Final = ("Models", 3.5)
METHODS: Final = ("states", "words", "either")


def command(
    model: Annotated[str, typer.Argument(metavar="MODEL", help=MODEL)],
    output: Annotated[str, typer.Option("-o", "--output", metavar="FILE", help="The .v file to write.")],
    coq: Annotated[bool, typer.Option("--coq", help="A file for Coq, with the theorem and its proof.")] = False,
    by: Annotated[
        str, choice("--by", choices=("states", "words", "either"), help="What it is proved over.")
    ] = "either",
    unchecked: Unchecked = False,
    as_json: Json = False,
) -> None:
    """Write a model's numbers, its program and the theorem that they agree as a file for Coq, which checks the proof.

    `make proofs` builds the theorems that the file rests on; docs/explanation/proofs.md says what is proved.

    Example: capax certificate reverse.safetensors --coq -o reverse.v
    """
    if not coq:
        raise CapaxError("bad-option", "capax certificate needs to know for which tool", hint="add --coq")
    result = certificate(model, output, by=by, unchecked=unchecked)
    finish(result, as_json=as_json, written=output)


@dataclass(frozen=True, slots=True)
class WrittenCertificate:
    """A Coq file that was written, and what its theorem says."""

    model: str
    file: str
    certificate: "CoqCertificate"

    def to_json(self) -> dict[str, Any]:
        """Names, method and statement."""
        told = self.certificate
        return {
            "model": self.model,
            "file": self.file,
            "program": told.program,
            "tokens": told.tokens,
            "length": told.length,
            "method": told.method,
            "statement": told.statement,
            "command": f"coqc -Q proofs Capax {self.file}",
        }

    def render(self) -> str:
        """The statement, the method, and the command that checks it."""
        told = self.certificate
        return (
            f"theorem    {told.statement}\n"
            f"proof      by computation over {told.method}; Coq checks it, nothing is checked here\n"
            f"to check   make proofs, then coqc -Q proofs Capax {self.file}"
        )


def certificate(path: str, output: str, *, by: str = "either", unchecked: bool = False) -> WrittenCertificate:
    """Writes the Coq file of the model in a file."""
    from capax.app.files.models import given_model
    from capax.certify.coq import coq_certificate
    from capax.model.io.atomic import write_bytes

    if by not in METHODS:
        raise CapaxError("bad-option", f"--by is {', '.join(METHODS[:-1])} or {METHODS[-1]}, not {by!r:.40}")
    if not output.endswith(".v"):
        raise CapaxError("bad-option", f"the name of a Coq file ends with .v, unlike {output!r:.60}", hint="-o NAME.v")
    written = coq_certificate(given_model(path, unchecked=unchecked), path, by=by)
    write_bytes(Path(output), written.text.encode())
    return WrittenCertificate(path, output, written)
