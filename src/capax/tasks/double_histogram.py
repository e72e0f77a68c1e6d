"""Double histogram: how many different tokens stand in the word as often as the one at each place."""

from collections import Counter

from capax.tasks.base.task import Task
from capax.tasks.inputs.letters import SYMBOLS, every, sample


def reference(word: list[str], symbols: int) -> list[int]:
    """The number of tokens whose count is that of the token at this place."""
    found = Counter(word)
    return [sum(count == found[token] for count in found.values()) for token in word]


TASK = Task(
    "double-histogram",
    "how many different tokens stand in the word as often as the one at each place",
    "words over letters",
    reference,
    sample,
    every,
    (SYMBOLS,),
    "Weiss, Goldberg and Yahav (2021), Thinking like transformers",
)
