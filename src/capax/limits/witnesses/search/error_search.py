"""Wrong answers by guided search: random inputs first, then small changes of those that were nearly wrong."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from capax.errors import CapaxError
from capax.limits.witnesses.search.fooling_result import Used, Wrong
from capax.limits.witnesses.search.trials import Trial
from capax.model.model import Model
from capax.model.parts import Array
from capax.model.run.run import run_rows
from capax.model.vocabulary import Classes

BATCH, KEPT = 256, 32
PAIRS = 4_000_000
"""About this many pairs of tokens are attended to in a batch: long words come in smaller ones."""


@dataclass(frozen=True)
class Errors:
    """A wrong answer or none, and how many inputs were tried."""

    wrong: Wrong | None
    count: int


def search_errors(model: Model, trial: Trial, random: np.random.Generator, used: Used, least: int = 1) -> Errors:
    """The first input that a model answers wrongly: at least `least` batches are tried, then until time is used up."""
    count, batches = 0, 0
    batch = max(4, min(BATCH, PAIRS // len(trial.word([0] * len(trial.ranges))) ** 2))
    best: Array | None = None
    margins: Array = np.zeros(0)
    while batches < least or used() < 1:
        fresh = trial.sample(random, batch // 2 if best is not None else batch)
        rows = fresh if best is None else np.concatenate([fresh, _changed(best, trial, random, batch // 2)])
        margins, wrong = judged(model, trial, rows)
        if wrong is not None:
            return Errors(wrong, count + len(rows))
        pool = rows if best is None else np.concatenate([best, rows])
        margins = margins if best is None else np.concatenate([margins, margins])
        order = np.argsort(margins, kind="stable")[:KEPT]
        best, margins = pool[order], margins[order]
        count, batches = count + len(rows), batches + 1
    return Errors(None, count)


def _changed(best: Array, trial: Trial, random: np.random.Generator, count: int) -> Array:
    """Copies of rows with one to three numbers changed."""
    rows = best[random.integers(0, len(best), count)].copy()
    for _ in range(3):
        column = random.integers(0, rows.shape[1], len(rows))
        value = random.integers(0, trial.ranges[column])
        change = random.random(len(rows)) < 0.6
        rows[np.arange(len(rows))[change], column[change]] = value[change]
    return rows


def judged(model: Model, trial: Trial, rows: Array) -> tuple[Array, Wrong | None]:
    """How far each answer is from being wrong, and the first wrong one."""
    words = [trial.word(row.tolist()) for row in rows]
    logits = run_rows(model, np.array([model.read(word) for word in words]))[:, len(model.prefix) :]
    margins = np.zeros(len(rows))
    for number, (row, word) in enumerate(zip(rows, words, strict=True)):
        truth = trial.truth(row.tolist())
        positions = range(len(word)) if trial.read_at is None else [trial.read_at]
        truths = truth if trial.read_at is None else [truth]
        each = []
        for position, one in zip(positions, truths, strict=True):
            margin, right = _margin(model, trial, logits[number, position], one)
            if not right:
                return margins, Wrong(word, position)
            each.append(margin)
        margins[number] = min(each)
    return margins, None


def _margin(model: Model, trial: Trial, logits: Array, truth: Any) -> tuple[float, bool]:
    """How far one answer is from being wrong, and whether it is right."""
    answer = model.decoding.decode(logits[None, :])[0]
    if trial.tolerance:
        if isinstance(answer, str):
            raise CapaxError(
                "no-layout", f"the model answers {answer!r:.60}, which is not a number", hint="numbers are due"
            )
        off = abs(float(answer) * trial.unit - float(truth))
        return -off, off <= trial.tolerance
    right = same(answer, truth)
    if not isinstance(model.decoding, Classes) or len(logits) < 2:
        return 0.0, right
    own = next((i for i, value in enumerate(model.decoding.values) if same(value, truth)), None)
    if own is None:
        return 0.0, right
    return float(logits[own] - np.delete(logits, own).max()), right


def same(answer: Any, truth: Any) -> bool:
    """Whether an answer is the truth; the text of a number and a truth value stand for the number."""
    if isinstance(answer, str):
        return answer == str(truth)
    return bool(answer == truth)
