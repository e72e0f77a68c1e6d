"""The check of counterexamples: it holds of those that were found, and of nothing else."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from capax.auditor.counterexample_check import NOT_CHECKED, check_audit_witness
from capax.auditor.question import question
from capax.auditor.spec import Spec
from capax.auditor.witness import FIELDS, read_audit_witness
from capax.errors import CapaxError
from capax.model.model import Model
from tests.support.audit_subjects import blocks, gpt, parity
from tests.support.models import Shape, with_heads
from tests.unit.auditor.test_witness import written, wrong_word

SPECS = {"parity": parity(), "blocks": blocks()}


def named(name: str) -> Spec:
    """A specification whose definition is its name."""
    return replace(SPECS[name], kind="function", definition=name)


def spec_of(kind: str, definition: str) -> Spec:
    """The specification of a name."""
    if kind != "function":
        raise CapaxError("bad-witness", f"no kind {kind}")
    return named(definition)


def holds(data: dict[str, Any], model: Model) -> bool:
    """Whether the check accepts a witness."""
    try:
        return check_audit_witness(read_audit_witness(json.dumps(data), "w"), model, spec_of).holds
    except CapaxError:
        return False


SHAPE = Shape(decoding=("F", "T"), grain=1, norms=False, scales=(1.0,), table=False)
SUBJECTS: dict[str, tuple[Model, dict[str, Any]]] = {
    "each": (gpt(2), {"read": "each"}),
    "last, moved": (gpt(), {"read": "last", "offset": 3}),
    "end": (gpt(1, prefix=("$",)), {"read": "end", "end": "$"}),
    "float64": (gpt(numbers="float64"), {"read": "last"}),
    "bfloat16": (gpt(numbers="bfloat16"), {"read": "last"}),
}


@pytest.mark.parametrize("name", SPECS)
@pytest.mark.parametrize("subject", SUBJECTS)
def test_a_counterexample_holds(subject: str, name: str) -> None:
    """Against its own model, and no other."""
    model, options = SUBJECTS[subject]
    asked = question(model, named(name), **options)
    data = written(asked, wrong_word(asked))
    report = check_audit_witness(read_audit_witness(json.dumps(data), "w"), model, spec_of)
    assert report.holds, str(report)
    assert report.figures == {"not checked": ", ".join(NOT_CHECKED)}
    with pytest.raises(CapaxError, match="another model"):
        check_audit_witness(read_audit_witness(json.dumps(data), "w"), gpt(seed=9), spec_of)


def changes(value: Any) -> Iterator[Any]:
    """Values that differ from a value of JSON in one thing."""
    yield None
    match value:
        case bool():
            yield from (not value, int(value), str(value))
        case int() | float():
            yield from (value + 1, value - 1, str(value), [value])
        case str():
            yield from (value + " ", value[:-1], value.upper() + "?", [value])
        case list():
            yield from ([], value[:-1], [*value, *value[:1]], {}, "", [*value, "x"], value[::-1])
        case dict():
            yield value | {"more": 1}
            for key, item in value.items():
                yield {k: v for k, v in value.items() if k != key}
                yield from (value | {key: new} for new in changes(item))


@pytest.mark.parametrize("subject", SUBJECTS)
def test_a_changed_witness_does_not_hold(subject: str) -> None:
    """Unless it makes another word of it that is wrong in the same way, or is in a field that is not checked."""
    model, options = SUBJECTS[subject]
    asked = question(model, named("parity"), **options)
    data = written(asked, wrong_word(asked))
    for field in FIELDS:
        for new in changes(data[field]):
            if json.dumps(new) == json.dumps(data[field]) or field in NOT_CHECKED:
                continue
            if field == "specification" and isinstance(new, dict) and new | {"name": 0} == data[field] | {"name": 0}:
                continue
            changed = data | {field: new}
            if field == "word" and new and holds(changed, model):
                again = written(asked, tuple(new))
                assert again | {"margins": 0} == changed | {"margins": 0}
            else:
                assert not holds(changed, model), (field, new)


def test_a_right_answer_is_no_witness() -> None:
    """Of a word that the model gets right, with a specification that was changed to its other side."""
    asked = question(gpt(), named("parity"), read="last")
    data = written(asked, wrong_word(asked))
    right = data | {"expected": data["answer"], "answer": data["expected"]}
    assert not holds(right, gpt())
    far = data | {"margins": {name: margin * 2 for name, margin in data["margins"].items()}}
    assert not holds(far, gpt())


def test_exact_integers_are_checked_by_the_definition() -> None:
    """To the last digit."""
    model = with_heads(SHAPE).to("integer:8,6,6")
    model = replace(model, vocabulary=type(model.vocabulary)(("0", "1", "c")), prefix=())
    asked = question(model, named("parity"), read="last")
    data = written(asked, wrong_word(asked))
    assert holds(data, model)
    (name,) = data["margins"]
    assert not holds(data | {"margins": {name: data["margins"][name] + 0.001}}, model)


def test_a_definition_that_cannot_be_read_is_no_witness() -> None:
    """Whatever goes wrong when it is read."""
    asked = question(gpt(), named("parity"), read="last")
    witness = read_audit_witness(json.dumps(written(asked, wrong_word(asked))), "w")
    with pytest.raises(CapaxError, match="cannot be built again"):
        check_audit_witness(replace(witness, spec_definition="nothing"), gpt(), spec_of)
