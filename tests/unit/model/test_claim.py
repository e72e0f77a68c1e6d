"""The words for what a model computes, from records that may be damaged."""

from typing import Any

import pytest

from capax.model.claim import causal_note, claim, claimed_program
from capax.model.provenance import Provenance, RecordedDomain

CHANGE = {
    "changes": True,
    "word": ["a", "b"],
    "program": {"values": ["b", "a"]},
    "causal": {"values": ["a", "a"]},
    "words": 300,
    "all_up_to": 5,
}
SAME = {"changes": False, "word": None, "program": None, "causal": None, "words": 1200, "all_up_to": 5}
CAUSAL = RecordedDomain(("a", "b"), 5, causal=True)


def test_the_program_is_named() -> None:
    assert claimed_program(False) == "the program"
    assert claimed_program(True, "reverse") == "reverse with later positions hidden"


def test_a_change_is_told_with_its_word() -> None:
    note = 'the program as written answers otherwise, first on "ab": it gives [b, a], the weights give [a, a]'
    assert causal_note(CHANGE) == note
    assert (
        claim(Provenance(domain=CAUSAL, causal_change=CHANGE))
        == f"it computes the program with later positions hidden; {note}"
    )


def test_a_change_on_a_sampled_word_is_not_called_the_first() -> None:
    note = causal_note({**CHANGE, "all_up_to": 0, "word": ["a", 1], "program": {"error": "mixed-types"}})
    assert note is not None
    assert "first of the words tried on [a, 1]: it gives error[mixed-types]" in note


def test_no_change_is_told_with_how_many_words_were_tried() -> None:
    assert causal_note(SAME) == "hiding them changed no answer on the 1,200 words that were tried"


def test_a_model_that_is_not_causal_has_no_claim() -> None:
    assert claim(Provenance(domain=RecordedDomain(None, None), causal_change=CHANGE)) is None
    assert claim(Provenance()) is None
    assert not Provenance.from_json({"domain": "causal"}).causal


def test_values_are_written_as_the_language_prints_them() -> None:
    values = {"values": [True, 0.5, 2**5000, " ", "\n"]}
    note = causal_note({**CHANGE, "program": values})
    assert note is not None
    assert 'it gives [T, 0.5, an integer of 5,001 bits, " ", "\\n"]' in note


@pytest.mark.parametrize(
    "change",
    [None, 3, [], {}, {"changes": 1}, {"changes": True, "word": "ab"}, {"changes": False, "words": "many"}],
)
def test_a_damaged_record_says_nothing_of_a_change(change: Any) -> None:
    provenance = Provenance.from_json({"domain": {"causal": True}, "causal_change": change})
    assert causal_note(provenance.causal_change) is None
    assert claim(provenance) == "it computes the program with later positions hidden"


def test_damaged_answers_do_not_end_in_a_traceback() -> None:
    note = causal_note({**CHANGE, "word": ["a" * 100, None], "program": 3, "causal": {"values": 5}, "all_up_to": "x"})
    assert note is not None
    assert "it gives something else, the weights give something else" in note
    assert len(note) < 250
