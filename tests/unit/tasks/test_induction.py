"""Induction: the reference beside its program, and batches beside the reference."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from capax.lab.attention_targets import program_of
from capax.tasks import task
from capax.tasks.induction import PROGRAM, TASK, reference
from capax.tasks.inputs.letters import letters


@given(st.text("abc", min_size=1, max_size=9))
def test_reference_is_what_the_program_computes(word: str) -> None:
    """The token after the previous occurrence, or nothing."""
    assert reference(list(word), symbols=3) == list(program_of(PROGRAM)(word))


def test_answers_of_batches_are_the_reference() -> None:
    """On words of eight letters, in which tokens recur; copy is there, too."""
    random = np.random.default_rng(0)
    for entry in (TASK, task("copy")):
        assert entry.training is not None
        batch = entry.training.batch(random, 40, 8, {"symbols": 4})
        outputs = entry.training.vocabularies({"symbols": 4}, 8).outputs
        for row, answers in zip(batch.inputs.tolist(), batch.answers.tolist(), strict=True):
            word = [letters(4)[k] for k in row]
            assert [outputs[k] for k in answers] == entry.reference(word, symbols=4)
