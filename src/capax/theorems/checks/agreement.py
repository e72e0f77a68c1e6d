"""A model's answers beside those of a task."""

from collections.abc import Callable, Iterable
from itertools import chain, islice
from typing import Any

from capax.model.model import Model
from capax.report import Evidence, Report
from capax.tasks.base.task import Task

BATCH = 512
"""So many words run together at most."""

SCORES = 8_000_000
"""Long words run in smaller groups: about so many pairs of positions together."""


def agreement(
    model: Model,
    task: Task,
    words: Iterable[Any],
    *,
    statement: str,
    evidence: Evidence,
    seed: int | None = None,
    encode: Callable[[Any], Iterable[Any]] = list,
    decode: Callable[[list[Any]], Any] = list,
    **parameters: Any,
) -> Report:
    """Whether a model answers words as a task says; the first word that it answers otherwise is the counterexample.

    `encode` makes the model's tokens of a word of the task, `decode` makes the task's answer of the model's answers.
    `words` are all that there are (`exhaustive`) or some of them (`sampled`, with the seed that they come from).
    """
    count, rest = 0, iter(words)
    assumptions = ("an oracle map: an arbitrary function stands for a network",) if model.size.oracles else ()
    for first in rest:
        together = max(1, min(BATCH, SCORES // max(1, len(first)) ** 2))
        some = list(chain([first], islice(rest, together - 1)))
        for word, answers in zip(some, model.batch([encode(word) for word in some]), strict=True):
            count += 1
            got, right = decode(answers), task.reference(word, **parameters)
            if got != right:
                wrong = {"word": word, "model": got, "right": right}
                return Report(statement, evidence, False, count, seed, counterexample=wrong, assumptions=assumptions)
    assert count, "no word was tried"
    return Report(statement, evidence, True, count, seed, assumptions=assumptions)
