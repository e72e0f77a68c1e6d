"""The check of a model with a loop at one length: an invariant that is proved for one run of the shared blocks.

Statement. For every word up to the length, on which no state fails in any round, and for every number of rounds, the
decoded answer is the program's.
Idea. Invariant: at every position the slot of each state holds the code of its value, exactly or within an error, and
every other slot holds what the embedding wrote there. (1) After the blocks before the loop it holds for the values
before the first round. (2) If it holds for some values, any of those that the states can have, at each position
independently of the others, then after the blocks of the loop it holds for the values after a round, and these are
again among those that the states can have. (3) Where it holds, the blocks after the loop and the readout decode to the
program's answer. Each of the three is the usual check of a part, in which a state is an axis like a token.
Scope. Which values a state has, by which codes, in which slot, is a claim in the file; it is not trusted, since (1) and
(2) fail where a value or a code is missing or wrong. The number of rounds of the model must be that of the program.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from capax.certify.certificate import HeadFigures, LengthVerdict, StageFigures
from capax.certify.certify_budget import WorkBudget
from capax.certify.intervals.arithmetic import IntervalArithmetic
from capax.certify.intervals.axis_merge import plain
from capax.certify.intervals.tensor import IntervalTensor, between
from capax.certify.not_certified import NotCertified
from capax.certify.parts.decoding import Combinations, decoding_margin
from capax.certify.parts.stream_bounds import embedded
from capax.certify.pipeline import (
    CheckedStream,
    CheckSetting,
    ProofCache,
    after_heads,
    after_mlp,
    fine_or_coarse,
    refuse_norms,
)
from capax.certify.values.axes import Axes
from capax.model.model import Model
from capax.model.parts import Array
from capax.model.provenance import StateClaim
from capax.rasp.ir.nodes import SOpNode
from capax.rasp.rewrite.split_loop import LoopSpec

ERRORS = (0.0, 2.0**-20, 2.0**-12)
"""The errors of state codes that are tried: none, or so little that the body takes it away again."""


@dataclass(frozen=True, slots=True, eq=False)
class LoopPart:
    """A part of a model as a model of its own: some of its blocks, what they compute, and its name in messages."""

    name: str
    model: Model
    roots: tuple[SOpNode, ...]
    first: bool = False
    last: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class PartVerdict:
    """What was found of a part: the error of the states at its end (or the margin of the answers), and figures."""

    figure: float
    heads: tuple[HeadFigures, ...]
    stages: tuple[StageFigures, ...]
    one_quotient: bool


@dataclass(slots=True)
class LoopCache:
    """What is the same in every number system, for each part."""

    parts: dict[str, ProofCache] = field(default_factory=dict)

    def of(self, part: LoopPart) -> ProofCache:
        """The cache of a part."""
        return self.parts.setdefault(part.name, ProofCache())


def check_loop_length(
    model: Model,
    spec: LoopSpec,
    *,
    numbers: str | tuple[str, ...],
    longest: int,
    budget: WorkBudget,
    cache: LoopCache,
    keys: int = 0,
) -> LengthVerdict:
    """The verdict at one length, for any number of rounds; raises `NotCertified` where a part fails."""
    claims = checked_claims(model, spec)
    parts = parts_of(model, spec)
    failures: list[NotCertified] = []
    for error in ERRORS:
        check = _LoopCheck(spec, claims, numbers, longest, budget, cache, keys, error)
        try:
            verdicts = [check.part(part) for part in parts]
        except NotCertified as why:
            failures.append(why.without_frames())
            if why.too_many:
                break
            continue
        return LengthVerdict(
            _joined_name(numbers),
            longest,
            longest == model.max_length,
            tuple(h for part in verdicts for h in part.heads),
            tuple(s for part in verdicts for s in part.stages),
            verdicts[-1].figure,
            one_quotient=any(part.one_quotient for part in verdicts),
        )
    raise failures[0]


def _joined_name(numbers: str | tuple[str, ...]) -> str:
    return numbers if isinstance(numbers, str) else numbers[0]


def checked_claims(model: Model, spec: LoopSpec) -> tuple[StateClaim, ...]:
    """The claims of a file about the states; raises `NotCertified` where they are not about this loop."""
    claims, loop = model.provenance.loop, model.loop
    if loop is None or claims is None:
        raise NotCertified("the file does not say where the states of its loop are")
    if loop.rounds != spec.rounds:
        raise NotCertified(f"the model runs {loop.rounds} rounds, and the program {spec.rounds}", "the loop")
    names = [(c.name, c.values) for c in claims]
    if names != [(s.name, s.values) for s in spec.states]:
        raise NotCertified("the file names other states than the program has", "the loop")
    slots = [c.slot for c in claims]
    if len(set(slots)) < len(slots) or not all(0 <= slot < model.width for slot in slots):
        raise NotCertified("two states share a slot, or one has none", "the loop")
    if not all(np.isfinite(c.codes).all() and len(set(c.codes)) == len(c.codes) for c in claims):
        raise NotCertified("two values of a state have one code", "the loop")
    return claims


def parts_of(model: Model, spec: LoopSpec) -> tuple[LoopPart, LoopPart, LoopPart]:
    """The three parts of a model with a loop."""
    assert model.loop is not None
    refuse_norms(model)
    first, end, blocks = model.loop.first, model.loop.end, model.blocks
    heads = model.provenance.heads
    if heads is None or len(heads) != len(blocks):
        raise NotCertified("the file does not say what its heads compute")

    def part(name: str, start: int, stop: int, roots: Sequence[SOpNode]) -> LoopPart:
        about = replace(model.provenance, heads=heads[start:stop])
        mlp = model.input_mlp if roots is spec.starts else None
        own = replace(model, blocks=blocks[start:stop], input_mlp=mlp, loop=None, provenance=about)
        return LoopPart(name, own, tuple(roots), first=roots is spec.starts, last=stop == len(blocks) and start >= end)

    return (
        part("before the loop", 0, first, spec.starts),
        part("the loop", first, end, spec.nexts),
        part("after the loop", end, len(blocks), [spec.coda.root]),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _LoopCheck:
    """What the checks of the parts share."""

    spec: LoopSpec
    claims: tuple[StateClaim, ...]
    numbers: str | tuple[str, ...]
    longest: int
    budget: WorkBudget
    cache: LoopCache
    keys: int
    error: float

    def part(self, part: LoopPart) -> PartVerdict:
        """The verdict on a part: it starts from the invariant, the first part from the embedding."""
        cache = self.cache.of(part)

        def check(coarse: int, *, one_quotient: bool = False) -> PartVerdict:
            self.budget.next_length()
            setting = self._setting(part, cache, coarse, one_quotient)
            try:
                return self._run(part, cache, setting)
            except NotCertified as failure:
                if failure.too_many or one_quotient or not setting.arithmetic.adds_exactly:
                    raise
            return check(coarse, one_quotient=True)

        return fine_or_coarse(check, self.longest, cache)

    def _roots(self, part: LoopPart) -> tuple[SOpNode, ...]:
        """What a part computes, and the states that it starts from."""
        return part.roots if part.first else (*part.roots, *self.spec.states)

    def _setting(self, part: LoopPart, cache: ProofCache, coarse: int, one_quotient: bool) -> CheckSetting:
        axes = cache.axes_for(part.model, self._roots(part), self.longest, self.budget, coarse=coarse)
        sizes = {a: len(v) for a, v in axes.values.items()}
        arithmetic = IntervalArithmetic(self.numbers, sizes, self.budget, axes.feasible)
        arithmetic.keys, arithmetic.one_quotient = self.keys, one_quotient
        return CheckSetting(axes, arithmetic, coarse)

    def _run(self, part: LoopPart, cache: ProofCache, setting: CheckSetting) -> PartVerdict:
        model, axes, arithmetic = part.model, setting.axes, setting.arithmetic
        tasks = cache.hints_for(model, self._roots(part)).blocks
        slots = embedded(model, axes, arithmetic)
        stream = CheckedStream(slots if part.first else self._entered(slots))
        stream = after_mlp(stream, model.input_mlp, setting, f"{part.name}, the input MLP")
        for number, (block, own) in enumerate(zip(model.blocks, tasks, strict=True), 1):
            where = f"{part.name}, layer {number}"
            stream = after_heads(stream, block, own, setting, where)
            stream = after_mlp(stream, block.mlp, setting, f"{where}, MLP")
        if part.last:
            figure = decoding_margin(model, self.spec.coda, stream.slots, axes, arithmetic)
        else:
            figure = self._exit(stream, setting, part.roots)
        return PartVerdict(figure, stream.heads, tuple(s() for s in stream.stages), arithmetic.one_quotient)

    def _entered(self, slots: list[IntervalTensor]) -> list[IntervalTensor]:
        """The stream in which the states hold the codes of their values, within an error."""
        entered = list(slots)
        for claim, state in zip(self.claims, self.spec.states, strict=True):
            codes: Array = np.array(claim.codes)
            low, high = (codes - self.error, codes + self.error) if self.error else (codes, codes)
            entered[claim.slot] = between((state,), low, high)
        return entered

    def _exit(self, stream: CheckedStream, setting: CheckSetting, nodes: Sequence[SOpNode]) -> float:
        """The greatest error of a state's code; raises `NotCertified` where the invariant does not hold."""
        axes, arithmetic = setting.axes, setting.arithmetic
        worst = 0.0
        for claim, node in zip(self.claims, nodes, strict=True):
            worst = max(worst, _state_error(stream.slots[claim.slot], node, claim, axes, arithmetic))
        if worst > self.error:
            raise NotCertified(f"a state is off its code by {worst:.3g}", "the loop")
        owned = {claim.slot for claim in self.claims}
        written = changed_slot(stream, owned)
        if written is not None:
            raise NotCertified(f"slot {written} does not hold what it held before the round", "the loop")
        return worst


