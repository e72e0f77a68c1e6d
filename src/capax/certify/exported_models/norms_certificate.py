"""The certificate of a model whose norms do almost nothing: that all answers are right with their errors.

It is the check of `capax.certify.pipeline` on the model without norms, with the errors of norms on every read, and
with the row of a token that stands before every word, as a sink, in intervals of its own.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from capax.certify.certificate import HeadFigures, LengthVerdict, StageFigures
from capax.certify.certify_budget import WorkBudget
from capax.certify.exported_models.directory import NormlessExport
from capax.certify.exported_models.norms import Noisy
from capax.certify.exported_models.norms_mlp import through
from capax.certify.hints import HeadTask
from capax.certify.intervals.arithmetic import GUARD
from capax.certify.intervals.tensor import IntervalTensor, between, exactly
from capax.certify.not_certified import NotCertified
from capax.certify.parts.by_value import by_value
from capax.certify.parts.check_heads import LEAST_WEIGHT, HeadCheck, check_head
from capax.certify.parts.decoding import decoding_margin
from capax.certify.parts.pairs import Side, SinkBounds, scaled, scores, vectors
from capax.certify.parts.stream_bounds import embedded
from capax.certify.pipeline import ProofCache, fine_or_coarse
from capax.certify.values.axes import FINE, NARROW, Axes
from capax.model.export.hugging_face.norm_bounds import NormError
from capax.model.parts import Affine, Block, Head
from capax.rasp.analysis.output_spec import OutputSpec

Rows: TypeAlias = list[list[IntervalTensor]]
"""The row of words, one number per slot, and that of the token before them, if there is one."""


@dataclass(frozen=True, slots=True)
class NormedModel:
    """A model without norms, with the errors of the norms that stand in it or before its maps."""

    export: NormlessExport
    error: NormError
    numbers: str

    @property
    def max_length(self) -> int:
        """The greatest length of a word."""
        assert self.export.model.max_length is not None
        return self.export.model.max_length


def check_normed(
    normed: NormedModel, spec: OutputSpec, longest: int, budget: WorkBudget, cache: ProofCache
) -> LengthVerdict:
    """The verdict at one length; raises `NotCertified` where the answers are not proved at it."""
    return fine_or_coarse(
        lambda coarse: _check_all(normed, spec, longest, budget, cache, coarse=coarse), longest, cache
    )


def _check_all(
    normed: NormedModel, spec: OutputSpec, longest: int, budget: WorkBudget, cache: ProofCache, *, coarse: int
) -> LengthVerdict:
    budget.next_length()
    export, model = normed.export, normed.export.model
    if not math.isfinite(normed.error.factor):
        raise NotCertified("the errors of norms have no bound at this width", "the norms")
    tasks = cache.hints_for(model, spec.root).blocks
    axes = cache.axes_for(model, spec.root, longest, budget, coarse=coarse)
    sizes = {a: len(v) for a, v in axes.values.items()}
    noisy = Noisy(normed.numbers, sizes, budget, axes.feasible, normed.error, after=export.after)
    check = _BlockChecks(noisy, axes, coarse)
    rows = [embedded(model, axes, noisy)]
    if export.first is not None:
        rows.append([exactly((), np.asarray(x, np.float64)) for x in export.first])
    noisy.apart_by(2 * noisy.gamma(3) * max((x.size for row in rows for x in row), default=0.0))
    if export.after:
        rows = noisy.normed(rows, "the embedding")
    for number, (block, block_tasks) in enumerate(zip(model.blocks, tasks, strict=True), 1):
        rows = check.after_block(block, rows, block_tasks, f"layer {number}")
    noisy.rows(rows[:1], "the readout")
    margin = decoding_margin(model, spec, rows[0], axes, noisy)
    whole = longest == model.max_length
    return LengthVerdict(normed.numbers, longest, whole, tuple(check.heads), tuple(check.stages), margin)


class _BlockChecks:
    """The checks of blocks one after the other, and the figures so far."""

    def __init__(self, noisy: Noisy, axes: Axes, coarse: int) -> None:
        self.noisy, self.axes, self.coarse = noisy, axes, coarse
        self.heads: list[HeadFigures] = []
        self.stages: list[StageFigures] = []

    def after_block(self, block: Block, rows: Rows, tasks: Sequence[HeadTask], where: str) -> Rows:
        """The rows after a block: those of words, and the one of the token before them, if there is one."""
        noisy = self.noisy
        if not noisy.after:
            noisy.rows(rows, where)
        rows = self._after_heads(block, rows, tasks, where)
        rows = noisy.normed(rows, where) if noisy.after else rows
        if block.mlp is not None:
            name = f"{where}, MLP"
            if not noisy.after:
                noisy.rows(rows, name)
            words, *others = (
                through(block.mlp, row, self.axes, noisy, name, coarse=self.coarse == NARROW) for row in rows
            )
            self.stages.append(words[1])
            rows = [by_value(words[0], self.axes, noisy, narrow=self.coarse > FINE), *(slots for slots, _ in others)]
        return noisy.normed(rows, f"{where}, MLP") if noisy.after else rows

    def _after_heads(self, block: Block, rows: Rows, tasks: Sequence[HeadTask], where: str) -> Rows:
        """The rows after the heads of a block wrote to them."""
        outputs: list[list[list[IntervalTensor]]] = [[] for _ in rows]
        for number, (head, task) in enumerate(zip(block.heads, tasks, strict=True), 1):
            assert isinstance(head, Head)
            name = f"{where}, head {number}"
            sink = self._sink(head, rows[1]) if len(rows) > 1 else None
            columns, figures = check_head(
                HeadCheck(head, task.nodes, task.selector, rows[0], self.axes, self.noisy, name, sink)
            )
            self.heads.append(figures)
            if np.asarray(head.output)[len(columns) :].any():
                raise NotCertified("a head writes more than it is said to compute", name)
            outputs[0].append(columns)
            if sink is not None:
                outputs[1].append(self._at_first(head, sink, rows, name))
        return [self._written(block, row, columns) for row, columns in zip(rows, outputs, strict=True)]

    def _sink(self, head: Head, row: list[IntervalTensor]) -> SinkBounds:
        """The key and the values of the token before every word."""
        value = vectors(head.value, row, self.noisy)
        low, high = ([float(getattr(x, end)) for x in value] for end in ("low", "high"))
        return SinkBounds(self._hull(head.key, row), np.array(low), np.array(high))

    def _hull(self, map: Affine, slots: list[IntervalTensor]) -> Side:
        """A side of one row, which holds all queries or keys."""
        numbers, bias = self.noisy.apart(slots, map.weight, map.bias)
        low, high = np.array([[x.low.min() for x in numbers]]), np.array([[x.high.max() for x in numbers]])
        return Side(low, high, False, 0.0, {}, None, bias, self.noisy.shared)

    def _at_first(self, head: Head, sink: SinkBounds, rows: Rows, where: str) -> list[IntervalTensor]:
        """What a head gives at the token before every word, which must attend to itself alone."""
        noisy, leak = self.noisy, 0.0
        at_words = vectors(head.value, rows[0], noisy)
        if head.mask != "causal":
            query = scaled(self._hull(head.query, rows[1]), head.scale, noisy)
            words = self._hull(head.key, rows[0])
            gap = float(scores(query, sink.key, noisy)[0].min()) - float(scores(query, words, noisy)[1].max())
            if gap <= 0:
                raise NotCertified(f"{where}: the token before every word does not attend to itself alone", where)
            leak = self.axes.longest * max(math.exp(-gap), LEAST_WEIGHT) * (1 + 64 * noisy.exp_error)
        columns = []
        for low, high, other in zip(sink.low, sink.high, at_words, strict=True):
            size = max(abs(low), abs(high), other.size)
            off = 2 * size * (leak + 2 * float(noisy.gamma(self.axes.longest + 3))) * GUARD
            columns.append(between((), np.asarray(low - off), np.asarray(high + off)))
        return columns

    def _written(
        self, block: Block, row: list[IntervalTensor], columns: list[list[IntervalTensor]]
    ) -> list[IntervalTensor]:
        """A row of the stream after the heads of a block wrote to it."""
        written = []
        for slot, old in enumerate(row):
            parts: list[IntervalTensor] = []
            for head, results in zip(block.heads, columns, strict=True):
                assert isinstance(head, Head)
                weights = np.asarray(head.output, np.float64)[: len(results), slot]
                parts += [
                    self.noisy.sums([x], w.reshape(1, 1), np.zeros(1))[0]
                    for x, w in zip(results, weights, strict=True)
                    if w
                ]
            if block.bias[slot]:
                parts.append(exactly((), np.asarray(block.bias[slot], np.float64)))
            written.append(self.noisy.wrote(old, parts, len(parts), sum(p.size for p in parts)))
        return written
