"""Every field of a witness, changed in many ways: the change is refused, or the field is named as not checked."""

import json
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

from capax.errors import CapaxError
from capax.limits.protocols.play.player import own_stream
from capax.limits.witnesses.check.fooling_check import check_witness
from capax.limits.witnesses.check.net_check import check_net_witness
from capax.limits.witnesses.check.read_witness import NOT_CHECKED, read_witness
from capax.limits.witnesses.net import FullyConnected, IntegerRnn, read_net
from capax.limits.witnesses.search.one_query import OneQuery
from capax.model.run.run import logits
from tests.support.witness_subjects import NETS, SUBJECTS, Witness, witness_of


def accepted(name: str, text: str) -> bool:
    """Whether a second look accepts a text as a witness against a subject."""
    try:
        if name in NETS:
            return check_net_witness(text, json.dumps(NETS[name]), "w").holds
        return check_witness(read_witness(text, "w"), SUBJECTS[name][0]).holds
    except CapaxError:
        return False


def changes(value: Any) -> Iterator[Any]:
    """Values that differ from a value of JSON in one thing."""
    yield None
    match value:
        case bool():
            yield from (not value, int(value), str(value))
        case int() | float():
            yield from (value + 1, value - 1, str(value), [value])
            yield float(value) if isinstance(value, int) else int(value)
            if value in (0, 1):
                yield bool(value)
        case str():
            yield from (value + " ", value[:-1], value.upper() + "?", [value])
        case list():
            yield from ([], value[:-1], [*value, *value[:1]], [*value[:1], *value], {}, "")
            if value[::-1] != value:
                yield value[::-1]
            for at, item in enumerate(value):
                few = [item + 1, [True, str(item), None, float(item)][at % 4]] if type(item) is int else changes(item)
                yield from ([*value[:at], new, *value[at + 1 :]] for new in few)
        case dict():
            yield value | {"more": 1}
            for key, item in value.items():
                yield {k: v for k, v in value.items() if k != key}
                yield from (value | {key: new} for new in changes(item))


def truth(task: dict[str, Any], word: list[Any], at: int) -> Any:
    """The right answer, by the words of the task; None for what is no input. Written for these tests alone."""
    n = task.get("n", 0)
    match task["task"]:
        case "composition":
            return word[n + word[word[2 * n]]] if len(word) == 2 * n + 1 else None
        case "match3":
            big = task["modulus"]
            return int(any((1 + y + z) % big == 0 for y in word for z in word))
        case "parity":
            return word.count(1) % 2
        case "sparse-averaging":
            signs = [1 if token[0] == "+" else -1 for token in word]
            return sum(signs[int(place)] for place in word[at][4:].split(",")) / task["q"]
        case "sequential-composition":
            wide = n * int(task["queries"])
            second, first, (i, w) = word[:wide], word[wide : wide + n], word[-2:]
            return second[w * n + first[i]]
        case _:
            rows = [[int(bit) for bit in row] for row in word]
            return int(any(rows[at][j] and rows[at][k] and rows[j][k] for j in range(n) for k in range(n)))


def is_true(name: str, made: Witness) -> bool:
    """Whether inputs other than those of the search make a true witness: by the fast runtime and the truths above."""
    if name in NETS:
        return is_true_of_net(name, made)
    model, words, at = SUBJECTS[name][0], made["inputs"], made["read_at"]
    answers = [model(word)[at] for word in words]
    truths = [truth(made["task"], word, at) for word in words]
    unit = made.get("unit", 1.0)
    wrong = any(abs(a * unit - t) > made.get("tolerance", 0) for a, t in zip(answers, truths, strict=True))
    if made["kind"] == "wrong-answer":
        return answers == made["answers"] and wrong
    differ = {place for place in range(len(words[0])) if words[0][place] != words[1][place]}
    alike = answers == made["answers"] and differ <= set(made["sender"]) and len(set(map(len, words))) == 1
    return alike and truths[0] != truths[1] and wrong and same_message(name, made)


