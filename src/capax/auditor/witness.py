"""A counterexample in a file: what was asked, of which model, and the word. `counterexample_check.py` has its check."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from capax.auditor.decode import ClassDecode, SignDecode
from capax.auditor.question import READS, Question, Read
from capax.auditor.spec import Answer, Word
from capax.auditor.verdict import Counterexample, answer_json
from capax.errors import CapaxError
from capax.model.vocabulary import Token

KIND: Final = "wrong-answer-audit"
VERSION: Final = 1
FIELDS: Final = {
    "format": (str,),
    "version": (int,),
    "kind": (str,),
    "capax": (str,),
    "model": (str,),
    "numbers": (str,),
    "specification": (dict,),
    "read": (str,),
    "end": (str, int, float, bool, type(None)),
    "offset": (int,),
    "signs": (bool,),
    "names": (list,),
    "word": (list,),
    "position": (int,),
    "expected": (str, int, float, bool, list),
    "answer": (str, int, float, bool, list, type(None)),
    "margins": (dict,),
}
"""The fields of a witness, and the types that their values may have."""


@dataclass(frozen=True, slots=True)
class AuditWitness:
    """What a witness says: the question, the word, the position that is read, and both answers there."""

    model: str
    numbers: str
    spec_kind: str
    spec_definition: str
    spec_name: str
    letters: tuple[Token, ...]
    read: Read
    end: Token | None
    offset: int
    signs: bool
    names: tuple[tuple[Token, Token], ...]
    word: Word
    position: int
    expected: Answer
    answer: Answer
    margins: Mapping[str, float]


def witness_json(asked: Question, wrong: Counterexample) -> dict[str, Any]:
    """A counterexample to a question as plain data, for a file."""
    from importlib.metadata import version

    decode, spec = asked.decode, asked.spec
    return {
        "format": "capax-witness",
        "version": VERSION,
        "kind": KIND,
        "capax": version("capax"),
        "model": asked.model.key(),
        "numbers": asked.model.numbers,
        "specification": {
            "kind": spec.kind,
            "name": spec.name,
            "definition": spec.definition,
            "letters": list(spec.letters),
        },
        "read": asked.read,
        "end": asked.end,
        "offset": asked.offset,
        "signs": isinstance(decode, SignDecode),
        "names": [list(pair) for pair in decode.names.items()] if isinstance(decode, ClassDecode) else [],
        "word": list(wrong.word),
        "position": wrong.position,
        "expected": answer_json(wrong.expected),
        "answer": None if _is_nan(wrong.answer) else answer_json(wrong.answer),
        "margins": {name: margin if math.isfinite(margin) else None for name, margin in wrong.margins.items()},
    }


def is_audit_witness(text: str) -> bool:
    """Whether a text is, by the kind that it names, a witness of an audit."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(data, dict) and data.get("kind") == KIND


def read_audit_witness(text: str, name: str) -> AuditWitness:
    """The witness in a text; what is not one is an error."""
    data = _fields(text, name)
    spec = data["specification"]
    texts = [spec.get(key) for key in ("kind", "definition", "name")]
    if set(spec) != {"kind", "definition", "name", "letters"} or not all(isinstance(x, str) for x in texts):
        raise bad_audit_witness(name, "its specification is not a kind, a definition, a name and letters")
    if data["read"] not in READS:
        raise bad_audit_witness(name, f"the answer is read {data['read']!r:.40}, which is none of {', '.join(READS)}")
    if (data["read"] == "end") != (data["end"] is not None):
        raise bad_audit_witness(name, "an end marker goes with answers that are read at it, and with no others")
    if not data["word"] and data["read"] != "end":
        raise bad_audit_witness(name, "its word has no letters")
    names = data["names"]
    if not all(isinstance(pair, list) and len(pair) == 2 for pair in names):
        raise bad_audit_witness(name, "the names of its answers are not pairs")
    margins = data["margins"]
    if not all(x is None or (isinstance(x, float) and math.isfinite(x)) for x in margins.values()):
        raise bad_audit_witness(name, "its margins are not numbers")
    return AuditWitness(
        data["model"],
        data["numbers"],
        spec["kind"],
        spec["definition"],
        spec["name"],
        _tokens(spec["letters"], name),
        data["read"],
        data["end"],
        data["offset"],
        data["signs"],
        tuple((a, b) for a, b in (_tokens(pair, name) for pair in names)),
        _tokens(data["word"], name),
        data["position"],
        _answer(data["expected"], name),
        _answer(data["answer"], name),
        {key: -math.inf if value is None else value for key, value in margins.items()},
    )


def _fields(text: str, name: str) -> dict[str, Any]:
    """The JSON object of a witness, with all of its fields, once each, and no others."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({key for key, _ in pairs}) < len(pairs):
            raise bad_audit_witness(name, "it has a field twice")
        return dict(pairs)

    try:
        data = json.loads(text, object_pairs_hook=once)
    except (ValueError, RecursionError):
        raise bad_audit_witness(name, "it is not JSON") from None
    if not isinstance(data, dict) or data.get("format") != "capax-witness" or data.get("kind") != KIND:
        raise bad_audit_witness(name, f"it is not a capax-witness file of the kind {KIND}")
    if type(data.get("version")) is not int or data["version"] != VERSION:
        raise bad_audit_witness(name, f"its version is {data.get('version')!r:.20}, and this capax reads {VERSION}")
    if missing := [key for key in FIELDS if key not in data]:
        raise bad_audit_witness(name, f"it has no field {missing[0]}")
    if others := [key for key in data if key not in FIELDS]:
        raise bad_audit_witness(name, f"it has a field {others[0]!r:.60}, which such a witness does not have")
    for key, types in FIELDS.items():
        if type(data[key]) not in types:
            raise bad_audit_witness(name, f"its {key} is {data[key]!r:.60}")
    return data


def _tokens(items: Any, name: str) -> tuple[Token, ...]:
    if not isinstance(items, list) or not all(type(x) in (str, int, float, bool) for x in items):
        raise bad_audit_witness(name, "its letters, its word or its names are not tokens")
    return tuple(items)


def _answer(value: Any, name: str) -> Answer:
    """An answer: a list is a set, and nothing is what is no number."""
    if isinstance(value, list):
        if len(tokens := _tokens(value, name)) != len(set(tokens)):
            raise bad_audit_witness(name, "a set of tokens has one of them twice")
        return frozenset(tokens)
    return math.nan if value is None else value


def _is_nan(answer: Answer) -> bool:
    return isinstance(answer, float) and math.isnan(answer)


def bad_audit_witness(name: str, what: str) -> CapaxError:
    """The error for a file that is not a witness."""
    hint = "`capax audit MODEL --against SPEC -o FILE` writes one"
    return CapaxError("bad-witness", f"{name} is not a witness: {what}", hint=hint)
