"""The second look at a witness: the model by its definition, the task and the messages written down once more."""

from typing import Any

import numpy as np

from capax.errors import CapaxError
from capax.limits.recheck.plain_message import embedded, message, plain_logits
from capax.limits.recheck.read import Given
from capax.limits.recheck.truths import NotAnInputError, truth
from capax.model.definition import define
from capax.model.model import Model
from capax.model.numbers import Integer, parse
from capax.model.parts import Head
from capax.report import Report, joined

PAIRS = 160**2
"""Words with more pairs of places than this are not run by the definition if there is a shorter way."""


def check_witness(given: Given, model: Model) -> Report:
    """Whether a witness holds against a model; one for another model is an error."""
    parts = _claimed(given, model)
    model = _meant(given, model)
    try:
        truths = [truth(given.task, given.sizes, word, given.read_at) for word in given.inputs]
    except NotAnInputError as problem:
        return joined("the witness holds", (*parts, _part(f"the inputs are inputs of {given.task}: {problem}", False)))
    said = [_answer(model, word, given.read_at) for word in given.inputs]
    parts.append(_part("the answers that it records are the model's", said == given.answers))
    if given.kind != "wrong-answer":
        alike = given.kind == "equal-transcripts"
        parts += _transcripts(given, model) if alike else [_alone(given), _whole(given, model)]
        parts.append(_part(f"the truths {_list(truths)} differ", truths[0] != truths[1]))
        parts.append(_part(f"the model answers the same for both, {said[0]!r}", said[0] == said[1]))
    wrong = [not _right(given, model, answer, one) for answer, one in zip(said, truths, strict=True)]
    shown = ", ".join(f"{answer!r} where {one!r} is right" for answer, one in zip(said, truths, strict=True))
    parts.append(_part(f"the model errs: it answers {shown}", any(wrong)))
    return joined("the witness holds", tuple(parts))


def _claimed(given: Given, model: Model) -> list[Report]:
    """That the witness is about what the model claims: a task, its sizes and its numbers. Else any model would err."""
    layout = model.facts.get("layout")
    sizes = ", ".join(f"{key} {value}" for key, value in given.sizes.items())
    if isinstance(layout, dict):
        same = layout == {"task": given.task, **given.sizes}
        what = "the layout is the one that the model declares"
    else:
        same, what = (
            True,
            f"the model declares no layout; the witness takes it as one of {given.task:.60} with {sizes:.80}",
        )
    parts = [_part(what, same)]
    if isinstance(own := parse(model.numbers), Integer):
        parts.append(_part("the numbers are those that the model computes in", parse(given.numbers) == own))
    return parts


def _meant(given: Given, model: Model) -> Model:
    """The model in the numbers of the witness; it has to be the model that the witness names."""
    system = parse(given.numbers)
    if not isinstance(system, Integer):
        raise CapaxError(
            "bad-witness", f"its numbers {given.numbers:.60} are not exact integers", hint="such as integer:8,4,4"
        )
    found = model.to(given.numbers)
    if found.key() != given.model:
        raise CapaxError(
            "bad-witness",
            "the witness is for another model: the digests of the weights differ",
            hint="give the model file with which the witness was made",
        )
    return found


def _part(statement: str, holds: bool) -> Report:
    return Report(statement, "exact", holds=bool(holds))


def _list(values: list[Any]) -> str:
    return " and ".join(map(repr, values))


def _answer(model: Model, word: list[Any], at: int) -> Any:
    """The answer of the whole model at a place."""
    return model.decoding.decode(np.array(_numbers(model, word, at))[None, :])[0]


def _numbers(model: Model, word: list[Any], at: int) -> list[float]:
    """The logits of the whole model at a place: by its definition, or where that would take long by the plain sums.

    The definition goes through all pairs of places. A model of one layer is asked for one place alone, for which its
    sums are written down in `plain_message`; other models have no such short cut.
    """
    model.read(word)
    if len(word) ** 2 > PAIRS and sum(bool(block.heads) for block in model.blocks) == 1 and _pairwise(model):
        return [float(c) for c in plain_logits(model, word, at)]
    return define(model, word)[at]


def _pairwise(model: Model) -> bool:
    return all(isinstance(head, Head) for block in model.blocks for head in block.heads)


def _right(given: Given, model: Model, answer: Any, one: Any) -> bool:
    if given.task == "sparse-averaging":
        unit = model.facts.get("unit", 1.0)
        if isinstance(answer, str) or not isinstance(unit, (int, float)):
            return False
        # an approximation within 1/(2q) counts as right
        return bool(abs(float(answer) * float(unit) - one) <= 1 / (2 * given.sizes["q"]))
    return bool(answer == one) if not isinstance(answer, str) else answer == str(one)


def _alone(given: Given) -> Report:
    one, two = given.inputs
    differ = [at for at in range(min(len(one), len(two))) if one[at] != two[at]]
    alone = len(one) == len(two) and bool(differ) and set(differ) <= set(given.sender)
    return _part("the inputs differ, and in the sender's tokens alone", alone)


def _whole(given: Given, model: Model) -> Report:
    """That the whole model makes the same numbers of both inputs, where several layers let no one message decide."""
    numbers = [_numbers(model, word, given.read_at) for word in given.inputs]
    return _part("all numbers that the model gives at the place that is read are equal", numbers[0] == numbers[1])


def _transcripts(given: Given, model: Model) -> list[Report]:
    """That the two inputs differ in the sender's tokens alone, and that the sender says the same."""
    system = parse(model.numbers)
    assert isinstance(system, Integer), "checked before"
    parts = [_alone(given)]
    if given.task == "sparse-averaging":
        start = len(model.prefix)
        rows = [[embedded(model, system, word, at + start) for at in given.sender] for word in given.inputs]
        return [*parts, _part("the sender's tokens have equal embeddings", rows[0] == rows[1])]
    layers = [block for block in model.blocks if block.heads]
    simple = len(layers) == 1 and all(isinstance(head, Head) for head in layers[0].heads)
    parts.append(_part("the model has one layer of pairwise heads", simple))
    parts.append(_part("the query is not the sender's", given.read_at not in given.sender))
    if simple and parts[0].holds:
        said = [message(model, system, word, given.sender, given.read_at) for word in given.inputs]
        parts.append(_part("the sender's messages are equal, number by number", said[0] == said[1]))
    return parts
