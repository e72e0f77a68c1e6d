"""Is one person further from a second or from a third? A question in plain English whose answer takes two facts."""

import re
from itertools import product
from typing import Any, Final

import numpy as np

from capax.tasks.base.task import Task
from capax.tasks.inputs.compass import CORNERS, SIGNS, STEPS, made_up_names, opposite, unread

UNKNOWN = "unknown"
REACH: Final = 3
"""Places are tried on a grid that goes so far from the one who is asked about."""
_FACT = re.compile(
    r"(?:(\w+) is|and) (?:directly|to the) (north|south|east|west|(?:north|south)(?:east|west)) of (\w+)"
)
_QUESTION = re.compile(r"[Ii]s (\w+) further from (\w+) or (?:from )?(\w+)\?")


def reference(word: str) -> str:
    """The name of the one who is further away; `unknown` where positions that fit the facts disagree.

    All positions of the three on a small grid are tried: that is the definition, and it needs no geometry.
    """
    question = _QUESTION.search(word)
    if question is None:
        raise unread("the text asks for no distance")
    who, one, other = question[1], question[2], question[3]
    facts = [(a, way, b) for a, way, b in _told(word) if {a, b} <= {who, one, other}]
    grid = list(product(range(-REACH, REACH + 1), repeat=2))
    answers: set[str] = set()
    for p, q in product(grid, grid):
        at = {who: (0, 0), one: p, other: q}
        if all(_fits(at[a], way, at[b]) for a, way, b in facts):
            near, far = p[0] ** 2 + p[1] ** 2, q[0] ** 2 + q[1] ** 2
            answers.add(one if near > far else other if far > near else UNKNOWN)
    return answers.pop() if len(answers) == 1 else UNKNOWN


def _told(word: str) -> list[tuple[str, str, str]]:
    """The facts of a text; `A is to the north of B and directly west of C` are two."""
    facts: list[tuple[str, str, str]] = []
    for subject, way, other in _FACT.findall(word):
        facts.append((subject or (facts[-1][0] if facts else ""), way, other))
    return facts


def _fits(a: tuple[int, ...], way: str, b: tuple[int, ...]) -> bool:
    """Whether a lies in a direction of b."""
    sign = tuple((x > y) - (x < y) for x, y in zip(a, b, strict=True))
    return sign == SIGNS[way]


def sample(random: np.random.Generator, n: int) -> str:
    """A question about one of n groups of three people, of each of which two facts are told."""
    names = made_up_names(random, 3 * n)
    groups = [names[3 * k : 3 * k + 3] for k in range(n)]
    facts = [fact for group in groups for fact in _facts(random, group)]
    lines = " ".join(facts[int(k)] for k in random.permutation(len(facts)))
    who, near, far = groups[int(random.integers(n))]
    first, second = (near, far) if random.integers(2) else (far, near)
    return f"{lines} Is {who} further from {first} or {second}?"


def _facts(random: Any, group: list[str]) -> list[str]:
    """Two facts: the first lies aslant of the second, and the third lies beyond the second, seen from the first."""
    who, near, far = group
    corner = list(CORNERS)[int(random.integers(4))]
    east, north = CORNERS[corner]
    axis = int(random.integers(2))
    beyond = next(way for way, signs in STEPS.items() if signs == ((-east, 0), (0, -north))[axis])
    one, other = (who, corner, near), (far, beyond, near)
    if random.integers(2):
        one = (near, opposite(corner), who)
    if random.integers(2):
        other = (near, opposite(beyond), far)
    return [f"{one[0]} is to the {one[1]} of {one[2]}.", f"{other[0]} is directly {other[1]} of {other[2]}."]


TASK = Task(
    "spatial-distances",
    "the name of the one of two people who is further from a third",
    "texts of two facts for each of n groups of three people with made-up names, and a question about one group",
    reference,
    sample,
    None,
    (),
    "after the spatial questions of Peng, Narayanan and Papadimitriou (2024), On limitations of the transformer "
    "architecture; generator and names are ours",
)
