"""All words of a length: against the plain way of trying them."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from capax.auditor.exhaust import exhaust
from capax.auditor.question import Question, Read, question
from capax.auditor.search import search
from capax.auditor.spec import Spec, Word
from capax.errors import CapaxError
from capax.model.model import Model
from capax.model.parts import Affine, Mask, OracleMap
from tests.support.audit_subjects import (
    NO_LIMIT,
    alternating,
    automaton,
    blocks,
    clock,
    gpt,
    no_clock,
    parity,
    plain_margins,
    without_states,
)
from tests.support.models import Shape, models, with_heads

SPECS = {
    "parity": parity(),
    "blocks": blocks(),
    "alternating": alternating(),
    "function": without_states(blocks()),
    "whole words": without_states(blocks(), prefixes=False),
}


def compare(asked: Question, lengths: range) -> None:
    """That exhaustion says what the plain way says."""
    seen = list(exhaust(asked, lengths, used=no_clock, most_words=NO_LIMIT))
    assert [one.length for one in seen] == list(lengths)
    numbers = "float64" if asked.model.numbers == "float32" else None
    for one in seen:
        margins = plain_margins(asked, one.length, numbers)
        assert (one.words, one.complete) == (len(margins), True)
        if not margins:
            assert (one.margin, one.word, one.wrong) == (None, None, None)
            continue
        least = min(margins.values())
        assert one.margin == pytest.approx(least, rel=1e-9, abs=1e-9)
        assert one.word is not None
        assert margins[one.word] == pytest.approx(least, rel=1e-9, abs=1e-9)
        own = plain_margins(asked, one.length)
        wrong = [word for word, margin in margins.items() if margin < 0 and own[word] < 0]
        assert (one.wrong is None) == (not wrong) or min(map(abs, margins.values())) == 0
        if one.wrong is not None:
            assert margins[one.wrong] <= 0
            answer = asked.model(asked.tokens(one.wrong))[one.wrong_position or 0]
            at = list(asked.asked(one.length)).index(one.wrong_position or 0)
            assert answer != asked.right([one.wrong])[0][at]


@pytest.mark.parametrize("name", SPECS)
@pytest.mark.parametrize("read", ["each", "last", "end"])
@pytest.mark.parametrize("layers", [1, 2])
def test_the_least_margin_is_that_of_the_plain_way(name: str, read: Read, layers: int) -> None:
    """For every kind of specification, reading and depth; with and without a token before the word."""
    for prefix in (), ("$",):
        model = gpt(layers, seed=layers, heads=layers, prefix=prefix)
        compare(question(model, SPECS[name], read=read, end="$" if read == "end" else None), range(1, 7))


@pytest.mark.parametrize("mask", ["none", "future", "strict past"])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_models_that_look_ahead_are_run_on_whole_words(mask: Mask, activation: str) -> None:
    """Masks that see later positions go word by word; `strict past` does not."""
    model = gpt(2, mask=mask, activation=activation)  # type: ignore[arg-type]
    for read in ("each", "last"):
        compare(question(model, blocks(), read=read), range(1, 6))


THREE = automaton(("a", "b", "c"), [[0, 1, 2], [1, 2, -1], [0, 2, 1]], [True, None, False])
SHAPE = Shape(decoding=("F", "T"), table=False)


@settings(max_examples=60)
@given(
    models(SHAPE),
    st.sampled_from(["each", "last"]),
    st.sampled_from(["float64", "float32", "bfloat16", "fixed:20.8"]),
    st.booleans(),
)
def test_every_kind_of_model_is_exhausted(model: Model, read: Read, numbers: str, states: bool) -> None:
    """Any attention, mask, sink, norm, third-order head and number system."""
    spec = THREE if states else without_states(THREE, prefixes=read == "last")
    try:
        model = model.to(numbers)
        compare(question(model, spec, read=read), range(1, 4))
    except CapaxError as error:
        assume(error.code != "number-system")
        raise


def test_exact_integers_and_oracle_maps_are_exhausted() -> None:
    """A model of integers by the runtime, and one with an oracle map by the tree."""
    shape = Shape(decoding=("F", "T"), grain=1, norms=False, scales=(1.0,))
    compare(question(with_heads(shape).to("integer:8,6,6"), THREE, read="last"), range(1, 4))
    model = gpt(1)
    block = replace(model.blocks[0], mlp=OracleMap(lambda x: np.tanh(x) * 2, "tanh"))
    compare(question(replace(model, blocks=(block,)), parity(), read="last"), range(1, 6))


def test_the_empty_word_has_an_answer_at_an_end_marker_alone() -> None:
    """With states the specification has one; nothing is read of a word without letters elsewhere."""
    at_end = question(replace(gpt(), min_length=0), parity(), read="end", end="$")
    (one,) = exhaust(at_end, range(1), used=no_clock, most_words=NO_LIMIT)
    assert (one.words, one.word, one.position) == (1, (), 0)
    last = question(replace(gpt(), min_length=0), parity(), read="last")
    assert next(iter(exhaust(last, range(2), used=no_clock, most_words=NO_LIMIT))).words == 0


def test_long_words_of_a_small_language_are_all_tried() -> None:
    """One live word of each length: 150 letters are soon done."""
    seen = list(exhaust(question(gpt(2), alternating(), read="last"), range(1, 151), used=no_clock, most_words=2))
    assert [one.words for one in seen] == [1] * 150
    assert seen[-1].word == ("0", "1") * 75


def test_it_ends_before_a_length_of_too_many_words() -> None:
    """Nothing longer is tried."""
    seen = exhaust(question(gpt(), parity(), read="last"), range(1, 20), used=no_clock, most_words=100)
    assert [one.length for one in seen] == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("mask", ["causal", "none"])
def test_it_ends_when_the_time_is_over(mask: Mask) -> None:
    """Lengths that are not complete come last and say so."""
    asked = question(gpt(mask=mask), parity(), read="last")
    seen = list(exhaust(asked, range(1, 40), used=clock(30), most_words=NO_LIMIT))
    whole = [one for one in seen if one.complete]
    assert [one.length for one in whole] == list(range(1, len(whole) + 1))
    assert len(whole) < 39
    assert all(one.words == 2**one.length for one in whole)
    assert all(0 < one.words < 2**one.length for one in seen[len(whole) :])


def test_words_of_other_lengths_than_the_model_reads_are_refused() -> None:
    """Too long a word is an error, as in a run."""
    with pytest.raises(CapaxError, match="reads words of"):
        list(exhaust(question(gpt(positions=5), parity()), range(1, 7), used=no_clock, most_words=NO_LIMIT))


def constant(spec: Spec) -> Question:
    """A model that says no by the rule for equal logits: its margins are exactly 0."""
    model = gpt()
    readout = replace(model.readout.map, weight=np.zeros((8, 2), np.float32), bias=np.zeros(2, np.float32))
    return question(replace(model, readout=replace(model.readout, map=readout)), spec, read="last")


def test_a_margin_of_nothing_is_decided_by_the_decoding() -> None:
    """Equal logits give the first answer, which is right for the word without ones alone."""
    (one,) = exhaust(constant(parity()), range(3, 4), used=no_clock, most_words=NO_LIMIT)
    assert (one.margin, one.wrong) == (0.0, ("0", "0", "1"))
    never = automaton(("0", "1"), [[0, 0]], [False])
    (one,) = exhaust(constant(never), range(3, 4), used=no_clock, most_words=NO_LIMIT)
    assert (one.margin, one.wrong, one.words) == (0.0, None, 8)


def test_what_is_no_number_is_wrong() -> None:
    """A model whose logits overflow has no answer."""
    asked = constant(parity())
    readout = replace(asked.model.readout.map, bias=np.array([np.nan, 0], np.float32))
    model = replace(asked.model, readout=replace(asked.model.readout, map=readout))
    (one,) = exhaust(replace(asked, model=model), range(2, 3), used=no_clock, most_words=NO_LIMIT)
    assert (one.wrong, one.margin) == (("0", "0"), -np.inf)


def test_a_word_that_is_wrong_in_one_number_system_alone_is_split() -> None:
    """A difference of logits that float32 rounds away: the answer by equal logits is wrong, and right in float64."""
    asked = constant(parity())
    third = np.array([1 / 3, 1 / 3], np.float32)
    weight = np.zeros((8, 2), np.float32)
    weight[0, 1] = 1e-9
    gain, bias = np.zeros(8, np.float32), np.ones(8, np.float32)
    norm = replace(asked.model.readout.norm, gain=gain, bias=bias)  # type: ignore[type-var]
    readout = replace(asked.model.readout, map=Affine(weight, third), norm=norm)
    ever = automaton(("0", "1"), [[0, 0]], [True])
    model = replace(asked.model, readout=readout)
    (one,) = exhaust(question(model, ever, read="last"), range(2, 3), used=no_clock, most_words=NO_LIMIT)
    assert (one.wrong, one.split) == (None, ("0", "0"))
    assert one.margin == pytest.approx(1e-9)


@pytest.mark.parametrize("read", ["last", "each"])
def test_words_that_are_listed_are_tried_alone(read: Read) -> None:
    """Of a list by sizes, the one whose words have the length; a size of 3 has palindromes of 6 letters."""

    def every(size: int) -> Iterator[Word]:
        return ((*half, *half[::-1]) for half in product("01", repeat=size))

    spec = replace(without_states(blocks(), prefixes=False), every=every)
    asked = question(gpt(), spec, read=read)
    all_margins = plain_margins(question(gpt(), without_states(blocks()), read=read), 6, "float64")
    margins = {word: margin for word, margin in all_margins.items() if word in set(every(3))}
    (one,) = exhaust(asked, range(6, 7), used=no_clock, most_words=NO_LIMIT)
    assert (one.words, one.complete) == (len(margins), True)
    assert one.margin == pytest.approx(min(margins.values()))
    assert search(asked, 6, seed=0, used=no_clock).margin == pytest.approx(one.margin)
    assert not list(exhaust(asked, range(6, 7), used=no_clock, most_words=4))
