"""A certificate checked again, from the weights and the program's text in a model's file."""

from typing import Any, Final

from capax.certify.certificate import ASSUMPTIONS, NONE, SYSTEMS, least_length, together
from capax.certify.parts.sink_token import verdict_at
from capax.certify.recheck.claims import claims_too_much
from capax.errors import CapaxError
from capax.model.claim import claimed_program
from capax.model.model import Model
from capax.model.vocabulary import Token, token_key
from capax.rasp.analysis.output_spec import OutputSpec, output_spec
from capax.rasp.ir.nodes import SOpNode
from capax.rasp.python.program import Program
from capax.rasp.text.stored import stored_program
from capax.report import Report

MOST_SHIFT: Final = 2**60
"""A shift beyond this is none: numbers of models are smaller."""


def program_in(model: Model, *, budget: int | None = None) -> tuple[Program, bool]:
    """The program in a model's file, built within the budget, and whether it is meant to see no later position."""
    text, domain = model.provenance.program, model.provenance.domain
    if text is None or domain is None or "name" in model.provenance.extra:
        raise CapaxError(
            "no-program",
            "the model has no program in it to be compared with",
            hint="only models made by `capax compile` carry their program",
        )
    # the last definition, as the name says; a name need not be one of the language
    program = stored_program(text, budget=budget)
    if not isinstance(program.node, SOpNode):
        raise CapaxError("no-program", "the program in the model is a selector, not an s-op")
    return program, domain.causal


def wanted_of(model: Model, node: SOpNode, *, causal: bool) -> OutputSpec:
    """What a model is to compute for a program, with the shift between types that its file names."""
    shift = model.provenance.shift
    held = shift if shift is not None and 0 < shift < MOST_SHIFT else None
    return output_spec(node, _tokens(model), causal=causal, shift=held)


def _tokens(model: Model) -> tuple[Token, ...]:
    """The tokens that words may have: one that stands before every word is in none."""
    before = {token_key(token) for token in model.prefix}
    return tuple(token for token in model.vocabulary.tokens if token_key(token) not in before)


def _other_words(model: Model) -> str | None:
    """What the file says of the words that the model was made for, if that is not what the model takes."""
    domain = model.provenance.domain
    assert domain is not None, "there is one beside a program"
    said = domain.alphabet or ()
    mine = _tokens(model)
    if len(said) != len(mine) or {token_key(t) for t in said} != {token_key(token) for token in mine}:
        return "the file says that the model was made for other tokens than it takes"
    if domain.max_length != model.max_length:
        return "the file says that the model was made for another greatest length than it takes"
    if "causal" in domain.extra:
        return "the file does not say whether the model was made to see later positions"
    return None


def recheck(model: Model, *, budget: int | None = None) -> Report:
    """Whether what the model's certificate claims follows from its weights and its program."""
    claimed = model.provenance.certificate
    program, causal = program_in(model, budget=budget)
    assert isinstance(program.node, SOpNode)
    if claimed is None or not claimed.get("verdicts") or model.max_length is None:
        return _report("the model has a certificate", False, {}, "the model has no certificate")
    other = _other_words(model)
    if other is not None:
        return _report("the certificate is about the words of the model", False, {}, other)
    wanted = wanted_of(model, program.node, causal=causal)
    verdicts = claimed.get("verdicts")
    asked = [_asked(v) for v in verdicts] if isinstance(verdicts, list) else []
    mine = {**NONE, "assumptions": list(ASSUMPTIONS), "types": wanted.typed, "min_length": least_length(model)}
    alone = [claim for claim in asked if claim is not None]
    whole = any(length == model.max_length for _, length in alone)
    joint = {(v.numbers, v.length): v.to_json() for v in together(model, wanted, SYSTEMS)} if whole else {}
    found = [joint[claim] if claim in joint else verdict_at(model, wanted, *claim) for claim in alone]
    wrong = claims_too_much(claimed, {**mine, "verdicts": found})
    if wrong is not None and joint:  # a proof for one system alone has other figures
        one_by_one = [verdict_at(model, wanted, *claim) for claim in alone]
        if claims_too_much(claimed, {**mine, "verdicts": one_by_one}) is None:
            found, wrong = one_by_one, None
    if wrong is None and not any(v["length"] for v in found):
        wrong = "it certifies no length in any number system"
    lengths = {v["numbers"]: v["length"] for v in found}
    statement = f"the certificate follows from the weights and {claimed_program(causal)}"
    return _report(statement, wrong is None, lengths, wrong)


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
