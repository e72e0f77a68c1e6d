"""`capax verify --certificate` as a function: plain data in, plain data out."""

from typing import Any

from capax.app.model_files import load_model
from capax.certify.recheck import recheck


def verify_certificate(path: str) -> dict[str, Any]:
    """Whether the certificate in a model's file follows from the weights and the program's text in it."""
    model = load_model(path)
    report = recheck(model)
    certificate = model.facts.get("certificate")
    return {
        "file": path,
        "follows": report.holds,
        "why": report.counterexample,
        "lengths": {name.rsplit(" ", 1)[1]: length for name, length in report.figures.items()},
        "max_length": model.max_length,
        "assumptions": list(report.assumptions),
        "verdicts": certificate["verdicts"] if report.holds and isinstance(certificate, dict) else [],
    }


def short_verdicts(certificate: dict[str, Any]) -> list[dict[str, Any]]:
    """What a certificate says of each number system, without the figures of heads and stages."""
    return [{k: v[k] for k in ("numbers", "length", "breaks", "where", "help")} for v in certificate["verdicts"]]
