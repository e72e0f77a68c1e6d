"""Whether each prefix is balanced (T), can become balanced (P), or cannot any more (F)."""

import numpy as np

from capax.lab.lessons.frame.lesson import At, Batch, Lesson, Words
from capax.tasks.base.parameter import Parameter
from capax.tasks.dyck import BRACKETS, KINDS

NEUTRAL = Parameter("neutral", 0.3, "the share of tokens that are no brackets", 0.0, 0.9)
OUTPUTS = ("P", "T", "F")


def _words(at: At, n: int) -> Words:
    return Words((*BRACKETS[: 2 * at["kinds"]], "a"), OUTPUTS)


def _batch(random: np.random.Generator, count: int, n: int, at: At) -> Batch:
    """A third of the words balanced, a third balanced and then random, a third random; neutral tokens among them."""
    kinds, blank = at["kinds"], 2 * at["kinds"]
    inputs = np.full((count, n), blank)
    for row in inputs:
        places = np.flatnonzero(random.random(n) >= at["neutral"])
        style = int(random.integers(3))
        good = {0: len(places), 1: int(random.integers(len(places) + 1)), 2: 0}[style]
        good -= good % 2
        row[places[:good]] = _balanced(random, good, kinds)
        if style:
            row[places[good:]] = random.integers(0, blank, len(places) - good)
    return Batch(inputs, np.array([judged(row.tolist(), kinds) for row in inputs]).reshape(count, n))


def _balanced(random: np.random.Generator, n: int, kinds: int) -> list[int]:
    """A balanced word of n brackets, by steps that leave room to close."""
    word: list[int] = []
    open_: list[int] = []
    for place in range(n):
        rest = n - place
        if not open_ or (len(open_) < rest and random.random() < 0.5):
            kind = int(random.integers(kinds))
            open_.append(kind)
            word.append(2 * kind)
        else:
            word.append(2 * open_.pop() + 1)
    return word


def judged(word: list[int], kinds: int) -> list[int]:
    """The answer at each place of a word of numbers, by a stack."""
    stack: list[int] = []
    failed, found = False, []
    for token in word:
        if token < 2 * kinds and not failed:
            if token % 2 == 0:
                stack.append(token // 2)
            elif stack and stack[-1] == token // 2:
                stack.pop()
            else:
                failed = True
        found.append(2 if failed else int(not stack))
    return found


def _depth(at: At, first: bool) -> dict[str, str]:
    opens = " + ".join(f'indicator(tokens == "{BRACKETS[2 * k]}")' for k in range(at["kinds"]))
    closes = " + ".join(f'indicator(tokens == "{BRACKETS[2 * k + 1]}")' for k in range(at["kinds"]))
    mean = f"aggregate(select(indices, indices, <=), ({opens}) - ({closes}))"
    return {"depth": f"round((indices + 1) * {mean})"}


def _program(at: At, first: bool) -> str | None:
    return None if first else {1: "dyck1_ptf", 2: "dyck2_ptf", 3: "dyck3_ptf"}[at["kinds"]]


LESSON = Lesson(
    "dyck",
    "whether each prefix is balanced (T), can become balanced (P), or cannot any more (F)",
    _words,
    _batch,
    (KINDS, NEUTRAL),
    values=_depth,
    program=_program,
)
