"""The parts of a second look, one at a time: each can fail alone, and says what it found."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from capax.errors import CapaxError
from capax.limits.witnesses.check import fooling_check as check
from capax.limits.witnesses.check.fooling_check import check_witness, errs, not_checked, part, report_of, same
from capax.limits.witnesses.check.read_witness import read_witness
from capax.limits.witnesses.models import composition, sparse_averaging
from capax.limits.witnesses.models.random_layers import ToyShape
from capax.model.model import Model
from capax.model.provenance import Provenance
from capax.report import Report
from tests.support.witness_subjects import SUBJECTS, witness_of


def looked(name: str, model: Model | None = None, **change: Any) -> Report:
    """The second look at the witness of a subject, some fields of which were changed."""
    made = json.loads(witness_of(name)) | change
    model = model or SUBJECTS[name][0]
    return check_witness(read_witness(json.dumps(made | {"model": model.to(made["numbers"]).key()}), "w"), model)


def failed(report: Report) -> list[str]:
    """The statements of the parts that do not hold."""
    assert report.holds == all(one.holds for one in report.parts)
    return [one.statement for one in report.parts if not one.holds]


@pytest.mark.parametrize(
    ("name", "change", "parts"),
    [
        ("composition", {"answers": [3, 3]}, ["the answers that it records are the model's"]),
        ("composition", {"guaranteed": 1}, ["such inputs had to exist, as it records"]),
        ("no guarantee", {"guaranteed": True}, ["such inputs need not exist, as far as is known, as it records"]),
        ("composition", {"message_bits": 17.0}, ["a message has 17 bits as written, as it records"]),
        ("averages", {"tolerance": 0.2}, ["the tolerance that it records is 1/(2q) = 0.166667"]),
        ("averages", {"unit": 1.0}, ["the unit that it records is the model's"]),
        ("sequential", {"sender": [0, 1, 2, 3, 4]}, ["the sender is the one of the argument"]),
        (
            "composition",
            {"task": {"task": "composition", "n": 3}},
            [
                "the layout is the one that the model declares",
                "the inputs are inputs of composition: a prompt is f, g and x, read at x",
            ],
        ),
        ("two layers", {"answers": [1]}, ["the answers that it records are the model's"]),
    ],
)
def test_one_thing_is_wrong(name: str, change: dict[str, Any], parts: list[str]) -> None:
    report = looked(name, **change)
    assert failed(report) == parts
    assert not report.holds
    assert report.statement == "the witness holds"


def test_a_sender_that_also_asks() -> None:
    """The query among the sender's positions, and one position too few, which is none of those that differ."""
    own = json.loads(witness_of("composition"))["sender"]
    wide = failed(looked("composition", sender=[*own, 8]))
    assert wide == ["the query is not the sender's", "the sender is the one of the argument"]
    assert failed(looked("composition", sender=[])) == [
        "the inputs differ, and in the sender's tokens alone",
        "the sender is the one of the argument",
    ]


def test_equal_inputs_are_no_witness() -> None:
    one = json.loads(witness_of("composition"))["inputs"][0]
    found = failed(looked("composition", inputs=[one, one]))
    assert found == ["the inputs differ, and in the sender's tokens alone", "the truths 0 and 0 differ"]


def test_a_right_answer_is_no_witness() -> None:
    model = composition.solving(3)
    word = [1, 2, 0, 2, 0, 1, 0]
    made = json.loads(witness_of("two layers")) | {"task": {"task": "composition", "n": 3}, "numbers": model.numbers}
    made |= {"model": model.key(), "inputs": [word], "read_at": 6, "answers": model(word)[6:]}
    report = check_witness(read_witness(json.dumps(made), "w"), model)
    assert failed(report) == ["the model errs: it answers 0, which is right"]


