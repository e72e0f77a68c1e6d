"""Regular expressions: batches agree with the automaton, both answers are there, and steering does what it says."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capax import CapaxError, tasks
from capax.tasks.base.training import IGNORE
from capax.tasks.regex import accepted, automaton, steered

EXPRESSIONS = [
    ("0*10*10*1.*", "01"),
    ("0|1|0.*0|1.*1", "01"),
    (".*11.*", "01"),
    (".*01", "01"),
    ("(ab)*", "ab"),
    ("a*", "a"),
    ("(a|b)*c", "abc"),
]


@pytest.mark.parametrize(("regex", "alphabet"), EXPRESSIONS)
@given(n=st.integers(1, 9), seed=st.integers(0, 1_000))
@settings(max_examples=20, deadline=None)
def test_batches_agree_with_the_expression(regex: str, alphabet: str, n: int, seed: int) -> None:
    """One answer, at the last position, which is that of Python's own regular expressions."""
    training = tasks.training("regex")
    at = training.settle({"regex": regex, "alphabet": alphabet})
    batch = training.batch(np.random.default_rng(seed), 8, n, at)
    assert (batch.answers[:, :-1] == IGNORE).all()
    for row, answer in zip(batch.inputs, batch.answers[:, -1], strict=True):
        word = "".join(alphabet[k] for k in row)
        assert bool(answer) == (re.fullmatch(regex, word) is not None)
        assert bool(answer) == tasks.task("regex").answer(word, regex=regex, alphabet=alphabet)


def test_with_a_marker_the_answer_is_given_after_the_word() -> None:
    """The words and answers are those without it, one position later."""
    training = tasks.training("regex")
    plain = {"regex": "(a|b)*c", "alphabet": "abc"}
    at = [training.settle(plain | {"marker": marker}) for marker in (False, True)]
    assert training.vocabularies(at[1], 5).inputs == ("a", "b", "c", "$")
    one, other = (training.batch(np.random.default_rng(0), 9, 5, values) for values in at)
    assert (other.inputs[:, :-1] == one.inputs).all()
    assert (other.inputs[:, -1] == 3).all()
    assert (other.answers[:, -1] == one.answers[:, -1]).all()
    assert (other.answers[:, :-1] == IGNORE).all()


@pytest.mark.parametrize(("regex", "alphabet"), EXPRESSIONS[:5])
def test_both_answers_are_about_as_frequent(regex: str, alphabet: str) -> None:
    """At a length that has words inside and outside, also where few words are inside."""
    training = tasks.training("regex")
    batch = training.batch(np.random.default_rng(0), 1_000, 24, training.settle({"regex": regex, "alphabet": alphabet}))
    assert 0.4 <= batch.answers[:, -1].mean() <= 0.6


@given(expression=st.sampled_from(EXPRESSIONS), n=st.integers(0, 9), inside=st.booleans(), seed=st.integers(0, 1_000))
@settings(max_examples=60, deadline=None)
def test_steered_words_are_where_they_should_be(expression: tuple[str, str], n: int, inside: bool, seed: int) -> None:
    """Inside or outside if the length has such a word; a word that is there already stays."""
    dfa = automaton(*expression)
    random = np.random.default_rng(seed)
    words = random.integers(0, len(expression[1]), (6, n))
    after = steered(random, dfa, words, np.full(6, inside))
    possible = any(
        tasks.task("regex").answer(word, regex=expression[0], alphabet=expression[1]) == inside
        for word in tasks.task("regex").every(n, regex=expression[0], alphabet=expression[1])  # type: ignore[misc]
    )
    if possible:
        assert (accepted(dfa, after) == inside).all()
        there = accepted(dfa, words) == inside
        assert np.array_equal(after[there], words[there])
    else:
        assert np.array_equal(after, words)


def test_a_letter_outside_the_alphabet_is_an_error() -> None:
    """In a word, and in the expression."""
    with pytest.raises(CapaxError):
        tasks.task("regex").answer("012")
    with pytest.raises(CapaxError):
        tasks.task("regex").answer("01", regex="2*")
