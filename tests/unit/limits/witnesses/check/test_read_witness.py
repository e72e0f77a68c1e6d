"""What is read as a witness, and what is not: each condition from both sides, with what is said."""

import json
from typing import Any

import pytest

from capax.errors import CapaxError
from capax.limits.witnesses.check.read_witness import NOT_CHECKED, read_witness

PAIR: dict[str, Any] = {
    "format": "capax-witness",
    "version": 1,
    "kind": "equal-transcripts",
    "task": {"task": "composition", "n": 2},
    "numbers": "integer:8,4,4",
    "model": "ab",
    "inputs": [[0, 1, 1, 0, 0], [0, 1, 0, 1, 0]],
    "read_at": 4,
    "answers": [0, 0],
    "method": "enumeration",
    "seed": 0,
    "guaranteed": True,
    "why": "because",
    "sender": [2, 3],
    "message_bits": 7,
}
ALIKE = {key: value for key, value in PAIR.items() if key != "message_bits"} | {"kind": "indistinguishable"}
WRONG = {key: value for key, value in ALIKE.items() if key not in ("guaranteed", "why", "sender")} | {
    "kind": "wrong-answer",
    "inputs": [[0, 1]],
    "read_at": 0,
    "answers": [1],
}
MEAN = WRONG | {"task": {"task": "sparse-averaging", "q": 1}, "tolerance": 0.5, "unit": 1.0}


def test_a_witness_is_read() -> None:
    found = read_witness(json.dumps(PAIR), "w.json")
    assert (found.kind, found.task, found.sizes) == ("equal-transcripts", "composition", {"n": 2})
    assert (found.numbers, found.model) == ("integer:8,4,4", "ab")
    assert (found.inputs, found.read_at, found.answers) == (PAIR["inputs"], 4, [0, 0])
    assert found.sender == [2, 3]
    assert found.recorded == {"guaranteed": True, "why": "because", "message_bits": 7}
    assert read_witness(json.dumps(ALIKE), "w.json").recorded == {"guaranteed": True, "why": "because"}
    wrong = read_witness(json.dumps(WRONG), "w.json")
    assert (wrong.inputs, wrong.answers, wrong.sender, wrong.recorded) == ([[0, 1]], [1], [], {})
    assert read_witness(json.dumps(MEAN), "w.json").recorded == {"tolerance": 0.5, "unit": 1.0}
    assert NOT_CHECKED == ("method", "seed")


