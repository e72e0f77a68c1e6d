"""The checks of the matching theorems: every short word, and random words up to the length that a model is made for."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from capax.model.model import Model
from capax.report import Report, joined
from capax.tasks.base.task import Task
from capax.theorems.checks.agreement import agreement

MOST_WORDS = 20_000
"""So many words are tried exhaustively at most."""

MOST_SCORES = 400_000_000
"""Of long words fewer are drawn: about so many pairs of places in all, but never fewer words than six."""

SEED = 20_230_605


def lengths_within(task: Task, longest: int, most: int = MOST_WORDS, **parameters: Any) -> list[int]:
    """The lengths 1, 2, ... up to `longest` of which all words together are at most `most`."""
    assert task.every is not None
    found: list[int] = []
    total = 0
    for n in range(1, longest + 1):
        for _ in task.every(n, **parameters):
            total += 1
            if total > most:
                return found
        found.append(n)
    return found


def checked(
    model: Model, task: Task, longest: int, *, samples: int = 60, every: int = MOST_WORDS, **parameters: Any
) -> Report:
    """Whether a model answers as a task says: all words up to some length, then random ones up to `longest`."""
    parts: list[Report] = []
    if task.every is not None and (short := lengths_within(task, longest, every, **parameters)):
        words = (word for n in short for word in task.every(n, **parameters))
        statement = f"every word of length {short[0]} to {short[-1]}" if len(short) > 1 else "every word of length 1"
        parts.append(agreement(model, task, words, statement=statement, evidence="exhaustive", **parameters))
    statement = f"random words of length up to {longest:,}, drawn so that hard cases are frequent"
    drawn = sampled(task, longest, max(6, min(samples, MOST_SCORES // longest**2)), **parameters)
    parts.append(agreement(model, task, drawn, statement=statement, evidence="sampled", seed=SEED, **parameters))
    return joined(f"the model computes {task.name}", tuple(parts))


def sampled(task: Task, longest: int, samples: int, **parameters: Any) -> Iterator[Any]:
    """So many random words, a third of them of the greatest length."""
    random = np.random.default_rng(SEED)
    for number in range(samples):
        n = longest if number % 3 == 0 else int(random.integers(1, longest + 1))
        yield task.sample(random, n, **parameters)


def failure(build: Callable[[], Model], task: Task, words: Sequence[Any], statement: str, **parameters: Any) -> Report:
    """The report of a model that should fail on one of some words."""
    return agreement(build(), task, words, statement=statement, evidence="sampled", seed=SEED, **parameters)
