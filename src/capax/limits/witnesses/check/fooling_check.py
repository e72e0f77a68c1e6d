"""The second look at a witness: the model by its definition, the task and the messages written down once more."""

import json
from dataclasses import replace
from typing import Any

import numpy as np

from capax.errors import CapaxError
from capax.limits.witnesses.check.message_counts import ARGUMENTS, reason
from capax.limits.witnesses.check.plain_message import embedded, message, plain_logits
from capax.limits.witnesses.check.read_witness import NOT_CHECKED, Witness
from capax.limits.witnesses.check.truths import NotAnInputError, truth
from capax.model.model import Model
from capax.model.numbers import Integer, parse
from capax.model.parts import Head
from capax.model.run.reference import define
from capax.report import Report, joined

PAIRS = 160**2
"""Words with more pairs of positions than this are not run by the definition if there is a shorter way."""
UNCHECKED = "not checked"
"""The figure of a report that names the fields about which nothing was found out."""


def check_witness(witness: Witness, model: Model) -> Report:
    """Whether a witness holds against a model; one for another model is an error.

    Every field is compared with what is worked out again, or named in the figure `not checked`.
    """
    claimed, open_fields = _claimed(witness, model), not_checked(model)
    model = _meant(witness, model)
    try:
        truths = [truth(witness.task, witness.sizes, word, witness.read_at) for word in witness.inputs]
    except NotAnInputError as problem:
        parts = [*claimed, part(f"the inputs are inputs of {witness.task:.60}: {problem}", False)]
        return report_of(parts, open_fields)
    numbers = [_numbers(model, word, witness.read_at) for word in witness.inputs]
    answers = [model.decoding.decode(np.array(row)[None, :])[0] for row in numbers]
    parts = [*claimed, part("the answers that it records are the model's", same(witness.answers, answers))]
    if witness.task == "sparse-averaging":
        parts += _approximation(witness, model)
    if witness.kind != "wrong-answer":
        parts += _pair(witness, model, numbers)
        parts.append(part(f"the truths {_list(truths)} differ", truths[0] != truths[1]))
        parts.append(part(f"the model answers the same for both, {answers[0]!r}", answers[0] == answers[1]))
    wrong = [not _right(witness, model, answer, one) for answer, one in zip(answers, truths, strict=True)]
    parts.append(errs("the model", wrong, [_shown(witness, model, a) for a in answers], [repr(t) for t in truths]))
    return report_of(parts, open_fields)


def not_checked(model: Model) -> dict[str, str]:
    """The fields of a witness that are not checked against a model, and why, where that is not said elsewhere."""
    fields = dict.fromkeys(NOT_CHECKED, "")
    if model.provenance.layout is None:
        fields["task"] = "the model declares no layout"
    return fields


def report_of(parts: list[Report], open_fields: dict[str, str]) -> Report:
    """The report of a witness from those of its parts, with the fields that were not checked."""
    text = ", ".join(f"{name} ({why})" if why else name for name, why in open_fields.items())
    return replace(joined("the witness holds", tuple(parts)), figures={UNCHECKED: text})


def part(statement: str, holds: bool) -> Report:
    """One thing that was looked at."""
    return Report(statement, "exact", holds=bool(holds))


def same(one: Any, two: Any) -> bool:
    """Whether two values are written alike in JSON: 1, 1.0 and true are three."""
    return json.dumps(one, sort_keys=True) == json.dumps(two, sort_keys=True)


def errs(who: str, wrong: list[bool], answers: list[str], truths: list[str]) -> Report:
    """That the answer to one input at least is wrong; the statement names those inputs alone."""
    if not any(wrong):
        return part(f"{who} errs: it answers {' and '.join(answers)}, which is right", False)
    numbers = [number for number, one in enumerate(wrong) if one]
    named = " and ".join(str(number + 1) for number in numbers)
    where = "" if len(wrong) == 1 else f" on input{'s' * (len(numbers) > 1)} {named}"
    what = " and ".join(f"{answers[number]} where {truths[number]} is right" for number in numbers)
    return part(f"{who} errs{where}: it answers {what}", True)


def _claimed(witness: Witness, model: Model) -> list[Report]:
    """That the witness is about what the model claims: a task, its sizes and its numbers. Else any model would err."""
    parts = []
    layout = model.provenance.layout
    if layout is not None:
        declared = {**layout, "queries": str(layout.get("queries"))}
        alike = all(declared.get(name) == value for name, value in {"task": witness.task, **witness.sizes}.items())
        parts.append(part("the layout is the one that the model declares", alike))
    if isinstance(own := parse(model.numbers), Integer):
        parts.append(part("the numbers are those that the model computes in", parse(witness.numbers) == own))
    else:
        what = f"the witness is about the model in the integers {witness.numbers:.60}"
        parts.append(Report(what, "exact", holds=True, assumptions=(f"{model.numbers} is rounded to these integers",)))
    return parts


def _meant(witness: Witness, model: Model) -> Model:
    """The model in the numbers of the witness; it has to be the model that the witness names."""
    system = parse(witness.numbers)
    if not isinstance(system, Integer):
        raise CapaxError(
            "bad-witness", f"its numbers {witness.numbers:.60} are not exact integers", hint="such as integer:8,4,4"
        )
    integers = model.to(witness.numbers)
    if integers.key() != witness.model:
        raise CapaxError(
            "bad-witness",
            "the witness is for another model: the digests of the weights differ",
            hint="give the model file with which the witness was made",
        )
    return integers


