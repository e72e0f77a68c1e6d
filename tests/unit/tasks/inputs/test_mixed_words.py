"""Mixed words: their kinds are all there, and a seed gives the same ones."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from capax.tasks.base.training import IGNORE
from capax.tasks.inputs.mixed_words import answered_last, mixed_words, one_changed


@given(count=st.integers(0, 9), n=st.integers(1, 9), letters=st.integers(1, 4), seed=st.integers(0, 1_000))
@settings(max_examples=60, deadline=None)
def test_words_have_their_length_and_letters(count: int, n: int, letters: int, seed: int) -> None:
    """Any count, length and alphabet; the same for the same seed."""
    words, again = (mixed_words(np.random.default_rng(seed), count, n, letters) for _ in range(2))
    assert words.shape == (count, n)
    assert ((words >= 0) & (words < letters)).all()
    assert np.array_equal(words, again)


def test_all_kinds_are_drawn() -> None:
    """Words of one letter, with few of it, near ties, alternating ones and blocks."""
    words = mixed_words(np.random.default_rng(0), 4_000, 40, 2)
    ones, changes = words.sum(axis=1), (words[:, 1:] != words[:, :-1]).sum(axis=1)
    assert (ones == 0).mean() > 0.01
    assert ((ones > 0) & (ones <= 4)).mean() > 0.03
    assert (abs(ones - 20) <= 1).mean() > 0.2
    assert (changes == 39).mean() > 0.005
    assert (changes == 1).mean() > 0.01


def test_one_letter_is_changed() -> None:
    """At most one, and in about half of the words over two letters."""
    words = np.zeros((1_000, 10), np.int64)
    changed = (one_changed(np.random.default_rng(0), words, 2) != words).sum(axis=1)
    assert set(changed) == {0, 1}
    assert 0.4 < changed.mean() < 0.6


def test_the_answer_is_at_the_end() -> None:
    """Nothing else is scored."""
    batch = answered_last(np.zeros((2, 3), np.int64), np.array([1, 0]))
    assert batch.answers.tolist() == [[IGNORE, IGNORE, 1], [IGNORE, IGNORE, 0]]
