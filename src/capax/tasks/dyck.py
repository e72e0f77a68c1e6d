"""Dyck with prefixes: whether each prefix is balanced, can become balanced, or cannot any more."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from capax.tasks.base.parameter import Parameter
from capax.tasks.base.task import Task
from capax.tasks.base.training import ParameterValues, Training, TrainingBatch, Vocabularies

KINDS = Parameter("kinds", 1, "the kinds of brackets: (), {} and []", 1, 3)
BRACKETS = "(){}[]"
NEUTRAL = Parameter("neutral", 0.3, "the share of tokens that are not brackets", 0.0, 0.9)
OUTPUTS = ("P", "T", "F")


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


def _vocabularies(at: ParameterValues, n: int) -> Vocabularies:
    return Vocabularies((*BRACKETS[: 2 * at["kinds"]], "a"), OUTPUTS)


def _batch(random: np.random.Generator, count: int, n: int, at: ParameterValues) -> TrainingBatch:
    """A third of the words balanced, a third balanced and then random, a third random; neutral tokens among them."""
    kinds, blank = at["kinds"], 2 * at["kinds"]
    inputs = np.full((count, n), blank)
    for row in inputs:
        positions = np.flatnonzero(random.random(n) >= at["neutral"])
        style = int(random.integers(3))
        good = {0: len(positions), 1: int(random.integers(len(positions) + 1)), 2: 0}[style]
        good -= good % 2
        row[positions[:good]] = _balanced(random, good, kinds)
        if style:
            row[positions[good:]] = random.integers(0, blank, len(positions) - good)
    return TrainingBatch(inputs, np.array([prefix_answers(row.tolist(), kinds) for row in inputs]).reshape(count, n))


def _balanced(random: np.random.Generator, n: int, kinds: int) -> list[int]:
    """A balanced word of n brackets, by steps that leave room to close."""
    word: list[int] = []
    open_: list[int] = []
    for position in range(n):
        rest = n - position
        if not open_ or (len(open_) < rest and random.random() < 0.5):
            kind = int(random.integers(kinds))
            open_.append(kind)
            word.append(2 * kind)
        else:
            word.append(2 * open_.pop() + 1)
    return word


def prefix_answers(word: list[int], kinds: int) -> list[int]:
    """The number of the output at each position of a word of numbers, by a stack."""
    stack: list[int] = []
    failed, answers = False, []
    for token in word:
        if token < 2 * kinds and not failed:
            if token % 2 == 0:
                stack.append(token // 2)
            elif stack and stack[-1] == token // 2:
                stack.pop()
            else:
                failed = True
        answers.append(2 if failed else int(not stack))
    return answers


def _depth(at: ParameterValues, bos: bool) -> dict[str, str]:
    opens = " + ".join(f'indicator(tokens == "{BRACKETS[2 * k]}")' for k in range(at["kinds"]))
    closes = " + ".join(f'indicator(tokens == "{BRACKETS[2 * k + 1]}")' for k in range(at["kinds"]))
    mean = f"aggregate(select(indices, indices, <=), ({opens}) - ({closes}))"
    return {"depth": f"round((indices + 1) * {mean})"}


def _program(at: ParameterValues, bos: bool) -> str | None:
    return None if bos else {1: "dyck1_ptf", 2: "dyck2_ptf", 3: "dyck3_ptf"}[at["kinds"]]


TASK = Task(
    "dyck",
    "for each prefix whether it is balanced (T), can become balanced (P), or cannot any more (F)",
    "words over brackets and the letter a, which counts for nothing",
    reference,
    sample,
    every,
    (KINDS,),
    "Weiss, Goldberg and Yahav (2021), Thinking like transformers",
    training=Training(
        _vocabularies,
        _batch,
        (KINDS, NEUTRAL),
        values=_depth,
        program=_program,
    ),
)
