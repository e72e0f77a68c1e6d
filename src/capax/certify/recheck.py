"""A certificate checked again, from the weights and the program's text in a model's file."""

from typing import Any

from capax.certify.certificate import ASSUMPTIONS, NONE, SYSTEMS, together
from capax.certify.claims import claims_too_much
from capax.certify.sink_token import verdict_at
from capax.errors import CapaxError
from capax.model.model import Model
from capax.model.vocabulary import token_key
from capax.rasp.answer import Answer, answer
from capax.rasp.nodes import SOpNode
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
    program = Program.from_text(text)  # the last definition, as the name says; a name need not be one of the language
    if not isinstance(program.node, SOpNode):
        raise CapaxError("no-program", "the program in the model is a selector, not an s-op")
    return program, bool(domain.get("causal", False))


def wanted_of(model: Model, node: SOpNode, *, causal: bool) -> Answer:
    """What a model is to compute for a program, with the shift between types that its file names."""
    shift = model.facts.get("shift")
    held = shift if type(shift) is int and shift > 0 else None
    before = {token_key(token) for token in model.prefix}  # a token that stands before every word is in none
    tokens = tuple(token for token in model.vocabulary.tokens if token_key(token) not in before)
    return answer(node, tokens, causal=causal, shift=held)


def recheck(model: Model) -> Report:
    """Whether what the model's certificate claims follows from its weights and its program."""
    claimed = model.facts.get("certificate")
    program, causal = program_in(model)
    assert isinstance(program.node, SOpNode)
    if not isinstance(claimed, dict) or not claimed.get("verdicts") or model.max_length is None:
        return _report("the model has a certificate", False, {}, "the model has no certificate")
    wanted = wanted_of(model, program.node, causal=causal)
    verdicts = claimed.get("verdicts")
    asked = [_asked(v) for v in verdicts] if isinstance(verdicts, list) else []
    mine = {**NONE, "assumptions": list(ASSUMPTIONS), "types": wanted.typed}
    alone = [claim for claim in asked if claim is not None]
    whole = any(length == model.max_length for _, length in alone)
    joint = {(v.numbers, v.length): v.to_json() for v in together(model, wanted, SYSTEMS)} if whole else {}
    found = [joint[claim] if claim in joint else verdict_at(model, wanted, *claim) for claim in alone]
    wrong = claims_too_much(claimed, {**mine, "verdicts": found})
    if wrong is not None and joint:  # a proof for one system alone has other figures
        found = [verdict_at(model, wanted, *claim) for claim in alone]
        wrong = claims_too_much(claimed, {**mine, "verdicts": found})
    if wrong is None and not any(v["length"] for v in found):
        wrong = "it certifies no length in any number system"
    lengths = {v["numbers"]: v["length"] for v in found}
    return _report("the certificate follows from the weights and the program", wrong is None, lengths, wrong)


def _asked(verdict: object) -> tuple[str, int] | None:
    """The number system and the length of a verdict; None if it is damaged."""
    if not isinstance(verdict, dict):
        return None
    numbers, length = verdict.get("numbers"), verdict.get("length")
    return (numbers, length) if numbers in SYSTEMS and type(length) is int else None


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
