"""`capax verify --certificate` as a function: plain data in, plain data out."""

from pathlib import Path
from typing import Any, Final

from capax.app.files.models import given_model
from capax.app.import_command import read_files
from capax.certify.exports.exported import FURTHER, recheck_export
from capax.certify.recheck.recheck import recheck
from capax.compiler.analysis.causal_change import causal_change
from capax.compiler.domain import domain
from capax.model.claim import claimed_program
from capax.model.export.hugging_face.certificate import ASSUMPTIONS as NORMS
from capax.model.export.hugging_face.certificate import says_otherwise
from capax.model.io.container import parse_json
from capax.model.provenance import Provenance
from capax.rasp.ir.nodes import SOpNode
from capax.rasp.text.interpreter import limits_of
from capax.rasp.text.stored import stored_program


def verify_certificate(path: str, *, unchecked: bool = False, budget: int | None = None) -> dict[str, Any]:
    """Whether the certificate in a model's file, or in an exported folder, follows from weights and program."""
    if budget is not None:
        limits_of(budget)  # refuses what is no budget
    if Path(path).is_dir():
        return _verify_export(path, budget)
    model = given_model(path, unchecked=unchecked)
    report = recheck(model, budget=budget)
    certificate = model.provenance.certificate
    return {
        "file": path,
        "follows": report.holds,
        "why": report.counterexample,
        "lengths": {name.rsplit(" ", 1)[1]: length for name, length in report.figures.items()},
        "min_length": certificate["min_length"] if report.holds and certificate is not None else None,
        "max_length": model.max_length,
        "assumptions": list(report.assumptions),
        "verdicts": certificate["verdicts"] if report.holds and certificate is not None else [],
        **_about(model.provenance, report.holds),
    }


def _about(provenance: Provenance, follows: bool) -> dict[str, Any]:
    """Which program a certificate is about, and what hiding later positions changes, tried again."""
    causal, text, words = provenance.causal, provenance.program, provenance.domain
    change = None
    if causal and follows and text is not None and words is not None:
        node = stored_program(text).node
        assert isinstance(node, SOpNode)
        change = causal_change(node, domain(words.alphabet, words.max_length or 0, causal=True))
    return {"about": claimed_program(causal), "causal_change": change}


EXPORTED: Final = ("config.json", "model.safetensors", "capax.json", "certificate.json")
"""The files of an export whose certificate can be checked again."""


def _verify_export(path: str, budget: int | None) -> dict[str, Any]:
    """Whether what the certificate of an export to Hugging Face says of the answers follows from its files."""
    files = read_files(path, EXPORTED)
    known = parse_json(files["certificate.json"], f"{path}/certificate.json", "it")
    claimed = known.get("answers") if isinstance(known, dict) else None
    wrong, found = recheck_export(files, claimed, budget=budget)
    if wrong is None and found is not None:
        wrong = says_otherwise(known, found.length, found.numbers)
    follows = wrong is None and found is not None
    return {
        "file": path,
        "follows": follows,
        "why": wrong,
        "lengths": {found.numbers: found.length} if found is not None else {},
        "min_length": claimed["min_length"] if follows and isinstance(claimed, dict) else None,
        "max_length": None,
        "assumptions": [*NORMS, *FURTHER] if follows else [],
        "verdicts": claimed["verdicts"] if follows and isinstance(claimed, dict) else [],
        **_about(Provenance.from_json(claimed["about"] if follows and isinstance(claimed, dict) else {}), follows),
    }


def short_verdicts(certificate: dict[str, Any]) -> list[dict[str, Any]]:
    """What a certificate says of each number system, without the figures of heads and stages."""
    return [{k: v[k] for k in ("numbers", "length", "breaks", "where", "help")} for v in certificate["verdicts"]]
