"""Most frequent: the different tokens of the word, the most frequent first."""

from collections import Counter

from capax.tasks.base.task import Task
from capax.tasks.inputs.letters import SYMBOLS, every, sample


def reference(word: list[str], symbols: int) -> list[str]:
    """The different tokens by falling count, of equal ones the earlier first; then § to the end of the word."""
    found = [token for token, _ in Counter(word).most_common()]  # equal counts stay in the order of their first places
    return found + ["§"] * (len(word) - len(found))


TASK = Task(
    "most-frequent",
    "the different tokens of the word, the most frequent first, then § to its end",
    "words over letters",
    reference,
    sample,
    every,
    (SYMBOLS,),
    "Weiss, Goldberg and Yahav (2021), Thinking like transformers",
)
