"""The last letter: its answers, and batches that agree with them."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from capax import tasks
from capax.tasks.base.training import IGNORE


def test_filler_counts_for_nothing() -> None:
    """Before, between and after letters."""
    answer = tasks.task("last-letter").answer
    assert [answer(word) for word in ("", "...", "a", ".b..", "ab.a.")] == [".", ".", "a", "b", "a"]


@given(n=st.integers(1, 12), seed=st.integers(0, 1_000))
@settings(max_examples=40, deadline=None)
def test_batches_agree_with_the_task(n: int, seed: int) -> None:
    """One answer, at the last position."""
    training = tasks.training("last-letter")
    batch, known = training.batch(np.random.default_rng(seed), 6, n, {}), training.vocabularies({}, n)
    assert (batch.answers[:, :-1] == IGNORE).all()
    for row, answer in zip(batch.inputs, batch.answers[:, -1], strict=True):
        assert known.outputs[answer] == tasks.task("last-letter").answer([known.inputs[k] for k in row])


def test_some_words_end_with_much_filler() -> None:
    """One in ten has its last letter before the last quarter of the word."""
    batch = tasks.training("last-letter").batch(np.random.default_rng(0), 1_000, 40, {})
    late = (batch.inputs[:, 30:] == 2).all(axis=1) & (batch.answers[:, -1] != 2)
    assert late.mean() > 0.1
