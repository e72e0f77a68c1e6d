"""The check of a counterexample's file: the model by the plain replay, the specification by its own definition."""

import json
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final, TypeAlias

from capax.auditor.confirm import answer_of, margin_of, right_answers, second_look, systems
from capax.auditor.decode import ClassDecode, SignDecode, same
from capax.auditor.question import Question, question, shifted
from capax.auditor.spec import Answer, Spec
from capax.auditor.verdict import answer_json
from capax.auditor.witness import AuditWitness, bad_audit_witness
from capax.errors import CapaxError
from capax.model.model import Model
from capax.report import Report, joined

SpecOf: TypeAlias = Callable[[str, str], Spec]
"""From the kind of a specification and its definition to the specification."""

NOT_CHECKED: Final = ("capax", "specification.name")
"""Which version of capax wrote a witness, and what it called the specification: nothing else tells."""

NEAR: Final = {"float64": 1e-6, "float32": 1e-3, "float16": 0.05, "bfloat16": 0.2}
"""Up to this share of it, or this where it is below 1, a margin is the recorded one: sums have another order."""


def check_audit_witness(witness: AuditWitness, model: Model, spec_of: SpecOf) -> Report:
    """Whether a witness holds against a model; one for another model is an error.

    `spec_of` builds the specification again. Every field is compared with what is computed again, or named in the
    figure `not checked`.
    """
    _same_model(witness, model)
    try:
        spec = spec_of(witness.spec_kind, witness.spec_definition)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise bad_audit_witness("the file", "its specification cannot be built again from its definition") from None
    asked = question(
        model,
        spec,
        read=witness.read,
        names=dict(witness.names) or None,
        signs=witness.signs,
        end=witness.end,
        offset=witness.offset,
    )
    parts = _parts(witness, asked)
    return replace(joined("the witness holds", tuple(parts)), figures={"not checked": ", ".join(NOT_CHECKED)})


def _same_model(witness: AuditWitness, model: Model) -> None:
    """Refuses a model whose digest, with its words moved as the witness says, is not the recorded one."""
    try:
        same_digest = shifted(model, witness.offset).key() == witness.model
    except CapaxError:  # words of this model cannot be moved so
        same_digest = False
    if not same_digest:
        what = "the witness is for another model: the digests of the weights differ"
        raise CapaxError("bad-witness", what, hint="give the model file with which the witness was made")


def _parts(witness: AuditWitness, asked: Question) -> list[Report]:
    """The statements that a witness makes, each looked at; the last ones only if the first hold."""
    known = set(map(_typed, asked.spec.letters))
    parts = [
        _part("the numbers are those that the model computes in", witness.numbers == asked.model.numbers),
        _part("the letters are those of the specification", _alike(witness.letters, asked.spec.letters)),
        _part("the answers are decoded as it records", _decoded_so(witness, asked)),
        _part("the word is one over the letters", all(_typed(x) in known for x in witness.word)),
        _part("the answer is read at the recorded position", witness.position in asked.asked(len(witness.word))),
    ]
    if not all(part.holds for part in parts):
        return parts
    expected = right_answers(asked, witness.word)[list(asked.asked(len(witness.word))).index(witness.position)]
    if expected is None:
        return [*parts, _part("the specification has an answer there", False)]
    right = _alike((expected,), (witness.expected,))
    parts.append(_part(f"by the specification {answer_json(expected)!r} is right, as it records", right))
    parts.append(_part("the number systems are those in which it has to err", _systems_fit(witness, asked)))
    if not all(part.holds for part in parts):
        return parts
    return [*parts, *_runs(witness, asked, expected)]


def _decoded_so(witness: AuditWitness, asked: Question) -> bool:
    """Whether the recorded decoding is the one of the question, and not one that would be taken for it."""
    names = tuple(asked.decode.names.items()) if isinstance(asked.decode, ClassDecode) else ()
    return _alike(names, witness.names) and isinstance(asked.decode, SignDecode) == witness.signs


def _systems_fit(witness: AuditWitness, asked: Question) -> bool:
    """Whether the margins are for the number systems of the model; float32 may lack where a weight is too large."""
    if list(witness.margins) == list(systems(asked.model)):
        return True
    if list(witness.margins) != ["float64"] or asked.model.numbers != "float64":
        return False
    try:
        asked.model.to("float32")
    except CapaxError:
        return True
    return False


def _runs(witness: AuditWitness, asked: Question, expected: Answer) -> list[Report]:
    """That the model errs in each number system, by the recorded margin, and answers what is recorded in its own."""
    parts, tokens = [], asked.tokens(witness.word)
    for numbers, margin in witness.margins.items():
        logits = second_look(asked.model, tokens, witness.position, numbers)
        answer, own = answer_of(asked.decode, logits), margin_of(asked.decode, logits, expected)
        what = f"in {numbers} the model answers {answer_json(answer)!r} where {answer_json(expected)!r} is right"
        parts.append(_part(what, not same(answer, expected)))
        close = own == margin or abs(own - margin) <= NEAR.get(numbers, 0.0) * max(1.0, abs(own)) < math.inf
        parts.append(_part(f"its margin in {numbers} is {own:.3g}, as it records", close))
        if numbers == asked.model.numbers:
            alike = _alike((answer,), (witness.answer,)) or (isinstance(answer, float) and same(answer, witness.answer))
            parts.append(_part("the answer that it records is the model's", alike))
    return parts


def _typed(value: Any) -> tuple[str, Any]:
    return type(value).__name__, value


def _alike(one: Any, two: Any) -> bool:
    """Whether two tuples of tokens or answers are the same, types included; what is no number is like itself."""
    return json.dumps(list(map(_plain, one))) == json.dumps(list(map(_plain, two)))


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(x) for x in value]
    return {"set": sorted(map(repr, value))} if isinstance(value, frozenset) else value


def _part(statement: str, holds: bool) -> Report:
    return Report(statement, "exact", holds=bool(holds))
