"""Histogram: how often the token at each place stands in the word."""

from capax.tasks.base.task import Task
from capax.tasks.inputs.letters import SYMBOLS, every, sample


def reference(word: list[str], symbols: int) -> list[int]:
    """The number of places that have the token of this one."""
    return [word.count(token) for token in word]


TASK = Task(
    "histogram",
    "how often the token at each place stands in the word",
    "words over letters",
    reference,
    sample,
    every,
    (SYMBOLS,),
    "Weiss, Goldberg and Yahav (2021), Thinking like transformers",
)