def changed_slot(stream: CheckedStream, owned: set[int]) -> int | None:
    """The first slot, states aside, that holds something else than what the embedding wrote; None if there is none."""
    for slot, (before, after) in enumerate(zip(stream.first, stream.slots, strict=True)):
        if slot not in owned and after is not before and not _same(before, after):
            return slot
    return None


def _same(one: IntervalTensor, two: IntervalTensor) -> bool:
    """Whether two numbers are known and the same; numbers over no axis are compared with those over any."""
    if not one.known or not two.known:
        return False
    if one.axes == two.axes:
        return bool(np.array_equal(one.low, two.low))
    values = {float(v) for x in (one, two) for v in np.unique(x.low)}
    return len(values) == 1


def _state_error(
    slot: IntervalTensor, node: SOpNode, claim: StateClaim, axes: Axes, arithmetic: IntervalArithmetic
) -> float:
    """How far a slot may be from the code of an s-op's value, over all combinations that can happen."""
    column = axes.of(node)
    over = tuple(dict.fromkeys([*column.axes, *plain(slot.axes)]))
    shape = arithmetic.shape(over, "a state")
    codes = np.broadcast_to(axes.expand(column, over), shape).reshape(-1)
    feasible = axes.feasible(over)
    ok = codes >= 0
    if feasible is not None:
        ok &= np.broadcast_to(feasible, shape).reshape(-1)
    cells = np.nonzero(ok)[0]
    known = dict(zip(claim.values, claim.codes, strict=True))
    listed = [known.get(v) for v in column.listed]
    used = np.unique(codes[cells]).tolist()
    if any(listed[c] is None for c in used):
        value = next(column.listed[c] for c in used if listed[c] is None)
        raise NotCertified(f"the state `{claim.name}` can have the value {value!r:.40}, which the file does not list")
    right = np.array([np.nan if c is None else c for c in listed])[codes[cells]]
    at = Combinations(over, shape, cells).of(slot.axes)
    low, high = slot.low.reshape(-1)[at], slot.high.reshape(-1)[at]
    return float(max((right - low).max(initial=0.0), (high - right).max(initial=0.0)))
