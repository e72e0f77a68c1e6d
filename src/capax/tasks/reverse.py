"""Reverse: the word from its end to its start."""

from capax.tasks.base.training import Array, AttentionTarget, ParameterValues, Training
from capax.tasks.inputs.letters import SYMBOLS, letter_task, to_letters, uniform_batches


def reference(word: list[str], symbols: int) -> list[str]:
    """The tokens in the other order."""
    return list(reversed(word))


def _answer(inputs: Array, at: ParameterValues) -> Array:
    return inputs[:, ::-1].copy()


def _attention_targets(at: ParameterValues, bos: bool) -> tuple[AttentionTarget, ...]:
    """Layer 1 looks at all positions and finds the length; layer 2 at the opposite one. A BOS token stays."""
    flip = "select(indices, length - indices, ==)" if bos else "select(indices, length - 1 - indices, ==)"
    return AttentionTarget(1, 1, "select(1, 1, ==)", "length"), AttentionTarget(2, 1, flip, "flip")


TASK = letter_task(
    "reverse",
    "the word from its end to its start",
    reference,
    Training(
        to_letters,
        uniform_batches(_answer),
        (SYMBOLS,),
        attention_targets=_attention_targets,
        values=lambda at, bos: {"length": "length"},
        program=lambda at, bos: None if bos else "aggregate(select(indices, length - 1 - indices, ==), tokens)",
    ),
)
