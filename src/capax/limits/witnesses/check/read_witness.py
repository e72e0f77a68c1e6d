"""A witness read from text: a JSON object with the fields that the check needs, and no others."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from capax.errors import CapaxError

COMMON = ("format", "version", "kind", "task", "numbers", "model", "inputs", "read_at", "answers", "method", "seed")
PAIRS = ("guaranteed", "why", "sender")
"""What a witness of two inputs says besides: whether such had to exist, the reason, and the sender's positions."""
KINDS = {
    "equal-transcripts": (*COMMON, *PAIRS, "message_bits"),
    "indistinguishable": (*COMMON, *PAIRS),
    "wrong-answer": COMMON,
}
"""The kinds of witnesses, and the fields that each has."""
AVERAGES = ("tolerance", "unit")
"""The further fields for answers that are numbers, which sparse-averaging has."""
NOT_CHECKED = ("method", "seed")
"""How a witness was found: nothing in the model or the inputs tells."""


@dataclass(frozen=True)
class Witness:
    """What a witness says: inputs, the position that is read, the sender, and the task with its sizes.

    `recorded` has the other fields that are computed again and compared, as they stand in the file.
    """

    kind: str
    task: str
    sizes: Mapping[str, Any]
    numbers: str
    model: str
    inputs: list[list[Any]]
    read_at: int
    answers: list[Any]
    sender: list[int]
    recorded: Mapping[str, Any]


def read_witness(text: str, name: str) -> Witness:
    """The witness in a text; what is not one is an error."""
    data = read_json(text, name)
    kind = data.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise bad_witness(name, f"its kind is {kind!r:.60}, not one of {', '.join(KINDS)}")
    task = data.get("task")
    if not isinstance(task, dict) or not isinstance(task.get("task"), str):
        raise bad_witness(name, "it does not say for which task it is")
    require_fields(data, (*KINDS[kind], *(AVERAGES if task["task"] == "sparse-averaging" else ())), name)
    sizes = {key: value for key, value in task.items() if key != "task"}
    if not all(isinstance(v, str) or (type(v) is int and 0 < v <= 1_000_000) for v in sizes.values()):
        raise bad_witness(name, "the sizes of its task are not whole numbers")
    texts = [data["numbers"], data["model"]]
    if not all(isinstance(one, str) for one in texts):
        raise bad_witness(name, "it does not say for which model and numbers it is")
    words, at, answers = _inputs(data, 1 if kind == "wrong-answer" else 2, name)
    sender = _sender(data["sender"], len(words[0]), name) if "sender" in data else []
    recorded = {key: data[key] for key in ("guaranteed", "why", "message_bits", *AVERAGES) if key in data}
    return Witness(kind, task["task"], sizes, texts[0], texts[1], words, at, answers, sender, recorded)


def read_json(text: str, name: str) -> dict[str, Any]:
    """The JSON object of a witness of any kind, whose format and version are right and no key of which stands twice."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        keys = [key for key, _ in pairs]
        if len(set(keys)) < len(keys):
            raise bad_witness(name, "it has a field twice")
        return dict(pairs)

    try:
        data = json.loads(text, object_pairs_hook=once)
    except (ValueError, RecursionError):
        raise bad_witness(name, "it is not JSON") from None
    if not isinstance(data, dict) or data.get("format") != "capax-witness":
        raise bad_witness(name, "it is not a capax-witness file")
    version = data.get("version")
    if type(version) is not int or version != 1:
        raise bad_witness(name, f"its version is {version!r:.20}, and this capax reads 1")
    return data


def require_fields(data: Mapping[str, Any], names: tuple[str, ...], name: str) -> None:
    """Refuses a witness that lacks one of the fields or has others, or whose method and seed are not of their kind."""
    if missing := [key for key in names if key not in data]:
        raise bad_witness(name, f"it has no field {missing[0]}")
    if others := [key for key in data if key not in names]:
        raise bad_witness(name, f"it has a field {others[0]!r:.60}, which such a witness does not have")
    if not isinstance(data["method"], str) or type(data["seed"]) is not int or data["seed"] < 0:
        raise bad_witness(name, "its method is not a text, or its seed not a whole number from 0 on")


def _inputs(data: Mapping[str, Any], count: int, name: str) -> tuple[list[list[Any]], int, list[Any]]:
    """The inputs, the position that is read, and the answers."""
    words, at, answers = data["inputs"], data["read_at"], data["answers"]
    if not isinstance(words, list) or len(words) != count or not all(isinstance(word, list) for word in words):
        raise bad_witness(name, f"it does not have {count} inputs")
    if not all(type(token) in (str, int, float, bool) for word in words for token in word):
        raise bad_witness(name, "a token is not a text or a number")
    if type(at) is not int or not all(0 <= at < len(word) for word in words):
        raise bad_witness(name, "the position that is read is not one of the inputs'")
    if not isinstance(answers, list) or len(answers) != count:
        raise bad_witness(name, f"it does not have {count} answers")
    return words, at, answers


def _sender(sender: Any, length: int, name: str) -> list[int]:
    """The sender's positions: a set, written in ascending order."""
    if not isinstance(sender, list) or not all(type(at) is int and 0 <= at < length for at in sender):
        raise bad_witness(name, "the positions of the sender are not positions of the inputs")
    if sender != sorted(set(sender)):
        raise bad_witness(name, "the positions of the sender are not in ascending order, each once")
    return sender


def bad_witness(name: str, what: str) -> CapaxError:
    """The error for a file that is not a witness."""
    return CapaxError(
        "bad-witness", f"{name} is not a witness: {what}", hint="`capax fool MODEL --task TASK -o FILE` writes one"
    )
