"""Where is one person with respect to another? Composition of functions as a question in plain English."""

import re
from collections import deque
from typing import Any

import numpy as np

from capax.tasks.base.parameter import Parameter
from capax.tasks.base.task import Task
from capax.tasks.inputs.compass import NAMED, SIGNS, STEPS, made_up_names, opposite, unread

HOPS = Parameter("hops", 2, "how many facts the answer takes", 1, 1_000)
UNKNOWN = "unknown"
_FACT = re.compile(r"(\w+) is to the (north|south|east|west) of (\w+)")
_QUESTION = re.compile(r"[Ww]here is (\w+) with respect to (\w+)\?")

Fact = tuple[str, str, str]
"""Who, in which direction, of whom."""


def read(text: str) -> tuple[list[Fact], tuple[str, str]]:
    """The facts of a question, and who is asked for with respect to whom."""
    question = _QUESTION.search(text)
    if question is None:
        raise unread("the text asks for no direction")
    return [(a, direction, b) for a, direction, b in _FACT.findall(text)], (question[1], question[2])


def reference(word: str, hops: int) -> str:
    """The direction that the facts of a text imply, such as north or northwest; `unknown` where they imply none.

    `A is to the west of B` says that A is further west and neither further north nor further south. What follows is
    found for each axis on its own: by steps to the east (or north) and by equal positions.
    """
    facts, (who, whom) = read(word)
    signs = tuple(_sign(facts, who, whom, axis) for axis in (0, 1))
    return UNKNOWN if None in signs or signs == (0, 0) else NAMED[signs[0] or 0, signs[1] or 0]


def _sign(facts: list[Fact], who: str, whom: str, axis: int) -> int | None:
    """1 if `who` is further along an axis than `whom`, -1 if less far, 0 if equally far; None if it is not said."""
    after: dict[str, list[tuple[str, bool]]] = {}
    for a, direction, b in facts:
        step = SIGNS[direction][axis]
        if step <= 0:
            after.setdefault(a, []).append((b, step < 0))
        if step >= 0:
            after.setdefault(b, []).append((a, step > 0))
    up, down = _reached(after, whom, who), _reached(after, who, whom)
    if up is None and down is None:
        return None
    return 1 if up else -1 if down else 0


def _reached(after: dict[str, list[tuple[str, bool]]], start: str, goal: str) -> bool | None:
    """Whether a way from start to goal has a strict step; None where there is no way."""
    seen = {(start, False)}
    queue = deque(seen)
    while queue:
        name, strict = queue.popleft()
        for other, step in after.get(name, ()):
            if (state := (other, strict or step)) not in seen:
                seen.add(state)
                queue.append(state)
    if (goal, True) in seen:
        return True
    return False if (goal, False) in seen else None


def sample(random: np.random.Generator, n: int, hops: int) -> str:
    """A question over n facts (n at least 1): a chain of `hops` facts that have an answer, and facts beside them."""
    chain = max(1, min(hops, n))
    names = made_up_names(random, n + 1)
    ways = [("west", "east")[int(random.integers(2))], ("south", "north")[int(random.integers(2))]]
    facts: list[Fact] = []
    for at in range(chain):
        facts.append((names[at + 1], ways[int(random.integers(2))], names[at]))
    for at in range(chain, n):
        known = names[int(random.integers(at + 1))]
        facts.append((names[at + 1], list(STEPS)[int(random.integers(4))], known))
    sentences = [_either_way(random, fact) for fact in facts]
    order = random.permutation(len(sentences))
    lines = " ".join(f"{a} is to the {direction} of {b}." for a, direction, b in (sentences[int(k)] for k in order))
    return f"{lines} Where is {names[chain]} with respect to {names[0]}?"


def _either_way(random: Any, fact: Fact) -> Fact:
    """The same fact, said of the one or of the other."""
    a, direction, b = fact
    return (b, opposite(direction), a) if random.integers(2) else fact


TASK = Task(
    "spatial-directions",
    "the direction of one person from another, as a word: north, northwest, ...",
    "texts of n facts `A is to the west of B.` about people with made-up names, and a question",
    reference,
    sample,
    None,
    (HOPS,),
    "after the spatial questions of Peng, Narayanan and Papadimitriou (2024), On limitations of the transformer "
    "architecture; generator and names are ours",
)
