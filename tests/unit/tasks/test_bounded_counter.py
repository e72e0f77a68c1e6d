"""The bounded counter: its values, and batches that agree with them."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from capax import tasks
from capax.tasks.base.training import IGNORE


def test_the_counter_stays_within_its_bounds() -> None:
    """It does not go below 0 or above the depth, and goes on from there."""
    answer = tasks.task("bounded-counter").answer
    assert [answer(word) for word in ("", "a", "bba", "aaaaab", "acab", "cc")] == [0, 1, 1, 2, 1, 0]
    assert answer("aaaaa", depth=1) == 1


@given(n=st.integers(1, 12), depth=st.integers(1, 5), seed=st.integers(0, 1_000))
@settings(max_examples=40, deadline=None)
def test_batches_agree_with_the_task(n: int, depth: int, seed: int) -> None:
    """One answer, at the last position."""
    training = tasks.training("bounded-counter")
    at = training.settle({"depth": depth})
    batch, known = training.batch(np.random.default_rng(seed), 6, n, at), training.vocabularies(at, n)
    assert (batch.answers[:, :-1] == IGNORE).all()
    for row, answer in zip(batch.inputs, batch.answers[:, -1], strict=True):
        word = [known.inputs[k] for k in row]
        assert known.outputs[answer] == tasks.task("bounded-counter").answer(word, depth=depth)
