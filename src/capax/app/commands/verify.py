"""`capax verify`: whether a compiled model gives its program's answers, and whether its certificate follows."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from capax.app.options import MODEL, Json, StoredBudget, Unchecked
from capax.app.process.output import print_json, print_text
from capax.display import parts
from capax.errors import CapaxError
from capax.model.claim import causal_note, claimed_program
from capax.report import Report

if TYPE_CHECKING:
    from capax.certify import LengthVerdict
    from capax.compiler.check.causal_change import CausalChange
    from capax.compiler.domain import Domain
    from capax.model.model import Model
    from capax.model.provenance import Provenance
    from capax.rasp.python.program import Program

GROUP: Final = ("Models", 3)
EXPORTED: Final = (
    "config.json",
    "model.safetensors",
    "tokenizer.json",
    "tokenizer_config.json",
    "capax.json",
    "certificate.json",
)
"""The files of an export whose certificate can be checked again."""

EVIDENCE: Final = {
    "test": "a report of tests",
    "certificate": "a certificate",
    "plan": "a plan for the outside checker (checker/capax_check.py)",
}
"""The kinds of evidence in words."""


def command(
    model: Annotated[str, typer.Argument(metavar="MODEL", help=MODEL)],
    words: Annotated[int, typer.Option("--words", metavar="N", help="Words of each kind to try.")] = 2000,
    seed: Annotated[int, typer.Option("--seed", help="The seed of the random words.")] = 0,
    certificate: Annotated[
        bool, typer.Option("--certificate", help="Check its certificate again, or that of an exported folder.")
    ] = False,
    budget: StoredBudget = None,
    unchecked: Unchecked = False,
    as_json: Json = False,
) -> None:
    """Compare the answers of a compiled model with its program's. Exit code 1 if they differ.

    With --certificate: check again that its certificate follows from the weights. Exit code 1 if it does not.

    Example: capax verify reverse.safetensors
    """
    result: Verification | CertificateCheck
    if certificate:
        result = verify_certificate(model, unchecked=unchecked, budget=budget)
    else:
        result = verify(model, words=words, seed=seed, unchecked=unchecked, budget=budget)
    print_json(result.to_json()) if as_json else print_text(result.render())
    if not result.holds:
        raise typer.Exit(1)


@dataclass(frozen=True, slots=True)
class Verification:
    """The answers of the model in a file against those of the program in the file."""

    file: str
    program: str | None
    check: Report
    causal_change: "CausalChange | None"

    @property
    def holds(self) -> bool:
        """Whether they agree on every word that was tried."""
        return self.check.holds

    @property
    def about(self) -> str:
        """What the answers are compared with, in words."""
        return claimed_program(self.causal_change is not None)

    def to_json(self) -> dict[str, Any]:
        """The report as plain data."""
        return parts(self, "file", "program", "about", "causal_change") | {"right": self.holds} | parts(self, "check")

    def render(self) -> str:
        """The report as text, with a counterexample and the errors of the program."""
        from capax.app.commands._check_text import check_lines, token_text, word_text

        lines = [f"{self.file}: {self._summary()}", *check_lines(self.check)]
        wrong = self.check.counterexample
        if wrong is not None:
            expected, answer = (f"[{', '.join(map(token_text, wrong[side]))}]" for side in ("expected", "answer"))
            lines += [
                f"on the word {word_text(wrong['word'])}",
                f"  {self.about} gives {expected}",
                f"  the weights {'give':<{len(self.about) - 6}} {answer}",
            ]
        fails = self.check.figures["fails"]
        lines += [f"{self.about} itself fails on {word_text(word)}: {code}" for code, word in fails.items()]
        return "\n".join([*lines, *_causal_lines(self.causal_change)])

    def _summary(self) -> str:
        if not self.check.count:
            return self.check.statement
        name = claimed_program(self.causal_change is not None, self.program or "the program")
        return f"{name} and the weights {'agree on every word that was tried' if self.holds else 'differ'}"


def _causal_lines(change: "CausalChange | None") -> list[str]:
    note = None if change is None else causal_note(change.to_json())
    return [f"causal: {note}"] if note else []


def verify(path: str, *, words: int, seed: int, unchecked: bool = False, budget: int | None = None) -> Verification:
    """Whether the model in a file gives the answers of the program in the file, on about three times `words` words."""
    from capax.app.files.models import given_model
    from capax.certify.recheck.recheck import spec_of
    from capax.compiler.check.agreement import agreement
    from capax.compiler.check.causal_change import causal_change
    from capax.rasp.ir.nodes import SOpNode

    if words < 1:
        raise CapaxError("bad-option", f"--words is a positive number, not {words}")
    model = given_model(path, unchecked=unchecked)
    program, domain = recorded(model, path, budget=budget)
    assert isinstance(program.node, SOpNode)
    typed = spec_of(model, program.node, causal=domain.causal).typed
    check = agreement(model, program.node, domain, typed=typed, words=words, seed=seed)
    change = causal_change(program.node, domain) if domain.causal else None
    return Verification(path, model.provenance.name or program.name, check, change)


def recorded(model: "Model", path: str, *, budget: int | None = None) -> "tuple[Program, Domain]":
    """The program that a model was made from, and the words that it was made for."""
    from capax.certify.recheck.recheck import program_in
    from capax.compiler.domain import domain

    program, _ = program_in(model, path, budget=budget)
    words = model.provenance.domain
    assert words is not None, "there is one beside a program"
    claimed = domain(words.alphabet, words.max_length or 0, causal=words.causal)
    # the words are those that the model answers, whatever the file says of them
    alphabet = claimed.alphabet if model.prefix else model.vocabulary.tokens
    answered = replace(claimed, alphabet=alphabet, max_length=model.max_length or claimed.max_length)
    return program, answered


@dataclass(frozen=True, slots=True)
class CertificateCheck:
    """Whether a certificate follows from weights and program, why it does not, and what it says where it does."""

    file: str
    holds: bool
    why: Any
    lengths: dict[str, int]
    min_length: int | None
    max_length: int | None
    assumptions: tuple[str, ...]
    verdicts: "tuple[LengthVerdict, ...]"
    causal: bool
    causal_change: "CausalChange | None"
    evidence: dict[str, bool]
    """A report of tests, a certificate and a plan for the outside checker in the file; and a theorem for Coq."""
    not_in_coq: str | None = None
    """Why there is no theorem for Coq."""

    @property
    def about(self) -> str:
        """Which program the certificate is about, in words."""
        return claimed_program(self.causal)

    def to_json(self) -> dict[str, Any]:
        """The result as plain data."""
        lengths = ("why", "lengths", "min_length", "max_length")
        rest = (*lengths, "assumptions", "verdicts", "about", "causal_change", "evidence", "not_in_coq")
        return {"file": self.file, "follows": self.holds} | parts(self, *rest)

    def render(self) -> str:
        """The certified lengths and the assumptions, or why the certificate does not follow."""
        from capax.app.commands._check_text import length_line
        from capax.certify.recheck.recheck import NO_CERTIFICATE

        both = f"the weights and {self.about}"
        if self.why == NO_CERTIFICATE:
            return f"{self.file} has no certificate\n`capax compile` writes one, unless it is told `--certify no`"
        if not self.holds:
            return f"{self.file}: the certificate does not follow from {both}\n{self.why}"
        lines = [f"{self.file}: the certificate follows from {both}"]
        lines += [length_line(verdict, self.min_length or 1) for verdict in self.verdicts]
        lines += _causal_lines(self.causal_change)
        lines += [f"assuming that {a}" for a in self.assumptions]
        has = ", ".join(text for kind, text in EVIDENCE.items() if self.evidence.get(kind))
        return "\n".join([*lines, f"in the file: {has or 'nothing'}", f"for Coq: {self._for_coq()}"])

    def _for_coq(self) -> str:
        if self.evidence.get("coq"):
            return f"capax certificate {self.file} --coq -o NAME.v writes the theorem and its proof"
        return f"no theorem: {self.not_in_coq}"


def verify_certificate(path: str, *, unchecked: bool = False, budget: int | None = None) -> CertificateCheck:
    """Whether the certificate in a model's file, or in an exported folder, follows from weights and program."""
    from capax.app.files.models import given_model
    from capax.certify import Certificate
    from capax.certify.recheck.recheck import recheck
    from capax.rasp.text.interpreter import limits_of

    if budget is not None:
        limits_of(budget)  # rejects what is not a budget
    if Path(path).is_dir():
        return _verify_export(path, budget)
    model = given_model(path, unchecked=unchecked)
    report = recheck(model, budget=budget)
    claimed = model.provenance.certificate if report.holds else None
    certificate = None if claimed is None else Certificate.from_json(claimed)
    return CertificateCheck(
        path,
        report.holds,
        report.counterexample,
        {name.rsplit(" ", 1)[1]: length for name, length in report.figures.items()},
        None if certificate is None else certificate.min_length,
        model.max_length,
        tuple(report.assumptions),
        () if certificate is None else certificate.verdicts,
        model.provenance.causal,
        _change_again(model.provenance) if report.holds else None,
        _evidence(model.provenance) | {"coq": (refused := _not_in_coq(model, path)) is None},
        refused,
    )


