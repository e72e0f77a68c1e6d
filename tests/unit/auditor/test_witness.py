"""Counterexamples as files: written, read again, and refused where they are damaged."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from capax.auditor.confirm import confirm
from capax.auditor.exhaust import exhaust
from capax.auditor.question import Question, Read, question
from capax.auditor.spec import Word
from capax.auditor.witness import FIELDS, is_audit_witness, read_audit_witness, witness_json
from capax.errors import CapaxError
from capax.model.parts import Affine
from tests.support.audit_subjects import NO_LIMIT, gpt, no_clock, parity


def written(asked: Question, word: Word) -> dict[str, Any]:
    """The witness of a word that is wrong, as a file has it."""
    wrong = confirm(asked, word)
    assert wrong is not None
    return json.loads(json.dumps(witness_json(asked, wrong)))  # type: ignore[no-any-return]


def wrong_word(asked: Question) -> Word:
    """The shortest word that is wrong."""
    seen = exhaust(asked, range(1, 8), used=no_clock, most_words=NO_LIMIT)
    return next(one.wrong for one in seen if one.wrong is not None)


@pytest.mark.parametrize("read", ["each", "last", "end"])
def test_a_witness_is_read_as_it_was_written(read: Read) -> None:
    """The question, the word and both answers."""
    asked = question(gpt(), parity(), read=read, end="$" if read == "end" else None, offset=2)
    word = wrong_word(asked)
    data = written(asked, word)
    assert list(data) == list(FIELDS)
    text = json.dumps(data)
    assert is_audit_witness(text)
    witness, wrong = read_audit_witness(text, "w.json"), confirm(asked, word)
    assert wrong is not None
    assert (witness.word, witness.position) == (wrong.word, wrong.position)
    assert (witness.expected, witness.answer, witness.margins) == (wrong.expected, wrong.answer, wrong.margins)
    assert (witness.model, witness.read, witness.end, witness.offset) == (asked.model.key(), read, asked.end, 2)


def test_what_is_no_number_is_nothing_in_the_file() -> None:
    """JSON has no such number; weights that are none are refused before, but runs may overflow."""
    model = gpt()
    map = Affine(np.zeros((8, 2), np.float32), np.array([np.nan, 0], np.float32))
    broken = replace(model, readout=replace(model.readout, map=map))
    asked = replace(question(model, parity(), read="last"), model=broken)
    data = written(asked, ("0",))
    assert (data["answer"], data["margins"]) == (None, {"float32": None, "float64": None})
    witness = read_audit_witness(json.dumps(data), "w")
    assert np.isnan(witness.answer)  # type: ignore[arg-type]
    assert set(witness.margins.values()) == {-np.inf}


def test_sets_are_lists_in_the_file() -> None:
    """Each token once."""
    data = written(question(gpt(), parity(), read="last"), wrong_word(question(gpt(), parity(), read="last")))
    assert read_audit_witness(json.dumps(data | {"expected": ["b", "a"]}), "w").expected == frozenset({"a", "b"})
    with pytest.raises(CapaxError, match="one of them twice"):
        read_audit_witness(json.dumps(data | {"expected": ["a", "a"]}), "w")


BAD: dict[str, dict[str, Any]] = {
    "not a capax-witness file": {"format": "other"},
    "of the kind": {"kind": "wrong-answer"},
    "its version is 7": {"version": 7},
    "its version is True": {"version": True},
    "a field 'more'": {"more": 1},
    "its position is '1'": {"position": "1"},
    "its position is True": {"position": True},
    "its word is": {"word": "01"},
    "are not tokens": {"word": [["0"]]},
    "no letters": {"word": []},
    "a kind, a definition": {"specification": {"kind": "regex"}},
    "none of each, last, end": {"read": "first"},
    "an end marker goes": {"end": "$"},
    "not pairs": {"names": [["a"]]},
    "margins are not numbers": {"margins": {"float32": "1"}},
}


@pytest.mark.parametrize("what", BAD)
def test_a_damaged_file_is_refused(what: str) -> None:
    """With what is wrong about it."""
    asked = question(gpt(), parity(), read="last")
    data = written(asked, wrong_word(asked))
    with pytest.raises(CapaxError, match=what) as caught:
        read_audit_witness(json.dumps(data | BAD[what]), "w.json")
    assert caught.value.code == "bad-witness"


def test_a_file_with_a_field_twice_or_none_or_of_no_json_is_refused() -> None:
    """Nothing is guessed."""
    asked = question(gpt(), parity(), read="last")
    data = written(asked, wrong_word(asked))
    for name in FIELDS:
        with pytest.raises(CapaxError, match="not a witness"):
            read_audit_witness(json.dumps({k: v for k, v in data.items() if k != name}), "w")
    text = json.dumps(data)
    with pytest.raises(CapaxError, match="a field twice"):
        read_audit_witness(text[:-1] + ', "word": []}', "w")
    with pytest.raises(CapaxError, match="not JSON"):
        read_audit_witness(text[:-1], "w")
    assert not is_audit_witness(text[:-1])
    assert not is_audit_witness("[]")
