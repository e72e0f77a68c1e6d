"""Programs as specifications: values, errors, and states where positions are not read."""

from dataclasses import replace
from itertools import product

import pytest

import capax
from capax import aggregate, full_s, indicator, indices, length, select, selector_width, tokens
from capax.auditor.question import question
from capax.auditor.spec import Spec
from capax.auditor.specs.programs import is_symmetric, of_model, of_program
from capax.errors import CapaxError
from capax.model.vocabulary import Classes, Vocabulary

SAME = select(tokens, tokens, "==")
SYMMETRIC = (
    selector_width(SAME),
    aggregate(full_s, indicator(tokens == "a")) > 1 / 2,
    selector_width(select(selector_width(SAME), selector_width(SAME), "<")) * length,
)


@pytest.mark.parametrize("program", SYMMETRIC, ids=str)
def test_states_of_symmetric_programs(program: capax.SOp) -> None:
    """The answer of a state is the program's at the last letter, on all words of up to 6 letters."""
    spec = of_program(program, "ab", 6)
    assert spec.states is not None
    assert spec.answers is not None
    states = spec.states(6)
    for n in range(1, 7):
        for word in product("ab", repeat=n):
            state = states.after([spec.number[x] for x in word])
            assert spec.answers[states.answer[state]] == program(word)[-1]


def test_a_program_that_reads_later_positions_has_no_states() -> None:
    """It is asked word by word."""
    assert not is_symmetric((indices + 1).node)
    assert of_program(aggregate(select(indices, length - 1 - indices, "=="), tokens), "ab", 4).states is None
    assert of_program(selector_width(SAME), "abcdefgh", 30).states is None  # too many counts


def test_no_statement_where_the_program_fails() -> None:
    """A word on which the program raises an error has no right answer."""
    spec = of_program(1 / (indices - 1), "a", 4)
    assert spec.answers_of([("a",), ("a", "a")]) == [[-1.0], [None, None]]
    with pytest.raises(CapaxError, match="selector"):
        of_program(SAME, "ab", 4)  # type: ignore[arg-type]


def test_another_model_as_a_specification() -> None:
    """Its answers are the right ones."""
    model = capax.compile(aggregate(select(indices, indices, "=="), tokens), alphabet="ab", max_length=4).model
    spec: Spec = of_model(model, "echo")
    assert spec.letters == ("a", "b")
    assert spec.answers_of([("a", "b")]) == [["a", "b"]]


def test_a_model_of_numbers_and_one_of_texts_are_compared() -> None:
    """Either way round, letters and yes-or-no answers alike."""
    texts = capax.compile(aggregate(full_s, indicator(tokens == "1")) > 1 / 2, alphabet="01", max_length=4).model
    numbers = replace(texts, vocabulary=Vocabulary((0, 1)))
    named = replace(texts, decoding=Classes(("false", "true")))
    for model, other in ((numbers, texts), (texts, numbers), (named, texts)):
        audit = capax.audit(model, other, max_length=4)
        assert audit.summary() == "equals the other model on all words of 1 to 4 tokens"
        assert audit.question.spec.letters == model.vocabulary.tokens


def test_another_model_that_is_read_after_an_end_marker() -> None:
    """It is given its own marker, its answer there is that of the word, and the name says so."""
    counted = aggregate(full_s, indicator(tokens == "b")) > 0
    model = capax.compile(counted, alphabet="ab$", max_length=4).model
    at_end = replace(model, provenance=replace(model.provenance, read="end", end_marker="$"))
    spec = of_model(at_end, "some b")
    assert spec.name == "some b, read after its end marker $"
    assert (spec.letters, spec.longest, spec.each) == (("a", "b"), 3, False)
    assert spec.answers_of([("a", "b"), ("a",)]) == [[None, True], [False]]
    plain = question(model, spec)
    assert (plain.read, plain.right([("a", "b")])) == ("last", [[True]])
    lost = replace(at_end, provenance=replace(at_end.provenance, end_marker=None))
    with pytest.raises(CapaxError, match="is read after an end marker"):
        of_model(lost, "lost")
