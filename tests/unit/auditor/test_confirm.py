"""Confirmation: a word is a counterexample only if every number system and the replay say so."""

from dataclasses import replace

import numpy as np
import pytest

from capax.auditor import confirm as module
from capax.auditor.confirm import confirm
from capax.auditor.exhaust import exhaust
from capax.auditor.question import Question, question
from capax.errors import CapaxError
from capax.model.model import Model
from capax.model.parts import Affine, OracleMap
from tests.support.audit_subjects import NO_LIMIT, automaton, blocks, gpt, no_clock, parity
from tests.support.models import Shape, with_heads

YES = automaton(("0", "1"), [[0, 0]], [True])
"""Every word is answered with yes."""


def with_logits(model: Model, no: float, yes: float) -> Model:
    """The model with logits that do not depend on the word."""
    dtype = model.embedding.dtype
    map = Affine(np.zeros((model.width, 2), dtype), np.array([no, yes], dtype))
    return replace(model, readout=replace(model.readout, map=map))


@pytest.mark.parametrize("read", ["each", "last", "end"])
def test_a_word_is_wrong_where_the_model_errs(read: str) -> None:
    """For every word: at the first position that the specification speaks about and the model gets wrong."""
    asked = question(gpt(2), blocks(), read=read, end="$" if read == "end" else None)  # type: ignore[arg-type]
    for (one,) in [exhaust(asked, range(n, n + 1), used=no_clock, most_words=NO_LIMIT) for n in range(1, 6)]:
        if one.wrong is None:
            continue
        found = confirm(asked, one.wrong)
        assert found is not None
        assert found.word == one.wrong
        at = list(asked.asked(len(one.wrong))).index(found.position)
        assert found.expected == asked.right([one.wrong])[0][at]
        assert found.answer == asked.model(asked.tokens(one.wrong))[found.position] != found.expected
        assert set(found.margins) == {"float32", "float64"}
        assert max(found.margins.values()) < 0


def test_a_right_word_is_no_counterexample() -> None:
    """Nor is one that the specification does not speak about."""
    assert confirm(question(with_logits(gpt(), 0, 1), YES, read="last"), ("0", "1")) is None
    assert confirm(question(with_logits(gpt(), 1, 0), blocks(), read="last"), ("1", "0")) is None


@pytest.mark.parametrize("numbers", ["float32", "float64"])
def test_both_number_systems_have_to_err(numbers: str) -> None:
    """A difference that float32 rounds away: wrong there, by the rule for equal logits, and right in float64."""
    model = with_logits(gpt(numbers="float64"), 1.0, 1.0 + 1e-12)
    found = confirm(question(model.to(numbers), YES, read="last"), ("0",))
    assert (found is None) == (numbers == "float64")


def test_the_replay_has_to_err(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the replay gets the answer right, there is no counterexample."""
    asked = question(with_logits(gpt(), 1, 0), YES, read="last")
    assert confirm(asked, ("0",)) is not None
    monkeypatch.setattr(module, "replay", lambda model, tokens, position, numbers: [0.0, 1.0])
    assert confirm(asked, ("0",)) is None


@pytest.mark.parametrize("numbers", ["fixed:20.8", "bfloat16", "integer:8,6,6"])
def test_other_number_systems_err_by_themselves(numbers: str) -> None:
    """The definition takes the replay's part."""
    shape = Shape(decoding=("F", "T"), grain=1, norms=False, scales=(1.0,), table=False)
    model = with_heads(shape).to(numbers)
    three = automaton(("a", "b", "c"), [[0, 1, 0], [1, 0, 1]], [False, True])
    asked = question(model, three, read="last")
    wrong = [w for w in ("a", "b", "ab", "bb", "ca") if model(w)[-1] != "FT"[w.count("b") % 2]]
    assert wrong
    for word in wrong:
        found = confirm(asked, tuple(word))
        assert found is not None
        assert set(found.margins) == {numbers}


def test_an_oracle_map_is_looked_at_by_the_definition() -> None:
    """No replay can compute it."""
    model = replace(with_logits(gpt(), 1, 0), input_mlp=OracleMap(lambda x: 0 * x, "nothing"))
    assert confirm(question(model, YES, read="last"), ("0",)) is not None


def test_what_is_no_number_is_a_wrong_answer() -> None:
    """The answer is then no number, and its margin minus infinity."""
    asked = replace(question(gpt(), YES, read="last"), model=with_logits(gpt(), np.nan, 0))
    found = confirm(asked, ("0",))
    assert found is not None
    assert np.isnan(found.answer)  # type: ignore[arg-type]
    assert set(found.margins.values()) == {-np.inf}


def test_the_empty_word_is_asked_about_at_an_end_marker() -> None:
    """Its right answer is that of the start state."""
    at_end: Question = question(replace(with_logits(gpt(), 1, 0), min_length=0), YES, read="end", end="$")
    found = confirm(at_end, ())
    assert found is not None
    assert found.position == 0
    assert confirm(question(at_end.model, parity(), read="last"), ("0",)) is None


def test_a_weight_that_float32_does_not_have_leaves_float64() -> None:
    """The model cannot be run in float32 at all."""
    found = confirm(question(with_logits(gpt(numbers="float64"), 1e200, 0), YES, read="last"), ("0",))
    assert found is not None
    assert set(found.margins) == {"float64"}
    with pytest.raises(CapaxError):
        confirm(question(gpt(positions=3), YES, read="last"), ("0",) * 4)
