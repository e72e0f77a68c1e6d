"""Every task has answers."""

import numpy as np
import pytest

from capax import tasks


@pytest.mark.parametrize("name", tasks.names())
def test_a_task_has_answers(name: str) -> None:
    """Its sampler gives the same words for the same seed, and its reference has an answer for each of them."""
    task = tasks.task(name)
    words = task.samples(3, 6, seed=1)
    again = task.samples(3, 6, seed=1)
    for word, same in zip(words, again, strict=True):
        np.testing.assert_equal(task.answer(word), task.answer(same))
    if task.every is not None:
        settled = task.settle({})
        first = next(iter(task.every(2, **settled)))
        assert task.reference(first, **settled) is not None
