"""Languages: words that are mixed in."""

import numpy as np

from capax import tasks
from capax.formal.languages.catalogue import language


def test_mixed_words_of_majority() -> None:
    """The answers are right, both are frequent, and there are words with hardly any ones and near ties."""
    training = tasks.training("language")
    batch = training.batch(np.random.default_rng(0), 1_000, 30, training.settle({"name": "majority", "mixed": True}))
    known = language("majority")
    for row, answer in zip(batch.inputs, batch.answers[:, -1], strict=True):
        assert bool(answer) == known.accepts([known.alphabet[k] for k in row])
    assert 0.4 <= batch.answers[:, -1].mean() <= 0.6
    ones = batch.inputs.sum(axis=1)
    assert (ones <= 3).mean() > 0.03
    assert (abs(ones - 15) <= 1).mean() > 0.2


def test_own_words_alone_unless_mixed() -> None:
    """Majority's own sampler draws no word with hardly any ones."""
    training = tasks.training("language")
    batch = training.batch(np.random.default_rng(0), 1_000, 30, training.settle({"name": "majority"}))
    assert (batch.inputs.sum(axis=1) > 3).all()
