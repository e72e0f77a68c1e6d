"""The certificate of a model whose norms do almost nothing: that all answers are right with their errors.

It is the check of `capax.certify.certificate` on the model without norms, with the errors of norms on every read, and
with the row of a token that stands before every word, as a sink, in intervals of its own.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from capax.certify.budget import Effort
from capax.certify.certificate import Verdict, axes_of, hinted
from capax.certify.exports.directory import Held
from capax.certify.exports.norms import Noisy
from capax.certify.exports.norms_mlp import through
from capax.certify.intervals.arithmetic import GUARD
from capax.certify.intervals.tensor import Wide, between, exactly
from capax.certify.not_certified import Refusal
from capax.certify.parts.decoding import decoded
from capax.certify.parts.heads import LEAST_WEIGHT, HeadFigures, check_head
from capax.certify.parts.pairs import Side, scaled, scores, vectors
from capax.certify.parts.sink_bounds import SinkBounds
from capax.certify.parts.stream import StageFigures, by_value, embedded
from capax.certify.values.axes import Axes
from capax.model.export.hugging_face.bounds import NormError
from capax.model.parts import Affine, Block, Head
from capax.rasp.analysis.output_spec import OutputSpec
from capax.rasp.ir.nodes import SelectorNode, SOpNode


@dataclass(frozen=True, slots=True)
class Normed:
    """A model without norms, with the errors of the norms that stand in it or before its maps."""

    given: Held
    error: NormError
    numbers: str


def certify_normed(it: Normed, wanted: OutputSpec, longest: int, effort: Effort) -> Verdict:
    """The verdict at one length; raises `Refusal` where the answers are not proved at it."""
    if longest >= effort.beyond:
        raise Refusal("the check would go through too many combinations of values", too_many=True)
    try:
        return _certify(it, wanted, longest, effort, forget=False)
    except Refusal as refusal:
        if not refusal.too_many:
            raise
    try:
        return _certify(it, wanted, longest, effort, forget=True)
    except Refusal as refusal:
        if refusal.too_many:
            effort.beyond = longest
        raise


def _certify(it: Normed, wanted: OutputSpec, longest: int, effort: Effort, *, forget: bool) -> Verdict:
    effort.begin()
    model = it.given.model
    if not math.isfinite(it.error.factor):
        raise Refusal("the errors of norms have no bound at this width", "the norms")
    if ("hints",) not in effort.kept:  # the same at every length
        effort.kept["hints",] = hinted(model, wanted.root), 0
    said, parts = effort.kept["hints",][0]
    axes = axes_of(model, wanted.root, longest, parts, effort, forget=forget)
    sizes = {a: len(v) for a, v in axes.values.items()}
    noisy = Noisy(it.numbers, sizes, effort, axes.feasible, it.error, after=it.given.after)
    check = _Check(noisy, axes, forget)
    rows = [embedded(model, axes, noisy)]
    if it.given.first is not None:
        rows.append([exactly((), np.asarray(x, np.float64)) for x in it.given.first])
    noisy.apart_by(2 * noisy.gamma(3) * max((x.size for row in rows for x in row), default=0.0))
    if it.given.after:
        rows = noisy.normed(rows, "the embedding")
    for number, block in enumerate(model.blocks):
        rows = check.block(block, rows, said[number], f"layer {number + 1}")
    noisy.rows(rows[:1], "the readout")
    margin = decoded(model, wanted, rows[0], axes, noisy)
    whole = longest == model.max_length
    return Verdict(it.numbers, longest, whole, tuple(check.heads), tuple(check.stages), margin)


class _Check:
    """Goes through the blocks, and keeps the figures."""

    def __init__(self, noisy: Noisy, axes: Axes, forget: bool) -> None:
        self.noisy, self.axes, self.forget = noisy, axes, forget
        self.heads: list[HeadFigures] = []
        self.stages: list[StageFigures] = []

    def block(
        self, block: Block, rows: list[list[Wide]], said: Sequence[tuple[list[SOpNode], SelectorNode]], where: str
    ) -> list[list[Wide]]:
        """The rows after a block: those of words, and the one of the token before them, if there is one."""
        noisy = self.noisy
        if not noisy.after:
            noisy.rows(rows, where)
        outputs: list[list[list[Wide]]] = [[] for _ in rows]
        for place, head in enumerate(block.heads):
            assert isinstance(head, Head)
            name = f"{where}, head {place + 1}"
            nodes, part = said[place]
            held = self._held(head, rows[1]) if len(rows) > 1 else None
            checked = check_head(head, nodes, part, rows[0], self.axes, noisy, name, held)
            self.heads.append(checked.figures)
            if np.asarray(head.output)[len(checked.columns) :].any():
                raise Refusal("a head writes more than it is said to compute", name)
            outputs[0].append(checked.columns)
            if held is not None:
                outputs[1].append(self._at_first(head, held, rows, name))
        rows = [self._written(block, row, columns) for row, columns in zip(rows, outputs, strict=True)]
        rows = noisy.normed(rows, where) if noisy.after else rows
        if block.mlp is not None:
            if not noisy.after:
                noisy.rows(rows, f"{where}, MLP")
            made = [through(block.mlp, row, self.axes, noisy, f"{where}, MLP", forget=self.forget) for row in rows]
            self.stages.append(made[0][1])
            rows = [by_value(made[0][0], self.axes, noisy, narrow=self.forget), *(m[0] for m in made[1:])]
        return noisy.normed(rows, f"{where}, MLP") if noisy.after else rows

    def _held(self, head: Head, row: list[Wide]) -> SinkBounds:
        """The key and the values of the token before every word."""
        value = vectors(head.value, row, self.noisy)
        low, high = ([float(getattr(x, end)) for x in value] for end in ("low", "high"))
        return SinkBounds(self._hull(head.key, row), np.array(low), np.array(high))

    def _hull(self, map: Affine, slots: list[Wide]) -> Side:
        """A side of one row, which holds all queries or keys."""
        numbers, bias = self.noisy.apart(slots, map.weight, map.bias)
        low, high = np.array([[x.low.min() for x in numbers]]), np.array([[x.high.max() for x in numbers]])
        return Side(low, high, False, 0.0, {}, None, bias, self.noisy.shared)

    def _at_first(self, head: Head, held: SinkBounds, rows: list[list[Wide]], where: str) -> list[Wide]:
        """What a head gives at the token before every word, which must attend to itself alone."""
        noisy, leak = self.noisy, 0.0
        at_words = vectors(head.value, rows[0], noisy)
        if head.mask != "causal":
            query = scaled(self._hull(head.query, rows[1]), head.scale, noisy)
            words = self._hull(head.key, rows[0])
            gap = float(scores(query, held.key, noisy)[0].min()) - float(scores(query, words, noisy)[1].max())
            if gap <= 0:
                raise Refusal(f"{where}: the token before every word does not attend to itself alone", where)
            leak = self.axes.longest * max(math.exp(-gap), LEAST_WEIGHT) * (1 + 64 * noisy.exp_error)
        found = []
        for low, high, other in zip(held.low, held.high, at_words, strict=True):
            size = max(abs(low), abs(high), other.size)
            off = 2 * size * (leak + 2 * float(noisy.gamma(self.axes.longest + 3))) * GUARD
            found.append(between((), np.asarray(low - off), np.asarray(high + off)))
        return found

    def _written(self, block: Block, row: list[Wide], columns: list[list[Wide]]) -> list[Wide]:
        """A row of the stream after the heads of a block wrote to it."""
        found = []
        for slot, old in enumerate(row):
            parts: list[Wide] = []
            for head, given in zip(block.heads, columns, strict=True):
                assert isinstance(head, Head)
                weights = np.asarray(head.output, np.float64)[: len(given), slot]
                parts += [
                    self.noisy.sums([x], w.reshape(1, 1), np.zeros(1))[0]
                    for x, w in zip(given, weights, strict=True)
                    if w
                ]
            if block.bias[slot]:
                parts.append(exactly((), np.asarray(block.bias[slot], np.float64)))
            found.append(self.noisy.wrote(old, parts, len(parts), sum(p.size for p in parts)))
        return found