def test_messages_that_differ() -> None:
    """Two functions that the layer tells apart: the messages differ, and what follows from that."""
    model = SUBJECTS["composition"][0]
    one = json.loads(witness_of("composition"))["inputs"][0]
    for value in range(4):
        for at in range(4, 8):
            two = [*one[:at], value, *one[at + 1 :]]
            found = failed(looked("composition", inputs=[one, two], answers=[model(one)[8], model(two)[8]]))
            if "the sender's messages are equal, number by number" in found:
                return
    pytest.fail("all messages are equal")


def test_answers_that_differ() -> None:
    """A model that answers each of two inputs as it should: the part that says otherwise fails, and names the first."""
    model = composition.solving(3)
    words = [[1, 2, 0, 2, 0, last, 0] for last in (1, 2)]
    words[1][4] = 1
    assert [model(word)[6] for word in words] == [0, 1]
    made = json.loads(witness_of("composition")) | {"task": {"task": "composition", "n": 3}, "numbers": model.numbers}
    made |= {"model": model.key(), "inputs": words, "read_at": 6, "answers": [0, 1], "sender": [3, 4, 5]}
    found = failed(check_witness(read_witness(json.dumps(made), "w"), model))
    assert "the model answers the same for both, 0" in found


def test_embeddings_that_differ() -> None:
    model = sparse_averaging.solving(2)
    words = [["-e1 0,1"] * 4 + [last] for last in ("-e1 0,2", "-e1 0,3")]
    words = [["+e1 0,1", *word[1:]] for word in words]
    made = json.loads(witness_of("averages")) | {"task": {"task": "sparse-averaging", "q": 2}, "read_at": 4}
    made |= {"numbers": model.numbers, "model": model.key(), "inputs": words, "sender": [4], "tolerance": 0.25}
    made |= {"unit": float(model.provenance.unit), "answers": [model(word)[4] for word in words]}
    found = failed(check_witness(read_witness(json.dumps(made), "w"), model))
    assert "the sender's tokens have equal embeddings" in found
    assert "the model errs: it answers 0 and 0, which is right" in found
    assert "the truths 0.0 and 0.0 differ" in found


def test_numbers_at_the_answer_that_differ() -> None:
    """Several layers: the whole model tells the two inputs apart."""
    model, whole = SUBJECTS["sequential"][0], json.loads(witness_of("sequential"))
    one = whole["inputs"][0]
    found = []
    for value in range(4):
        two = [value, *one[1:]]
        found += failed(looked("sequential", inputs=[one, two], answers=[model(one)[7], model(two)[7]]))
    assert "all numbers that the model gives at the position that is read are equal" in found


def test_kinds_that_a_task_does_not_have() -> None:
    """Equal transcripts are for some tasks, and sets that look alike for one."""
    whole = json.loads(witness_of("composition"))
    del whole["message_bits"]
    made = read_witness(json.dumps(whole | {"kind": "indistinguishable"}), "w")
    found = failed(check_witness(made, SUBJECTS["composition"][0]))
    assert found == ["there is an argument with two inputs of this kind for composition"]
    chain = json.loads(witness_of("sequential")) | {"kind": "equal-transcripts", "message_bits": 1}
    found = failed(check_witness(read_witness(json.dumps(chain), "w"), SUBJECTS["sequential"][0]))
    assert found == ["there is an argument with two inputs of this kind for sequential-composition"]


@pytest.mark.parametrize("model", [composition.random_layers(4, ToyShape(layers=2), 0), "tensor"])
def test_one_layer_of_pairwise_heads(model: Any) -> None:
    """Messages are asked of such models alone; of others it is said that they are none."""
    if model == "tensor":
        base = SUBJECTS["match3"][0]
        tensor = match3_tensor()
        model = replace(base, blocks=(replace(base.blocks[0], heads=(tensor,)),))
        name = "match3"
    else:
        name = "composition"
    whole = json.loads(witness_of(name))
    at = whole["read_at"]
    report = looked(name, model, answers=[model(word)[at] for word in whole["inputs"]])
    assert "the model has one layer of pairwise heads" in failed(report)
    statements = [one.statement for one in report.parts]
    assert not any("messages are equal" in text or "as it records" in text for text in statements)