def same_message(name: str, made: Witness) -> bool:
    """Whether the sender says the same of both inputs, by the code of the protocols."""
    model, (one, two), sender = SUBJECTS[name][0], made["inputs"], made["sender"]
    if name == "sequential":
        return bool((logits(model, [one])[0][-1] == logits(model, [two])[0][-1]).all())
    if name == "averages":
        streams = [own_stream(model, [word[-1]], [len(word) - 1], len(word)) for word in (one, two)]
        return bool((streams[0] == streams[1]).all())
    tokens = tuple((one[at], two[at]) for at in sender)
    query = OneQuery(model, tuple(sender), tokens, one[-1], len(one) - 1, len(one))
    said = query.messages([[0] * len(sender), [1] * len(sender)])
    return bool((said[0] == said[1]).all())


def is_true_of_net(name: str, made: Witness) -> bool:
    """The same for networks."""
    net, (one, two) = read_net(json.dumps(NETS[name]), name), made["inputs"]
    at = one[-1]
    if isinstance(net, FullyConnected):
        rows = [[Fraction(v) for v in word[:-1]] for word in (one, two)]
        said = [net.answer(row, at) for row in rows]
        return one[-1] == two[-1] and rows[0][at] != rows[1][at] and said[0] == said[1]
    assert isinstance(net, IntegerRnn)
    states = []
    for word in (one, two):
        h = 0
        for bit in word[:-1]:
            h = max(-4, min(3, h + bit))
        states.append(h)
    return one[-1] == two[-1] and one[at] != two[at] and states[0] == states[1]


@pytest.mark.parametrize("name", [*SUBJECTS, *NETS])
def test_every_change_is_refused_or_named(name: str) -> None:
    """Of all changes of one thing, those are accepted that make another true witness, and those of fields named so."""
    text = witness_of(name)
    whole: Witness = json.loads(text)
    assert whole["kind"] == (SUBJECTS[name][2] if name in SUBJECTS else whole["kind"])
    assert accepted(name, text)
    assert is_true(name, whole)
    tried = 0
    for field, value in whole.items():
        for new in changes(value):
            made = whole | {field: new}
            if not accepted(name, json.dumps(made)):
                tried += 1
                continue
            assert field in NOT_CHECKED or (field in ("inputs", "read_at") and is_true(name, made)), (
                f"{field} = {new!r} is accepted"
            )
        assert not accepted(name, json.dumps({k: v for k, v in whole.items() if k != field})), f"no {field}"
    assert tried > 60


@pytest.mark.parametrize("name", [*SUBJECTS, *NETS])
def test_no_other_field_is_let_in(name: str) -> None:
    whole = json.loads(witness_of(name))
    foreign = {"note", "sender", "message_bits", "guaranteed", "why", "tolerance", "unit", "numbers"} - whole.keys()
    for field in foreign:
        for value in ([], 1, False, ""):
            assert not accepted(name, json.dumps(whole | {field: value})), field


@pytest.mark.parametrize("name", ["composition", "recurrent"])
def test_a_field_that_stands_twice_is_refused(name: str) -> None:
    text = witness_of(name)
    assert not accepted(name, '{"guaranteed": true, ' + text[1:])
    assert not accepted(name, text.replace('{"task": ', '{"n": 3, "task": '))


@pytest.mark.parametrize("name", ["composition", "match3"])
def test_a_witness_with_another_reason_does_not_hold(name: str) -> None:
    """A reason, a guarantee or a count of bits that are not those of the model: each is refused by one part alone."""
    whole = json.loads(witness_of(name))
    said = {"guaranteed": not whole["guaranteed"], "why": "by magic", "message_bits": whole["message_bits"] + 1}
    for field, value in said.items():
        report = check_witness(read_witness(json.dumps(whole | {field: value}), "w"), SUBJECTS[name][0])
        assert [part.holds for part in report.parts].count(False) == 1, field


def test_answers_that_are_not_the_models_are_refused() -> None:
    """Where both inputs are answered wrongly, other recorded answers would still be two wrong ones."""
    whole = json.loads(witness_of("composition"))
    for answers in ([whole["answers"][0] + 1] * 2, [*whole["answers"], 0], [True, True], ["0", "0"]):
        assert not accepted("composition", json.dumps(whole | {"answers": answers}))
    report = check_witness(read_witness(json.dumps(whole | {"answers": [9, 9]}), "w"), SUBJECTS["composition"][0])
    assert [part.statement for part in report.parts if not part.holds] == [
        "the answers that it records are the model's"
    ]
