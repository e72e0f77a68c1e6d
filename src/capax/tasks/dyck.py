"""Dyck with prefixes: whether each prefix is balanced, can become balanced, or cannot any more."""

from collections.abc import Iterator
from itertools import product
from typing import Any

from capax.tasks.base.parameter import Parameter
from capax.tasks.base.task import Task

KINDS = Parameter("kinds", 1, "the kinds of brackets: (), {} and []", 1, 3)
BRACKETS = "(){}[]"


def reference(word: list[str], kinds: int) -> list[str]:
    """T, P or F for each prefix, by taking away neighbours that match; other tokens count for nothing."""
    return [_judged("".join(word[: end + 1]), kinds) for end in range(len(word))]


def _judged(prefix: str, kinds: int) -> str:
    rest = "".join(c for c in prefix if c in BRACKETS[: 2 * kinds])
    pairs = [BRACKETS[k : k + 2] for k in range(0, 2 * kinds, 2)]
    while any(pair in rest for pair in pairs):
        for pair in pairs:
            rest = rest.replace(pair, "")
    if not rest:
        return "T"
    return "P" if all(c in BRACKETS[::2] for c in rest) else "F"


def sample(random: Any, n: int, kinds: int) -> list[str]:
    """A word of n tokens, of which a bracket that closes fits the last open one three times in four."""
    word: list[str] = []
    open_: list[int] = []
    for _ in range(n):
        kind = int(random.integers(kinds))
        if random.random() < 0.2:
            word.append("a")
        elif open_ and random.random() < 0.5:
            last = open_.pop()
            word.append(BRACKETS[2 * (last if random.random() < 0.75 else kind) + 1])
        else:
            open_.append(kind)
            word.append(BRACKETS[2 * kind])
    return word


def every(n: int, kinds: int) -> Iterator[list[str]]:
    """All words of n tokens."""
    return (list(word) for word in product((*BRACKETS[: 2 * kinds], "a"), repeat=n))


TASK = Task(
    "dyck",
    "for each prefix whether it is balanced (T), can become balanced (P), or cannot any more (F)",
    "words over brackets and the letter a, which counts for nothing",
    reference,
    sample,
    every,
    (KINDS,),
    "Weiss, Goldberg and Yahav (2021), Thinking like transformers",
)
