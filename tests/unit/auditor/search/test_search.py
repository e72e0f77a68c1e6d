"""Search: against the exhaustive minimum, and on long words."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capax.auditor.exhaust import exhaust
from capax.auditor.question import Question, question
from capax.auditor.search import search
from capax.auditor.search.starts import WordSpace, random_words, structured
from capax.auditor.spec import Answer, Spec, Word
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

LAST = automaton(("0", "1"), [[1, 2], [1, 2], [1, 2]], [None, False, True])
"""The last letter is a one."""

BALANCED = automaton(("0", "1"), [[1, -1], [2, 0], [3, 1], [-1, 2]], [True, False, False, False])
"""Brackets of depth up to three: whether all are closed."""


def least(asked: Question, n: int) -> float:
    """The exhaustive minimum."""
    (one,) = exhaust(asked, range(n, n + 1), used=no_clock, most_words=NO_LIMIT)
    assert one.margin is not None
    return one.margin


def agrees(layers: int, d: int, seed: int, spec: Spec, n: int) -> bool:
    """Whether a search finds the exhaustive minimum."""
    asked = question(gpt(layers, d, seed), spec, read="last")
    found = search(asked, n, seed=seed, used=no_clock)
    assert found.margin is not None
    assert found.word is not None
    return abs(found.margin - least(asked, n)) < 1e-9


@pytest.mark.parametrize("spec", [parity(), LAST, BALANCED], ids=["parity", "last", "balanced"])
@pytest.mark.parametrize("layers", [1, 2])
def test_the_exhaustive_minimum_is_found(spec: Spec, layers: int) -> None:
    """Words of 13 letters, of which there are more than are all tried."""
    assert all(agrees(layers, 8, seed, spec, 13) for seed in range(2))


@pytest.mark.deep
@pytest.mark.parametrize("spec", [parity(), LAST, BALANCED], ids=["parity", "last", "balanced"])
def test_the_exhaustive_minimum_is_nearly_always_found(spec: Spec) -> None:
    """Two layers, 16 letters, 20 models."""
    assert sum(agrees(2, 16, seed, spec, 16) for seed in range(20)) >= 19


@pytest.mark.parametrize("read", ["each", "end"])
@pytest.mark.parametrize("spec", [blocks(), without_states(blocks())], ids=["states", "function"])
def test_a_small_set_of_words_is_tried_whole(read: str, spec: Spec) -> None:
    """The margin, word and position are those of the plain way."""
    asked = question(gpt(2), spec, read=read, end="$" if read == "end" else None)  # type: ignore[arg-type]
    margins = plain_margins(asked, 5, "float64")
    found = search(asked, 5, seed=0, used=no_clock)
    assert found.margin == pytest.approx(min(margins.values()))
    assert found.word is not None
    assert margins[found.word] == pytest.approx(found.margin)
    assert found.evaluations == len(margins)
    assert found.position in asked.asked(5)


def test_words_of_150_letters_are_searched() -> None:
    """As far as the time goes, and no less than the structured words."""
    asked = question(gpt(2), parity(), read="last")
    found = search(asked, 150, seed=0, used=clock(30))
    assert found.word is not None
    assert found.evaluations > 500
    (logits,) = asked.model.to("float64").run([found.word], many=True).logits
    right = asked.right([found.word])[0][0]
    assert right is not None
    assert found.margin == pytest.approx(asked.decode.requirement(right).margin(logits[-1]), rel=1e-9)


def test_a_planted_error_is_found() -> None:
    """One word in 2^24 is said to have the other answer: that of zeros alone, which is structured."""

    def answers(words: Sequence[Word]) -> list[list[Answer | None]]:
        rows: list[list[Answer | None]] = []
        for word in words:
            rows.append([*[None] * (len(word) - 1), word[-1] == "1" or set(word) == {"0"}])
        return rows

    asked = question(gpt(1), Spec("planted", "function", ("0", "1"), answers, (False, True)), read="last")
    found = search(asked, 24, seed=0, used=clock(10))
    (logits,) = asked.model.to("float64").run(["0" * 24], many=True).logits
    assert found.margin is not None
    assert found.margin <= asked.decode.requirement(True).margin(logits[-1]) + 1e-9


def test_where_there_is_no_word_nothing_is_found() -> None:
    """No word has an answer, the time is over at once, or there is no letter."""
    never = automaton(("0", "1"), [[0, 0]], [None])
    for spec, n, used in (
        (never, 4, no_clock),
        (parity(), 20, lambda: 1.0),
        (without_states(parity()), 20, lambda: 1.0),
    ):
        found = search(question(gpt(), spec, read="last"), n, seed=0, used=used)
        assert (found.margin, found.word, found.position) == (None, None, None)


@settings(max_examples=30)
@given(st.sampled_from([blocks(), alternating(), BALANCED, parity()]), st.integers(1, 12), st.integers(0, 99))
def test_all_starts_are_words_of_the_specification(spec: Spec, n: int, seed: int) -> None:
    """Structured and random words have an answer, and projecting changes no word that has one."""
    assert spec.states is not None
    random, states = np.random.default_rng(seed), spec.states(n)
    space = WordSpace(2, n, states)
    assert not space.empty
    words = np.concatenate([structured(space, random), random_words(space, random, 20)])
    assert all(states.answer[states.after(word)] >= 0 for word in words.tolist())
    assert (space.projected(words) == words).all()
