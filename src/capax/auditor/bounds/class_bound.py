"""The bound of a class: the least margin that linear forms allow over its words, and a word that comes near it."""

from dataclasses import dataclass

import numpy as np

from capax.auditor.bounds.chain import LinearStage
from capax.auditor.bounds.forms import LinearForm, StageRecord, spread, through
from capax.auditor.bounds.oracle import WordClasses, extreme_words
from capax.auditor.bounds.ranges import Basis, Ranges
from capax.auditor.bounds.tables import AnswerQuery
from capax.model.parts import Array


@dataclass(frozen=True, slots=True, eq=False)
class Demands:
    """What the logits of classes must satisfy: rows (K, R, outputs) times logits plus constants (K, R) above 0."""

    rows: Array
    constants: Array

    def select(self, which: Array) -> "Demands":
        """Some of them."""
        return Demands(self.rows[which], self.constants[which])

    def margins(self, logits: Array) -> Array:
        """The margins (K,) of logits (K, outputs), one row for each class."""
        return np.asarray((np.einsum("kro,ko->kr", self.rows, logits) + self.constants).min(axis=1, initial=np.inf))


@dataclass(frozen=True, slots=True, eq=False)
class ClassBounds:
    """Lower bounds (K,) on the margins of classes, and what was seen on the way.

    `words` (K, N) are words that the forms expect to be the worst, with their real margins (K,); `direction` (K, m) is
    the linear part of the worst margin, `records` what each stage reads, for rounding.
    """

    bound: Array
    empty: Array
    words: Array
    margins: Array
    direction: Array
    ranges: Ranges
    records: tuple[StageRecord, ...]


def evaluate(
    query: AnswerQuery, classes: WordClasses, demands: Demands, basis: Basis, *, exact: bool = False
) -> ClassBounds:
    """The bounds of classes of one query.

    Lemma: with margin = c + M . (y - y0) up to e for every word of the class, the least margin is at least
    c + min M . (y - y0) - e, and the minimum is exact.
    """
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        ranges = Ranges(query, classes, basis)
        ranges.exact = exact
        y0 = ranges.middle
        linear = np.broadcast_to(query.output.T, (len(classes), *query.output.T.shape))
        center = query.residual + y0 @ query.output
        size = np.abs(query.residual) + np.abs(y0) @ np.abs(query.output)
        form, records = through(query.chain[:-1], LinearForm(center, linear, 1e-12 * size), ranges)
        return _margins(query, classes, demands, ranges, form, records)


def _margins(
    query: AnswerQuery,
    classes: WordClasses,
    demands: Demands,
    ranges: Ranges,
    form: LinearForm,
    records: tuple[StageRecord, ...],
) -> ClassBounds:
    last = query.chain[-1]
    assert isinstance(last, LinearStage)
    records = (*records, StageRecord(last, *spread(form, ranges.box_range)))
    weight = np.einsum("do,kro->kdr", last.weight, demands.rows)
    center = np.einsum("kd,kdr->kr", form.center, weight) + demands.rows @ last.bias + demands.constants
    linear = np.einsum("kdm,kdr->krm", form.linear, weight, optimize=True)
    size = np.einsum("kd,kdr->kr", np.abs(form.center), np.abs(weight))
    error = np.einsum("kd,kdr->kr", form.error, np.abs(weight)) + 1e-12 * size
    least = center + ranges.least(linear) - error
    least = np.where(np.isnan(least), np.where(np.isposinf(demands.constants), np.inf, -np.inf), least)
    least = np.where(ranges.empty[:, None], np.inf, least)
    count, many = least.shape
    worst = least.argmin(axis=1) if many else np.zeros(count, np.int64)
    at = np.arange(count)
    direction = linear[at, worst] if many else np.zeros((count, linear.shape[2]))
    direction = np.where(np.isfinite(direction), direction, 0.0)
    words = extreme_words(query, classes, at, -direction)
    margins = np.where(ranges.empty, np.inf, demands.margins(query.logits(words)))
    bound = least.min(axis=1, initial=np.inf)
    return ClassBounds(bound, ranges.empty, words, margins, direction, ranges, records)