def match3_tensor() -> Any:
    """A third-order head of width 3, all zeros."""
    from capax.model.parts import Affine, TensorHead

    def zero() -> Affine:
        return Affine(np.zeros((3, 1), np.int64), np.zeros(1, np.int64))

    return TensorHead(
        query=zero(), key1=zero(), key2=zero(), value1=zero(), value2=zero(),
        output=np.zeros((1, 3), np.int64),
    )  # fmt: skip


def test_which_fields_are_not_checked() -> None:
    model = SUBJECTS["composition"][0]
    assert not_checked(model) == {"method": "", "seed": ""}
    bare = replace(model, provenance=Provenance())
    assert not_checked(bare) == {"method": "", "seed": "", "task": "the model declares no layout"}
    report = looked("composition", bare)
    assert report.holds
    assert report.figures == {"not checked": "method, seed, task (the model declares no layout)"}
    assert [one.statement for one in report.parts][:2] == [
        "the numbers are those that the model computes in",
        "the answers that it records are the model's",
    ]


def test_a_model_in_floats_is_rounded() -> None:
    model = SUBJECTS["composition"][0].to("float64")
    report = looked("composition", model)
    assert report.holds
    assert "the witness is about the model in the integers integer:8,4,4" in [one.statement for one in report.parts]
    assert report.assumptions == ("float64 is rounded to these integers",)


def test_a_layout_may_be_declared_with_numbers() -> None:
    """The sizes of queries are a text in a witness, and may be a number in a model; other names play no part."""
    model = SUBJECTS["sequential"][0]
    layout = {"task": "sequential-composition", "n": 2, "queries": 2, "note": "x"}
    assert looked("sequential", replace(model, provenance=Provenance(layout=layout))).holds
    other = replace(model, provenance=Provenance(layout=layout | {"queries": 3}))
    assert failed(looked("sequential", other)) == ["the layout is the one that the model declares"]
    other = replace(model, provenance=Provenance(layout=layout | {"task": "parity"}))
    assert failed(looked("sequential", other)) == ["the layout is the one that the model declares"]


def test_other_numbers_than_the_models() -> None:
    model = SUBJECTS["composition"][0]
    whole = json.loads(witness_of("composition"))
    other = model.to("integer:9,4,4")
    made = whole | {"numbers": "integer:9,4,4", "model": other.key(), "answers": [other(w)[8] for w in whole["inputs"]]}
    found = failed(check_witness(read_witness(json.dumps(made), "w"), model))
    assert "the numbers are those that the model computes in" in found


@pytest.mark.parametrize(
    ("change", "what", "hint"),
    [
        ({"numbers": "float64"}, "its numbers float64 are not exact integers", "such as integer:8,4,4"),
        (
            {"model": "0" * 64},
            "the witness is for another model: the digests of the weights differ",
            "give the model file with which the witness was made",
        ),
    ],
)
def test_witnesses_for_another_model(change: dict[str, Any], what: str, hint: str) -> None:
    made = json.loads(witness_of("composition")) | change
    with pytest.raises(CapaxError) as caught:
        check_witness(read_witness(json.dumps(made), "w"), SUBJECTS["composition"][0])
    assert (caught.value.code, caught.value.what, caught.value.hint) == ("bad-witness", what, hint)


def test_a_unit_that_is_no_number() -> None:
    model = SUBJECTS["averages"][0]
    for unit in ("1", True):
        with pytest.raises(CapaxError) as caught:
            looked("averages", replace(model, provenance=replace(model.provenance, unit=unit)))
        assert caught.value.code == "bad-model"
        assert caught.value.what == f"the model's unit {unit!r} is not a number"
        assert caught.value.hint == "see model.provenance.unit"
    plain = replace(model, provenance=replace(model.provenance, unit=None))
    found = failed(looked("averages", plain))
    assert found == ["the unit that it records is the model's"]
    assert failed(looked("averages", plain, unit=1.0)) == []
    assert failed(looked("averages", replace(plain, provenance=replace(plain.provenance, unit=2)), unit=2.0)) == []


