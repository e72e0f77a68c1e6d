"""The check of a model at one length, step by step.

Idea. Every base of the program (token, position, and each aggregate and count) is an axis with finitely many values.
The model's numbers are intervals over axes: the embedding is exact, an MLP is interval arithmetic over its actual
weights, and a head that is said to compute an aggregate is checked on every pair of a query and a key: selected pairs
have equal scores and all others lower ones. Its output is then bounded for each value of the aggregate, which is the
next axis.
Scope. Which head computes which aggregate is a hint in the file; a wrong hint fails, so hints are not trusted.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np

from capax.certify.certificate import HeadFigures, LengthVerdict, StageFigures
from capax.certify.certify_budget import TOO_MANY, WorkBudget
from capax.certify.hints import HeadHints, HeadTask, hints_of
from capax.certify.intervals.arithmetic import IntervalArithmetic
from capax.certify.intervals.tensor import IntervalTensor
from capax.certify.not_certified import NotCertified
from capax.certify.parts.by_value import by_value
from capax.certify.parts.check_heads import HeadCheck, check_head
from capax.certify.parts.decoding import decoding_margin
from capax.certify.parts.pairs import sink_of
from capax.certify.parts.stream_bounds import added, embedded, refuse_long_rows, through_mlp
from capax.certify.parts.triples import TensorCheck, check_tensor_head
from capax.certify.values.axes import FINE, FLAGS, NARROW, Axes
from capax.certify.values.axes_on_words import AxesOnWords
from capax.certify.values.selectors import FilledSelectors
from capax.model.model import Model
from capax.model.parts import AnyHead, AnyMlp, Block, OracleMap, RotaryHead, TensorHead
from capax.rasp.analysis.output_spec import OutputSpec
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import SOpNode
from capax.rasp.ir.triple_nodes import HEAD_SOPS, TripleNode

Verdict = TypeVar("Verdict")

ON_WORDS = -1
"""Axes with what is seen on all words: finer than all others."""


@dataclass(slots=True)
class ProofCache:
    """Results that are the same in every number system.

    `axes` has the values of the program for each length (and how coarse they are), with the work that they
    took: it is counted again where they are used again, so that a verdict does not depend on what was tried before it.
    `plain` are the systems in which the model's own weights were found to be plain numbers. Lengths from `too_long` on
    have too many combinations of values, those from `too_fine` on with fine axes in some number system, and from
    `too_many_words` on there are too many words.
    """

    hints: HeadHints | None = None
    axes: dict[tuple[int, int], tuple[Axes, int]] = field(default_factory=dict)
    plain: set[str] = field(default_factory=set)
    too_long: float = math.inf
    too_fine: float = math.inf
    too_many_words: float = math.inf
    filled: FilledSelectors = field(default_factory=FilledSelectors)

    def hints_for(self, model: Model, root: SOpNode | Sequence[SOpNode]) -> HeadHints:
        """What the heads are said to compute, which is the same at every length."""
        if self.hints is None:
            self.hints = hints_of(model, root)
        return self.hints

    def axes_for(
        self, model: Model, root: SOpNode | Sequence[SOpNode], longest: int, budget: WorkBudget, *, coarse: int
    ) -> Axes:
        """The values of the program up to a length."""
        key = longest, coarse
        if key in self.axes:
            known, work = self.axes[key]
            budget.spend(work)
            return known
        axes: Axes
        before = budget.verdict.spent
        parts, tokens = self.hints_for(model, root).width_parts, model.vocabulary.tokens
        if coarse == ON_WORDS:
            assert isinstance(root, SOpNode)
            axes = AxesOnWords(root, tokens, longest, parts, budget=budget, filled=self.filled)
        else:
            axes = Axes(root, tokens, longest, parts, coarse=coarse, budget=budget, filled=self.filled)
        self.axes[key] = axes, budget.verdict.spent - before
        return axes


@dataclass(frozen=True, slots=True)
class UnitBounds:
    """Bounds where units are SiLUs of C x, divided by C, and norms that change nothing stand before every map.

    `steep` is C; rows may be `reach` long. A norm divides by up to `divided` before its gain multiplies again, so that
    numbers that are small, but not denormal, may be flushed.
    """

    steep: float
    reach: float
    divided: float

    def narrow(self, arithmetic: IntervalArithmetic) -> None:
        """Has arithmetic allow for all of it."""
        arithmetic.silu, arithmetic.reach = 0.28 / self.steep, self.reach
        arithmetic.least *= self.divided
        arithmetic.largest /= self.steep


@dataclass(frozen=True, slots=True, eq=False)
class CheckSetting:
    """What a check works with: the values of the program, and arithmetic in the number systems.

    `coarse`: axes are made fewer, at the price of what two s-ops have in common.
    """

    axes: Axes
    arithmetic: IntervalArithmetic
    coarse: int


@dataclass(frozen=True, slots=True, eq=False)
class CheckedStream:
    """The residual stream after some sublayers, one number per slot, and the figures of these sublayers.

    `first` is the stream before them all.
    """

    slots: list[IntervalTensor]
    heads: tuple[HeadFigures, ...] = ()
    stages: tuple[Callable[[], StageFigures], ...] = ()
    first: list[IntervalTensor] = field(default_factory=list)

    def __post_init__(self) -> None:
        if not self.first:
            object.__setattr__(self, "first", self.slots)


def check_length(
    model: Model,
    spec: OutputSpec,
    *,
    numbers: str | tuple[str, ...],
    longest: int,
    budget: WorkBudget | None = None,
    cache: ProofCache | None = None,
    keys: int = 0,
    units: UnitBounds | None = None,
    on_words: bool = True,
) -> LengthVerdict:
    """The verdict at one length; raises `NotCertified` where the model is not certified at it.

    Of several number systems it is a verdict that holds in each. A check that fails is tried again with what is seen on
    all words, if these are few (`on_words`). With `keys`, errors are those of heads that add up
    this many keys. `units` says how far units are from ReLUs, and how long rows may be.
    """
    budget, cache = budget or WorkBudget(), cache or ProofCache()

    def check(coarse: int, *, one_quotient: bool = False) -> LengthVerdict:
        budget.next_length()
        tasks = cache.hints_for(model, spec.root).blocks
        axes = cache.axes_for(model, spec.root, longest, budget, coarse=coarse)
        sizes = {a: len(v) for a, v in axes.values.items()}
        arithmetic = IntervalArithmetic(numbers, sizes, budget, axes.feasible, axes)
        arithmetic.keys, arithmetic.one_quotient = keys, one_quotient
        if units is not None:
            units.narrow(arithmetic)
        try:
            return check_all(model, spec, tasks, CheckSetting(axes, arithmetic, coarse))
        except NotCertified as failure:
            if failure.too_many or one_quotient or not arithmetic.adds_exactly:
                raise
        return check(coarse, one_quotient=True)

    if keys or not on_words or not isinstance(numbers, str) or not _has_several_axes(spec):
        return fine_or_coarse(check, longest, cache)
    try:
        return fine_or_coarse(check, longest, cache)
    except NotCertified as failure:
        if longest >= cache.too_many_words:
            raise
        first = failure.without_frames()
    try:
        return check(ON_WORDS)
    except NotCertified as failure:
        if failure.too_many:
            cache.too_many_words = longest
        raise first from None


def _has_several_axes(spec: OutputSpec) -> bool:
    """Whether there is more than one axis beside tokens and positions; of one by itself everything is known."""
    return sum(isinstance(n, HEAD_SOPS) for n in topological(spec.root)) > 1


def fine_or_coarse(check: Callable[[int], Verdict], longest: int, cache: ProofCache) -> Verdict:
    """What a check of a length gives; one with too many combinations of values is tried again with coarser axes.

    Coarse axes forget what s-ops have in common, and each kind forgets something else: where one fails the next is
    tried, too. Where fine axes had too many in another system, coarse ones are tried first.
    """
    if longest >= cache.too_long:
        raise NotCertified(TOO_MANY, too_many=True)
    fine_last = longest >= cache.too_fine  # they were too many in another number system
    if not fine_last:
        try:
            return check(FINE)
        except NotCertified as failure:
            if not failure.too_many:
                raise
            cache.too_fine = longest
    broken: list[NotCertified] = []
    for coarse in (FLAGS, NARROW, *([FINE] if fine_last else [])):
        try:
            return check(coarse)
        except NotCertified as failure:
            broken.append(failure.without_frames())
    if all(failure.too_many for failure in broken):
        cache.too_long = longest
    raise next((failure for failure in reversed(broken) if not failure.too_many), broken[0])


def check_all(
    model: Model, spec: OutputSpec, tasks: Sequence[Sequence[HeadTask]], setting: CheckSetting
) -> LengthVerdict:
    """The verdict of all steps, from the embedding to the decoded answers."""
    axes, arithmetic = setting.axes, setting.arithmetic
    stream = CheckedStream(embedded(model, axes, arithmetic))
    stream = after_mlp(stream, model.input_mlp, setting, "the input MLP")
    refuse_norms(model)
    for number, (block, block_tasks) in enumerate(zip(model.blocks, tasks, strict=True), 1):
        refuse_long_rows(stream.slots, arithmetic, f"layer {number}")
        stream = after_heads(stream, block, block_tasks, setting, f"layer {number}")
        refuse_long_rows(stream.slots, arithmetic, f"layer {number}, MLP")
        stream = after_mlp(stream, block.mlp, setting, f"layer {number}, MLP")
    refuse_long_rows(stream.slots, arithmetic, "the readout")
    margin = decoding_margin(model, spec, stream.slots, axes, arithmetic)
    stages = tuple(figures() for figures in stream.stages)
    whole = axes.longest == model.max_length
    once = arithmetic.one_quotient
    return LengthVerdict(arithmetic.numbers, axes.longest, whole, stream.heads, stages, margin, one_quotient=once)


def refuse_norms(model: Model) -> None:
    """Refuses a model with norms, or with tokens before its words."""
    if model.prefix or any(b.attention_norm or b.mlp_norm for b in model.blocks) or model.readout.norm:
        raise NotCertified("models with norms or a prefix are not certified")


def after_heads(
    stream: CheckedStream, block: Block, tasks: Sequence[HeadTask], setting: CheckSetting, layer: str
) -> CheckedStream:
    """The stream after the heads of a block, each of which must compute what it is said to."""
    arithmetic = setting.arithmetic
    terms: list[list[IntervalTensor]] = [[slot] for slot in stream.slots]
    figures: list[HeadFigures] = []
    for number, (head, task) in enumerate(zip(block.heads, tasks, strict=True), 1):
        where = f"{layer}, head {number}"
        columns, known = _checked(head, task, stream.slots, setting, where)
        figures.append(known)
        _write(terms, head, columns, arithmetic)
    if np.asarray(block.bias).any():
        raise NotCertified(f"{layer} has a bias beside its heads")
    slots = [added(parts, arithmetic) for parts in terms]
    return replace(stream, slots=slots, heads=(*stream.heads, *figures))


def _checked(
    head: AnyHead, task: HeadTask, slots: list[IntervalTensor], setting: CheckSetting, where: str
) -> tuple[list[IntervalTensor], HeadFigures]:
    """What the columns of a head hold, and its figures; it must compute what it is said to."""
    axes, arithmetic, selector = setting.axes, setting.arithmetic, task.selector
    if isinstance(head, TensorHead) != isinstance(selector, TripleNode):
        raise NotCertified(f"{where} is of another order than the selector that it is said to follow", where)
    if isinstance(head, TensorHead):
        assert isinstance(selector, TripleNode)
        return check_tensor_head(TensorCheck(head, task.nodes, selector, slots, axes, arithmetic, where))
    if isinstance(head, RotaryHead):
        raise NotCertified(f"{where} has rotary positions", where)
    return check_head(HeadCheck(head, task.nodes, selector, slots, axes, arithmetic, where, sink_of(head)))


def _write(
    terms: list[list[IntervalTensor]], head: AnyHead, columns: list[IntervalTensor], arithmetic: IntervalArithmetic
) -> None:
    """Adds what a head writes to the terms of each slot."""
    output = np.asarray(head.output, np.float64)
    for row, column in enumerate(columns):
        slots = np.nonzero(output[row])[0].tolist()
        scaled = arithmetic.sums([column], output[row : row + 1, slots], np.zeros(len(slots)))
        for slot, term in zip(slots, scaled, strict=True):
            terms[slot].append(term)
    if output.shape[0] > len(columns) and output[len(columns) :].any():
        raise NotCertified("a head writes more than it is said to compute")


def after_mlp(
    stream: CheckedStream, mlp: AnyMlp | OracleMap | None, setting: CheckSetting, where: str
) -> CheckedStream:
    """The stream after an MLP, if there is one."""
    if mlp is None:
        return stream
    slots, stages = through_mlp(
        mlp, stream.slots, setting.axes, setting.arithmetic, where, coarse=setting.coarse == NARROW
    )
    slots = by_value(slots, setting.axes, setting.arithmetic, narrow=setting.coarse > FINE)
    return replace(stream, slots=slots, stages=(*stream.stages, *stages))
