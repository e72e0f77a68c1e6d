"""A certificate checked again, from the weights and the program's text in a model's file."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from capax.certify import certify, verdict_at
from capax.certify.certificate import Certificate, LengthVerdict
from capax.certify.length_search import Proofs, least_length
from capax.certify.not_certified import NotCertified
from capax.certify.recheck.excess_claims import claims_too_much
from capax.certify.systems import SYSTEMS
from capax.errors import CapaxError
from capax.model.claim import claimed_program
from capax.model.model import Model
from capax.model.vocabulary import Token, token_key
from capax.rasp.analysis.output_spec import OutputSpec, output_spec
from capax.rasp.ir.loop_nodes import has_loop
from capax.rasp.ir.nodes import SOpNode
from capax.rasp.ir.unroll import without_constant_loops
from capax.rasp.python.program import Program
from capax.rasp.rewrite.prepare import looking_back
from capax.rasp.rewrite.split_loop import LoopSpec, split_loop, with_values
from capax.rasp.text.module import stored_program
from capax.report import Report

MOST_SHIFT: Final = 2**60
"""A shift beyond this is none: numbers of models are smaller."""


NO_CERTIFICATE: Final = "the model has no certificate"
"""Why nothing can be checked again of a model without one."""


def program_in(model: Model, file: str = "the model", *, budget: int | None = None) -> tuple[Program, bool]:
    """The program in a model's file, built within the budget, and whether it is meant to see no later position."""
    text, domain = model.provenance.program, model.provenance.domain
    if text is None or domain is None or "name" in model.provenance.extra:
        hint = "models that `capax compile` writes have one; `capax explain` shows what this one has"
        raise CapaxError("no-program", f"{file} has no program to compare its answers with", hint=hint)
    # the last definition, as the name says; a name need not be one of the language
    program = stored_program(text, budget=budget)
    if not isinstance(program.node, SOpNode):
        raise CapaxError("no-program", f"the program in {file} is a selector", hint="a model computes an s-op")
    return program, domain.causal


def spec_of(model: Model, node: SOpNode, *, causal: bool) -> OutputSpec | LoopSpec:
    """What a model is to compute for a program, with the shift between types that its file names."""
    shift = model.provenance.shift
    known = shift if shift is not None and 0 < shift < MOST_SHIFT else None
    if model.loop is None:
        node = without_constant_loops(node)
    if has_loop(node):
        split, claims = split_loop(looking_back(node) if causal else node), model.provenance.loop or ()
        if split.names != tuple(claim.name for claim in claims):
            what = "the file does not say which values the states of the program's loop have"
            raise CapaxError("no-program", what, hint="compile the program again")
        return with_values(split, [c.values for c in claims], _tokens(model), model.max_length, known)
    return output_spec(node, _tokens(model), causal=causal, longest=model.max_length, shift=known)


def _tokens(model: Model) -> tuple[Token, ...]:
    """The tokens that words may have: one that stands before every word is in none."""
    before = {token_key(token) for token in model.prefix}
    return tuple(token for token in model.vocabulary.tokens if token_key(token) not in before)


def _other_words(model: Model) -> str | None:
    """What the file says of the words that the model was made for, if that is not what the model takes."""
    domain = model.provenance.domain
    assert domain is not None, "there is one beside a program"
    named, taken = domain.alphabet or (), _tokens(model)
    if len(named) != len(taken) or {token_key(t) for t in named} != {token_key(t) for t in taken}:
        return "the file says that the model was made for other tokens than it takes"
    if domain.max_length != model.max_length:
        return "the file says that the model was made for another greatest length than it takes"
    if "causal" in domain.extra:
        return "the file does not say whether the model was made to see later positions"
    return None


def recheck(model: Model, *, budget: int | None = None) -> Report:
    """Whether what the model's certificate claims follows from its weights and its program."""
    claimed = model.provenance.certificate
    if claimed is None or not claimed.get("verdicts") or model.max_length is None:
        return _report("the model has a certificate", (), NO_CERTIFICATE)
    program, causal = program_in(model, budget=budget)
    assert isinstance(program.node, SOpNode)
    other = _other_words(model)
    if other is not None:
        return _report("the certificate is about the words of the model", (), other)
    spec = spec_of(model, program.node, causal=causal)
    verdicts, wrong = _proved(model, spec, claimed)
    if wrong is None and not any(verdict.length for verdict in verdicts):
        wrong = "it certifies no length in any number system"
    return _report(f"the certificate follows from the weights and {claimed_program(causal)}", verdicts, wrong)


def with_certificate(model: Model) -> Model:
    """A model with a program, and the certificate that follows from both in its provenance."""
    program, causal = program_in(model)
    assert isinstance(program.node, SOpNode)
    certificate = certify(model, spec_of(model, program.node, causal=causal))
    return replace(model, provenance=replace(model.provenance, certificate=certificate.to_json()))


def _proved(
    model: Model, spec: OutputSpec | LoopSpec, claimed: Mapping[str, Any]
) -> tuple[tuple[LengthVerdict, ...], str | None]:
    """What is proved in the number systems and at the lengths that are claimed, and what is claimed beyond it.

    One proof for several systems is tried first; a proof for one system alone has other figures.
    """
    verdicts = claimed.get("verdicts")
    claims = [_claim(verdict) for verdict in verdicts] if isinstance(verdicts, list) else []
    readable = [claim for claim in claims if claim is not None]

    def compared(joint: dict[tuple[str, int], LengthVerdict]) -> tuple[tuple[LengthVerdict, ...], str | None]:
        proved = tuple(joint[claim] if claim in joint else verdict_at(model, spec, *claim) for claim in readable)
        return proved, claims_too_much(claimed, Certificate.of(spec.typed, least_length(model), proved))

    joint = _joint(model, spec) if any(length == model.max_length for _, length in readable) else {}
    proved, wrong = compared(joint)
    if wrong is not None and joint:
        one_by_one, still_wrong = compared({})
        if still_wrong is None:
            return one_by_one, None
    return proved, wrong


def _joint(model: Model, spec: OutputSpec | LoopSpec) -> dict[tuple[str, int], LengthVerdict]:
    """The verdicts of one proof for several systems, by system and length; none if it fails."""
    try:
        return {(v.numbers, v.length): v for v in Proofs(model, spec).joint_verdicts(SYSTEMS)}
    except NotCertified:
        return {}


def _claim(verdict: object) -> tuple[str, int] | None:
    """The number system and the length of a verdict; None if it is damaged."""
    if not isinstance(verdict, dict):
        return None
    numbers, length = verdict.get("numbers"), verdict.get("length")
    return (numbers, length) if numbers in SYSTEMS and type(length) is int else None


def _report(statement: str, proved: Sequence[LengthVerdict], wrong: str | None) -> Report:
    return Report(
        statement,
        "exact",
        holds=wrong is None,
        figures={f"certified length in {v.numbers}": v.length for v in proved},
        counterexample=wrong,
        assumptions=Certificate.of(types=False, min_length=1, verdicts=proved).assumptions,
    )