@pytest.mark.parametrize(("answer", "right"), [(3.0, True), (3.01, False), (1.0, True), (0.99, False), ("2", False)])
def test_averages_are_right_within_1_over_2q(answer: Any, right: bool) -> None:
    """At q = 2, with a unit of 1/4: the truth 1/2, and 1/4 on both sides."""
    model = replace(SUBJECTS["averages"][0], provenance=Provenance(unit=0.25))
    given = read_witness(json.dumps(json.loads(witness_of("averages")) | {"task": TASK}), "w")
    assert check._right(given, model, answer, 0.5) == right


TASK = {"task": "sparse-averaging", "q": 2}


def test_answers_of_other_tasks() -> None:
    """A text stands for the number that it writes, and a truth value for 0 and 1."""
    model, given = SUBJECTS["two layers"][0], read_witness(witness_of("two layers"), "w")
    for answer, right in (
        (1, True),
        (True, True),
        ("1", True),
        (1.0, True),
        (0, False),
        ("True", False),
        ("01", False),
    ):
        assert check._right(given, model, answer, 1) == right
    assert check._shown(given, model, "1") == "'1'"
    averages = read_witness(witness_of("averages"), "w")
    assert check._shown(averages, SUBJECTS["averages"][0], "1") == "'1'"


def test_long_words_go_by_the_plain_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond 160^2 pairs of positions, for one layer of pairwise heads, and with the same answer as the definition."""
    ran = []
    real = check.define

    def define(model: Model, word: list[Any]) -> Any:
        ran.append(len(word))
        return real(model, word)

    monkeypatch.setattr(check, "define", define)
    model, word = SUBJECTS["composition"][0], [0, 1, 2, 3, 3, 2, 1, 0, 1]
    whole = check._numbers(model, word, 8)
    monkeypatch.setattr(check, "PAIRS", 81)
    assert check._numbers(model, word, 8) == whole
    assert ran == [9, 9]
    monkeypatch.setattr(check, "PAIRS", 80)
    short = check._numbers(model, word, 8)
    assert short == whole
    assert all(type(number) is float for number in short)
    assert ran == [9, 9]
    two = SUBJECTS["two layers"][0]
    assert check._numbers(two, word, 8) == real(two, word)[8]
    assert ran == [9, 9, 9]
    with pytest.raises(CapaxError):
        check._numbers(model, [*word, 9], 8)
    monkeypatch.undo()
    assert check.PAIRS == 160**2


def test_parts_and_reports() -> None:
    """One thing that was looked at is exact; a report names what was not looked at."""
    one = part("a", True)
    assert (one.statement, one.evidence, one.holds) == ("a", "exact", True)
    assert part("a", np.bool_(True)).holds is True
    report = report_of([one, part("b", False)], {"x": "", "y": "why"})
    assert (report.statement, report.holds) == ("the witness holds", False)
    assert report.figures == {"not checked": "x, y (why)"}


def test_values_that_are_written_alike() -> None:
    assert same({"a": 1, "b": [2.5]}, {"b": [2.5], "a": 1})
    for one, two in ((1, 1.0), (1, True), ("1", 1), ([1], [1, 1]), ({"a": 1}, {"a": 2}), (None, False), ("a", "A")):
        assert not same(one, two)


@pytest.mark.parametrize(
    ("wrong", "holds", "text"),
    [
        ([True], True, "it errs: it answers a where x is right"),
        ([False], False, "it errs: it answers a, which is right"),
        ([False, True], True, "it errs on input 2: it answers b where y is right"),
        ([True, False], True, "it errs on input 1: it answers a where x is right"),
        ([True, True], True, "it errs on inputs 1 and 2: it answers a where x is right and b where y is right"),
        ([False, False], False, "it errs: it answers a and b, which is right"),
    ],
)
def test_errors_name_their_input(wrong: list[bool], holds: bool, text: str) -> None:
    count = len(wrong)
    found = errs("it", wrong, ["a", "b"][:count], ["x", "y"][:count])
    assert (found.holds, found.statement) == (holds, text)
