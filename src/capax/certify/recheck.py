"""A certificate checked again, from the weights and the program's text in a model's file."""

from typing import Any

from capax.certify.certificate import ASSUMPTIONS, certificate, claims_too_much
from capax.errors import CapaxError
from capax.model.model import Model
from capax.rasp.nodes import SOpNode
from capax.rasp.prepare import prepare
from capax.rasp.program import Program
from capax.report import Report


def program_in(model: Model) -> tuple[Program, bool]:
    """The program in a model's file, and whether it is meant to see no later position."""
    text, name, domain = (model.facts.get(k) for k in ("program", "name", "domain"))
    if not isinstance(text, str) or not isinstance(domain, dict) or not isinstance(name, (str, type(None))):
        raise CapaxError(
            "no-program",
            "the model has no program in it to be compared with",
            hint="only models made by `capax compile` carry their program",
        )
    program = Program.from_text(text, name)
    if not isinstance(program.node, SOpNode):
        raise CapaxError("no-program", "the program in the model is a selector, not an s-op")
    return program, bool(domain.get("causal", False))


def recheck(model: Model) -> Report:
    """Whether what the model's certificate claims follows from its weights and its program."""
    claimed = model.facts.get("certificate")
    program, causal = program_in(model)
    assert isinstance(program.node, SOpNode)
    if not isinstance(claimed, dict) or model.max_length is None:
        return _report("the model has no certificate", False, {}, "no certificate")
    root, _ = prepare(program.node, causal=causal)
    systems = [v.get("numbers") for v in claimed.get("verdicts", []) if isinstance(v, dict)]
    known = [s for s in systems if s in ("float64", "float32", "bfloat16")]
    found = certificate(model, root, known)
    wrong = claims_too_much(claimed, found) if known and len(known) == len(systems) else "it names no number system"
    lengths = {v["numbers"]: v["length"] for v in found["verdicts"]}
    return _report("the certificate follows from the weights and the program", wrong is None, lengths, wrong)


def _report(statement: str, holds: bool, lengths: dict[str, Any], wrong: str | None) -> Report:
    figures = {f"certified length in {s}": n for s, n in lengths.items()}
    return Report(
        statement,
        "exact",
        holds=holds,
        figures=figures,
        counterexample=wrong if not holds else None,
        assumptions=ASSUMPTIONS,
    )
