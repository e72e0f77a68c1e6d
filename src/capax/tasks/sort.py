"""Sort: the tokens of the word in order."""

from capax.tasks.base.task import Task
from capax.tasks.inputs.letters import SYMBOLS, every, letters, sample


def reference(word: list[str], symbols: int) -> list[str]:
    """The tokens in the order of the alphabet: a, ..., z, A, ..., Z, x52, ..."""
    return sorted(word, key=letters(symbols).index)


TASK = Task(
    "sort",
    "the tokens of the word in order",
    "words over letters",
    reference,
    sample,
    every,
    (SYMBOLS,),
    "Weiss, Goldberg and Yahav (2021), Thinking like transformers",
)
