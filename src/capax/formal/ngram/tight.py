"""Whether the words of an n-gram model have total probability 1, decided exactly."""

from collections.abc import Iterator
from typing import Final

import numpy as np

from capax.errors import CapaxError
from capax.formal.ngram.ngram import Array, NGram
from capax.report import Report

MOST_HISTORIES: Final = 1_000_000

History = tuple[int, ...]


def tightness(model: NGram) -> Report:
    """Whether all finite words together have probability 1: the model then loses nothing to endless words.

    A walk on finitely many histories ends with probability 1 exactly if from every history that it can reach, the end
    can be reached. Both are questions of which probabilities are 0, so that rounding does not matter.
    """
    statement = "the finite words have total probability 1"
    rows = model.table if model.rest is None else np.concatenate([model.table, model.rest[None]])
    if (rows[:, model.bos] > 0).all():
        return Report(statement, "exact", True, figures={"why": "the end has a positive probability everywhere"})
    reached, edges = _reachable(model)
    before: dict[History, list[History]] = {}
    ends = []
    for history in reached:
        if model.next(history)[model.bos] > 0:
            ends.append(history)
        for after in edges[history]:
            before.setdefault(after, []).append(history)
    live = set(ends)
    while ends:
        for history in before.get(ends.pop(), ()):
            if history not in live:
                live.add(history)
                ends.append(history)
    stuck = next((history for history in reached if history not in live), None)
    figures = {"histories that can occur": len(reached)}
    if stuck is None:
        return Report(statement, "exact", True, figures=figures)
    return Report(statement, "exact", False, figures=figures, counterexample=_shown(model, stuck))


def _reachable(model: NGram) -> tuple[list[History], dict[History, list[History]]]:
    """The histories that can occur, from the start on, and those that can follow each."""
    start: History = (model.bos,) * (model.order - 1)
    edges: dict[History, list[History]] = {}
    histories = [start]
    seen = {start}
    for history in histories:  # grows while it is walked
        edges[history] = list(_following(model.next(history), history))
        for after in edges[history]:
            if after not in seen:
                seen.add(after)
                histories.append(after)
        _refuse_large(len(histories))
    return histories, edges


def _following(row: Array, history: History) -> Iterator[History]:
    for symbol in np.flatnonzero(row[:-1]):
        yield (*history, int(symbol))[1:] if history else ()


def _refuse_large(count: int) -> None:
    if count > MOST_HISTORIES:
        what = f"more than {MOST_HISTORIES:,} histories can occur"
        raise CapaxError("too-large", what, hint="take a smaller order or a smaller alphabet")


def _shown(model: NGram, history: History) -> dict[str, object]:
    symbols = [None if x == model.bos else model.alphabet[x] for x in history]
    return {"history": symbols, "why": "it can occur, and the end can never be reached from it"}
