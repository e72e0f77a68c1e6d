"""A witness read from text: a JSON object with the fields that a second look needs."""

import json
from dataclasses import dataclass
from typing import Any

from capax.errors import CapaxError

KINDS = ("equal-transcripts", "indistinguishable", "wrong-answer")


@dataclass(frozen=True)
class Given:
    """What a witness says: inputs, the place that is read, who speaks, and the task with its sizes."""

    kind: str
    task: str
    sizes: dict[str, Any]
    numbers: str
    model: str
    inputs: list[list[Any]]
    read_at: int
    answers: list[Any]
    sender: list[int]


def read_witness(text: str, name: str) -> Given:
    """The witness in a text; what is not one is an error."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise _bad(name, "it is not JSON") from None
    if not isinstance(found, dict) or found.get("format") != "capax-witness":
        raise _bad(name, "it has not the format capax-witness")
    if found.get("version") != 1:
        raise _bad(name, f"its version is {found.get('version')!r:.20}, and this capax reads 1")
    kind = found.get("kind")
    if kind not in KINDS:
        raise _bad(name, f"its kind is {kind!r:.60}, not one of {', '.join(KINDS)}")
    task = found.get("task")
    if not isinstance(task, dict) or not isinstance(task.get("task"), str):
        raise _bad(name, "it does not say for which task it is")
    sizes = {key: value for key, value in task.items() if key != "task"}
    if not all(isinstance(v, str) or (type(v) is int and 0 < v <= 1_000_000) for v in sizes.values()):
        raise _bad(name, "the sizes of its task are not whole numbers")
    words = found.get("inputs")
    count = 1 if kind == "wrong-answer" else 2
    if not isinstance(words, list) or len(words) != count or not all(isinstance(word, list) for word in words):
        raise _bad(name, f"it has not {count} inputs")
    if not all(type(token) in (str, int, float, bool) for word in words for token in word):
        raise _bad(name, "a token is not a text or a number")
    place, answers = found.get("read_at"), found.get("answers")
    if type(place) is not int or not all(0 <= place < len(word) for word in words):
        raise _bad(name, "the place that is read is not one of the inputs'")
    if not isinstance(answers, list) or len(answers) != count:
        raise _bad(name, f"it has not {count} answers")
    sender = found.get("sender", [])
    if not isinstance(sender, list) or not all(type(at) is int and 0 <= at < len(words[0]) for at in sender):
        raise _bad(name, "the places of the sender are not places of the inputs")
    texts = [found.get("numbers"), found.get("model")]
    if not all(isinstance(one, str) for one in texts):
        raise _bad(name, "it does not say for which model and numbers it is")
    return Given(kind, task["task"], sizes, str(texts[0]), str(texts[1]), words, place, answers, sender)


def _bad(name: str, what: str) -> CapaxError:
    return CapaxError(
        "bad-witness", f"{name} is no witness: {what}", hint="`capax fool MODEL --task TASK -o FILE` writes one"
    )