def _list(values: list[Any]) -> str:
    return " and ".join(map(repr, values))


def _numbers(model: Model, word: list[Any], at: int) -> list[float]:
    """The logits of the whole model at a position: by its definition, or where that would take long by the plain sums.

    The definition goes through all pairs of positions. A model of one layer is asked for one position alone, for which
    its sums are written down in `plain_message`; other models have no such short cut.
    """
    model.read(word)
    if len(word) ** 2 > PAIRS and _simple(model):
        return [float(c) for c in plain_logits(model, word, at)]
    return define(model, word)[at]


def _simple(model: Model) -> bool:
    """Whether a model has one layer of pairwise heads."""
    layers = [block for block in model.blocks if block.heads]
    return len(layers) == 1 and all(isinstance(head, Head) for head in layers[0].heads)


def _unit(model: Model) -> float:
    """What a model's answer 1 stands for, where answers are numbers."""
    unit = 1.0 if model.provenance.unit is None else model.provenance.unit
    if type(unit) not in (int, float):
        raise CapaxError(
            "bad-model", f"the model's unit {unit!r:.60} is not a number", hint="see model.provenance.unit"
        )
    return float(unit)


def _right(witness: Witness, model: Model, answer: Any, one: Any) -> bool:
    if isinstance(answer, str):
        return answer == str(one)
    if witness.task == "sparse-averaging":
        # an approximation within 1/(2q) counts as right
        return bool(abs(float(answer) * _unit(model) - one) <= 1 / (2 * witness.sizes["q"]))
    return bool(answer == one)


def _shown(witness: Witness, model: Model, answer: Any) -> str:
    """An answer as it stands beside the truth: averages in their unit."""
    if witness.task != "sparse-averaging" or isinstance(answer, str):
        return repr(answer)
    return f"{float(answer) * _unit(model):g}"


def _approximation(witness: Witness, model: Model) -> list[Report]:
    """That the tolerance and the unit that it records are those of the task and of the model."""
    tolerance = 1 / (2 * witness.sizes["q"])
    return [
        part(
            f"the tolerance that it records is 1/(2q) = {tolerance:g}", same(witness.recorded["tolerance"], tolerance)
        ),
        part("the unit that it records is the model's", same(witness.recorded["unit"], _unit(model))),
    ]


def _pair(witness: Witness, model: Model, numbers: list[list[float]]) -> list[Report]:
    """What makes two inputs a witness: they differ in the sender's tokens alone, and nobody else can tell.

    `numbers` are the logits at the position that is read.
    """
    system = parse(model.numbers)
    assert isinstance(system, Integer), "checked before"
    if witness.task not in ARGUMENTS[witness.kind]:
        return [part(f"there is an argument with two inputs of this kind for {witness.task:.60}", False)]
    parts = [_alone(witness)]
    if witness.kind == "indistinguishable":
        # several layers let no one message decide
        what = "all numbers that the model gives at the position that is read are equal"
        parts.append(part(what, numbers[0] == numbers[1]))
    elif witness.task == "sparse-averaging":
        start = len(model.prefix)
        rows = [[embedded(model, system, word, at + start) for at in witness.sender] for word in witness.inputs]
        parts.append(part("the sender's tokens have equal embeddings", rows[0] == rows[1]))
    else:
        parts += _transcripts(witness, model, system)
        if not _simple(model):
            return parts
    return [*parts, *_recorded(witness, model, system)]


def _alone(witness: Witness) -> Report:
    one, two = witness.inputs
    differ = [at for at in range(min(len(one), len(two))) if one[at] != two[at]]
    alone = len(one) == len(two) and bool(differ) and set(differ) <= set(witness.sender)
    return part("the inputs differ, and in the sender's tokens alone", alone)


def _transcripts(witness: Witness, model: Model, system: Integer) -> list[Report]:
    """That the sender says the same of both inputs."""
    simple, apart = _simple(model), witness.read_at not in witness.sender
    parts = [
        part("the model has one layer of pairwise heads", simple),
        part("the query is not the sender's", apart),
    ]
    if simple:
        sent = [message(model, system, word, witness.sender, witness.read_at) for word in witness.inputs]
        parts.append(part("the sender's messages are equal, number by number", sent[0] == sent[1]))
    return parts


def _recorded(witness: Witness, model: Model, system: Integer) -> list[Report]:
    """That the sender, the reason and the bits that it records are those of the argument, worked out again."""
    own = reason(model, system, witness.task, witness.sizes, witness.inputs[0])
    had = "had to exist" if own.guaranteed else "need not exist, as far as is known"
    parts = [
        part("the sender is the one of the argument", witness.sender == own.sender),
        part(f"such inputs {had}, as it records", same(witness.recorded["guaranteed"], own.guaranteed)),
        part(f"the reason is the one that it records: {own.why}", same(witness.recorded["why"], own.why)),
    ]
    if own.message_bits is not None:
        alike = same(witness.recorded["message_bits"], own.message_bits)
        parts.append(part(f"a message has {own.message_bits:,} bits as written, as it records", alike))
    return parts