@pytest.mark.parametrize(
    "change",
    [
        {"task": {"task": "composition", "n": 1}},
        {"task": {"task": "composition", "n": 1_000_000}},
        {"task": {"task": "sequential-composition", "n": 2, "queries": "2"}},
        {"inputs": [["a", 1], [1.5, True]], "read_at": 0, "sender": []},
        {"inputs": [["a", 1], [1.5, True]], "read_at": 1, "sender": [0, 1]},
        {"sender": [0]},
        {"sender": [4]},
        {"seed": 10**6},
    ],
)
def test_what_is_still_a_witness(change: dict[str, Any]) -> None:
    found = read_witness(json.dumps(PAIR | change), "w.json")
    assert found.sender == (PAIR | change)["sender"]
    assert found.sizes == {key: value for key, value in (PAIR | change)["task"].items() if key != "task"}


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"format": "capax"}, "it is not a capax-witness file"),
    ({"version": 2}, "its version is 2, and this capax reads 1"),
    ({"version": True}, "its version is True, and this capax reads 1"),
    ({"version": 1.0}, "its version is 1.0, and this capax reads 1"),
    ({"version": "0123456789" * 9}, "its version is '0123456789012345678, and this capax reads 1"),
    ({"kind": "other"}, "its kind is 'other', not one of equal-transcripts, indistinguishable, wrong-answer"),
    (
        {"kind": ["wrong-answer"]},
        "its kind is ['wrong-answer'], not one of equal-transcripts, indistinguishable, wrong-answer",
    ),
    ({"kind": None}, "its kind is None, not one of equal-transcripts, indistinguishable, wrong-answer"),
    ({"task": "composition"}, "it does not say for which task it is"),
    ({"task": {"n": 2}}, "it does not say for which task it is"),
    ({"task": {"task": 2}}, "it does not say for which task it is"),
    ({"task": {"task": "composition", "n": 0}}, "the sizes of its task are not whole numbers"),
    ({"task": {"task": "composition", "n": -1}}, "the sizes of its task are not whole numbers"),
    ({"task": {"task": "composition", "n": 1_000_001}}, "the sizes of its task are not whole numbers"),
    ({"task": {"task": "composition", "n": True}}, "the sizes of its task are not whole numbers"),
    ({"task": {"task": "composition", "n": 2.0}}, "the sizes of its task are not whole numbers"),
    ({"task": {"task": "composition", "n": 2, "m": [1]}}, "the sizes of its task are not whole numbers"),
    ({"numbers": 8}, "it does not say for which model and numbers it is"),
    ({"model": None}, "it does not say for which model and numbers it is"),
    ({"inputs": [[1]]}, "it does not have 2 inputs"),
    ({"inputs": [[1], [1], [1]]}, "it does not have 2 inputs"),
    ({"inputs": {"a": 1, "b": 2}}, "it does not have 2 inputs"),
    ({"inputs": [[1], "1"]}, "it does not have 2 inputs"),
    ({"inputs": [[1, [2]], [1, 2]]}, "a token is not a text or a number"),
    ({"inputs": [[1, 2], [1, None]]}, "a token is not a text or a number"),
    ({"read_at": 5}, "the position that is read is not one of the inputs'"),
    ({"read_at": -1}, "the position that is read is not one of the inputs'"),
    ({"read_at": True}, "the position that is read is not one of the inputs'"),
    ({"read_at": 4.0}, "the position that is read is not one of the inputs'"),
    ({"inputs": [[1] * 5, [1]]}, "the position that is read is not one of the inputs'"),
    ({"answers": []}, "it does not have 2 answers"),
    ({"answers": [1, 1, 1]}, "it does not have 2 answers"),
    ({"answers": "12"}, "it does not have 2 answers"),
    ({"sender": "12"}, "the positions of the sender are not positions of the inputs"),
    ({"sender": [5]}, "the positions of the sender are not positions of the inputs"),
    (
        {"sender": [5], "inputs": [[1] * 5, [1] * 6]},
        "the positions of the sender are not positions of the inputs",
    ),
    ({"sender": [-1]}, "the positions of the sender are not positions of the inputs"),
    ({"sender": [2.0]}, "the positions of the sender are not positions of the inputs"),
    ({"sender": [True]}, "the positions of the sender are not positions of the inputs"),
    ({"sender": [2, 2]}, "the positions of the sender are not in ascending order, each once"),
    ({"sender": [3, 2]}, "the positions of the sender are not in ascending order, each once"),
    ({"method": 1}, "its method is not a text, or its seed not a whole number from 0 on"),
    ({"seed": -1}, "its method is not a text, or its seed not a whole number from 0 on"),
    ({"seed": True}, "its method is not a text, or its seed not a whole number from 0 on"),
    ({"seed": 0.0}, "its method is not a text, or its seed not a whole number from 0 on"),
    ({"more": 1}, "it has a field 'more', which such a witness does not have"),
    ({"x" * 99: 1}, f"it has a field '{'x' * 59}, which such a witness does not have"),
    ({"tolerance": 0.5}, "it has a field 'tolerance', which such a witness does not have"),
]


def refusal(text: str) -> str:
    """What is said of a text that is no witness."""
    with pytest.raises(CapaxError) as caught:
        read_witness(text, "w.json")
    assert caught.value.code == "bad-witness"
    assert caught.value.hint == "`capax fool MODEL --task TASK -o FILE` writes one"
    return caught.value.what.removeprefix("w.json is not a witness: ")


@pytest.mark.parametrize(("change", "what"), REFUSED, ids=[str(change)[:40] for change, _ in REFUSED])
def test_what_is_no_witness(change: dict[str, Any], what: str) -> None:
    assert refusal(json.dumps(PAIR | change)) == what


@pytest.mark.parametrize("whole", [PAIR, ALIKE, WRONG, MEAN], ids=lambda whole: str(whole["kind"]))
def test_every_field_is_needed(whole: dict[str, Any]) -> None:
    """And those of other kinds are refused."""
    for field in whole.keys() - {"format", "version", "kind", "task"}:
        assert refusal(json.dumps({k: v for k, v in whole.items() if k != field})) == f"it has no field {field}"
    for field in (PAIR | MEAN).keys() - whole.keys():
        assert refusal(json.dumps(whole | {field: (PAIR | MEAN)[field]})).startswith(f"it has a field '{field}'")
    assert refusal(json.dumps({k: v for k, v in whole.items() if k != "kind"})).startswith("its kind is None")


def test_what_is_no_json() -> None:
    assert refusal("{") == "it is not JSON"
    assert refusal("[" * 100_000) == "it is not JSON"
    assert refusal("[]") == "it is not a capax-witness file"
    assert refusal('{"format": "capax-witness"}') == "its version is None, and this capax reads 1"
    assert refusal('{"seed": 1, "seed": 2}') == "it has a field twice"
    assert refusal('{"task": {"n": 1, "n": 1}}') == "it has a field twice"
    assert refusal(json.dumps(WRONG | {"inputs": [[1], [1]]})) == "it does not have 1 inputs"
    assert refusal(json.dumps(WRONG | {"answers": [1, 1]})) == "it does not have 1 answers"
