"""Reverse: the word from its end to its start."""

from capax.tasks.base.task import Task
from capax.tasks.inputs.letters import SYMBOLS, every, sample


def reference(word: list[str], symbols: int) -> list[str]:
    """The tokens in the other order."""
    return list(reversed(word))


TASK = Task(
    "reverse",
    "the word from its end to its start",
    "words over letters",
    reference,
    sample,
    every,
    (SYMBOLS,),
    "Weiss, Goldberg and Yahav (2021), Thinking like transformers",
)