def _evidence(provenance: "Provenance") -> dict[str, bool]:
    """Which kinds of evidence a file has."""
    certificate = provenance.certificate or {}
    return {
        "test": provenance.check is not None,
        "certificate": bool(certificate.get("verdicts")),
        "plan": provenance.plan is not None,
    }


def _not_in_coq(model: "Model", path: str) -> str | None:
    """Why no file for Coq can be written of a model; None if one can."""
    from capax.certify.coq import coq_certificate

    try:
        coq_certificate(model, path)
    except CapaxError as error:
        return error.what
    return None


def _change_again(provenance: "Provenance") -> "CausalChange | None":
    """What hiding later positions changes, tried again; None for a model that is not causal."""
    from capax.compiler.check.causal_change import causal_change
    from capax.compiler.domain import domain
    from capax.rasp.ir.nodes import SOpNode
    from capax.rasp.text.module import stored_program

    words = provenance.domain
    if not provenance.causal or provenance.program is None or words is None:
        return None
    node = stored_program(provenance.program).node
    assert isinstance(node, SOpNode)
    return causal_change(node, domain(words.alphabet, words.max_length or 0, causal=True))


def _verify_export(path: str, budget: int | None) -> CertificateCheck:
    """Whether what the certificate of an export to Hugging Face says of the answers follows from its files."""
    from capax.app.files.checkpoints import read_files
    from capax.certify import Certificate
    from capax.certify.exported_models.exported import FURTHER, recheck_export
    from capax.certify.exported_models.llama_proof import is_llama
    from capax.model.export.hugging_face.certificate import ASSUMPTIONS, says_otherwise
    from capax.model.export.llama.card import ASSUMPTIONS as LLAMA
    from capax.model.io.container import parse_json
    from capax.model.provenance import Provenance

    files = read_files(path, EXPORTED)
    known = parse_json(files["certificate.json"], f"{path}/certificate.json", "it")
    claimed = known.get("answers") if isinstance(known, dict) else None
    wrong, proved = recheck_export(files, claimed, budget=budget)
    if wrong is None and proved is not None:
        wrong = says_otherwise(known, proved.length, proved.numbers)
    lengths = {} if proved is None else {proved.numbers: proved.length}
    if wrong is not None or proved is None or not isinstance(claimed, dict):
        return CertificateCheck(path, False, wrong, lengths, None, None, (), (), False, None, {})
    provenance, certificate = Provenance.from_json(claimed["about"]), Certificate.from_json(claimed)
    assumptions = (*LLAMA, *certificate.assumptions) if is_llama(files) else (*ASSUMPTIONS, *FURTHER)
    return CertificateCheck(
        path,
        True,
        None,
        lengths,
        certificate.min_length,
        None,
        assumptions,
        certificate.verdicts,
        provenance.causal,
        _change_again(provenance),
        {"certificate": True, "coq": False},
        "it is about a model's file, not about an export",
    )
