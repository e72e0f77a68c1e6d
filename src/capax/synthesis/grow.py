"""All s-ops of a size from the entries of a bank that is complete below it, in blocks.

Canonical forms: the parts of a commutative step come in order; a step on literals alone is left out; a mean is of
counts, and a token or a truth value is only fetched by a selector that never selects two positions.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np

from capax.synthesis.aggregates import aggregates
from capax.synthesis.bank import NEVER, Candidates, Group, ProgramBank, SearchStep
from capax.synthesis.grammar import Grammar, ValueKind
from capax.synthesis.placement import StepPlacement
from capax.synthesis.sample import COUNTS, UNIT, Sample

Array: TypeAlias = Any
BLOCK: Final = 8192
"""Candidates are made in blocks of about so many."""


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """What candidates are made from and for."""

    bank: ProgramBank
    sample: Sample
    grammar: Grammar
    place: StepPlacement


@dataclass(frozen=True, slots=True)
class BinaryStep:
    """A step on two s-ops of one type: on rows, and which pairs are of no use."""

    step: SearchStep
    operand: ValueKind
    result: ValueKind
    apply: Callable[[Array, Array], Array]
    commutes: bool
    literals: bool = True
    """Whether one of the parts may be a literal."""
    part: str | None = None


def _compared(kind: ValueKind) -> list[BinaryStep]:
    ordered = [
        BinaryStep(SearchStep.LESS, kind, ValueKind.TRUTH, np.less, False),
        BinaryStep(SearchStep.AT_MOST, kind, ValueKind.TRUTH, np.less_equal, False),
    ]
    return [
        BinaryStep(SearchStep.EQUAL, kind, ValueKind.TRUTH, np.equal, True),
        BinaryStep(SearchStep.UNEQUAL, kind, ValueKind.TRUTH, np.not_equal, True),
        *(ordered if kind is not ValueKind.TOKEN else []),
    ]


BINARIES: Final = (
    BinaryStep(SearchStep.ADD, ValueKind.COUNT, ValueKind.COUNT, np.add, True),
    BinaryStep(SearchStep.SUBTRACT, ValueKind.COUNT, ValueKind.COUNT, np.subtract, False),
    BinaryStep(SearchStep.TIMES, ValueKind.COUNT, ValueKind.COUNT, np.multiply, True, False, "times"),
    *_compared(ValueKind.COUNT),
    *_compared(ValueKind.TOKEN),
    *_compared(ValueKind.SHARE),
    BinaryStep(SearchStep.BOTH, ValueKind.TRUTH, ValueKind.TRUTH, np.bitwise_and, True, False),
    BinaryStep(SearchStep.EITHER, ValueKind.TRUTH, ValueKind.TRUTH, np.bitwise_or, True, False, "or"),
)
"""The steps on two s-ops."""


def grow_sops(ground: Ground, size: int, only: ValueKind | None = None) -> Iterator[Candidates]:
    """The candidates of a size: all, or those of one type."""
    for binary in BINARIES:
        wanted = only is None or binary.result is only
        if wanted and (binary.part is None or ground.grammar.has(binary.part)):
            yield from _binary(ground, size, binary)
    if only in (None, ValueKind.TRUTH, ValueKind.COUNT, ValueKind.SHARE):
        yield from (block for block in _unary(ground, size) if only is None or block.kind is only)
    if ground.grammar.has("where"):
        for kind in (ValueKind.TOKEN, ValueKind.COUNT):
            if only in (None, kind):
                yield from _where(ground, size, kind)
    if only in (None, ValueKind.COUNT) and ground.grammar.has("width"):
        yield from _widths(ground, size)
    means, literals = ground.grammar.has("mean"), not ground.grammar.has("width")
    yield from aggregates(ground.bank, ground.sample, ground.place, size, only, means=means, literals=literals)


def _unary(ground: Ground, size: int) -> Iterator[Candidates]:
    grammar, rows = ground.grammar, ground.bank.sops.rows
    for group in ground.bank.groups(size - 1, ValueKind.TRUTH):
        numbers = group.numbers[~ground.bank.sops.literal[group.numbers]]
        if grammar.has("not"):
            yield from _one(ground, ValueKind.TRUTH, SearchStep.NEGATE, group, numbers, lambda x: 1 - x)
        yield from _one(ground, ValueKind.COUNT, SearchStep.INDICATOR, group, numbers, lambda x: x)
    for group in ground.bank.groups(size - 2, ValueKind.COUNT):
        numbers = group.numbers[~ground.bank.sops.literal[group.numbers]]
        if grammar.has("mod"):
            yield from _one(ground, ValueKind.COUNT, SearchStep.MOD, group, numbers, lambda x: x % 2)
        if grammar.has("reciprocal"):
            small = numbers[((rows[numbers] >= 1) & (rows[numbers] <= 8)).all(axis=1)]
            yield from _one(
                ground, ValueKind.SHARE, SearchStep.RECIPROCAL, group, small, lambda x: UNIT // np.maximum(x, 1)
            )
    for group in ground.bank.groups(size - 3, ValueKind.SHARE):
        if grammar.has("round"):
            positive = group.numbers[(rows[group.numbers] >= UNIT // 8).all(axis=1)]
            yield from _one(ground, ValueKind.COUNT, SearchStep.ROUNDED, group, positive, _rounded_reciprocal)


def _rounded_reciprocal(rows: Array) -> Array:
    return np.rint(UNIT / np.maximum(rows, 1)).astype(np.int16)


def _one(
    ground: Ground, kind: ValueKind, step: SearchStep, group: Group, numbers: Array, apply: Callable[[Array], Array]
) -> Iterator[Candidates]:
    at = ground.place.work(group.at)
    if at == NEVER:
        return
    for start in range(0, len(numbers), BLOCK):
        some = numbers[start : start + BLOCK]
        rows = apply(ground.bank.sops.rows[some]).astype(np.int16)
        yield Candidates(kind, rows, np.full(len(some), step), parts_of(some), at, ground.bank.sops.heads[some])


def parts_of(*columns: Array) -> Array:
    """The parts (entries, 3) from one to three columns of numbers."""
    empty = np.zeros(len(columns[0]), np.int32)
    return np.stack([*columns, *[empty] * (3 - len(columns))], axis=1)


def pairs(left: Array, right: Array, same: bool) -> Iterator[tuple[Array, Array]]:
    """All pairs of two lists of numbers in blocks; of one list with itself, each pair once."""
    step = max(1, BLOCK // max(1, len(right)))
    for start in range(0, len(left), step):
        for other in range(0, len(right), BLOCK):
            a = np.repeat(left[start : start + step], len(right[other : other + BLOCK]))
            b = np.tile(right[other : other + BLOCK], len(left[start : start + step]))
            if same:
                keep = a <= b
                a, b = a[keep], b[keep]
            if len(a):
                yield a, b


def _group_pairs(ground: Ground, size: int, kind: ValueKind, commutes: bool) -> Iterator[tuple[Group, Group]]:
    """The pairs of groups whose sizes add up to a size."""
    for first in range(1, size):
        second = size - first
        for left in ground.bank.groups(first, kind):
            for right in ground.bank.groups(second, kind):
                if not commutes or (left.size, left.at) <= (right.size, right.at):
                    yield left, right


def _binary(ground: Ground, size: int, binary: BinaryStep) -> Iterator[Candidates]:
    sops, place = ground.bank.sops, ground.place
    for left, right in _group_pairs(ground, size - 1, binary.operand, binary.commutes):
        at = place.work(left.at, right.at)
        if at == NEVER:
            continue
        same = binary.commutes and (left.size, left.at) == (right.size, right.at)
        for a, b in pairs(left.numbers, right.numbers, same):
            literal = sops.literal[a] & sops.literal[b] if binary.literals else sops.literal[a] | sops.literal[b]
            heads = place.joined(sops.heads[a], sops.heads[b])
            use = ~literal & (heads >= 0) & (a != b)
            if binary.step in (SearchStep.ADD, SearchStep.TIMES):
                use |= ~literal & (heads >= 0)
            a, b, heads = a[use], b[use], heads[use]
            if len(a):
                rows = binary.apply(sops.rows[a], sops.rows[b]).astype(np.int16)
                yield Candidates(binary.result, rows, np.full(len(a), binary.step), parts_of(a, b), at, heads)


def _where(ground: Ground, size: int, kind: ValueKind) -> Iterator[Candidates]:
    sops, place = ground.bank.sops, ground.place
    for of_condition in range(2, size - 2):
        for condition in ground.bank.groups(of_condition, ValueKind.TRUTH):
            numbers = condition.numbers[~sops.literal[condition.numbers]]
            for left, right in _group_pairs(ground, size - 1 - of_condition, kind, commutes=False):
                at = place.work(condition.at, left.at, right.at)
                if at == NEVER or not len(numbers):
                    continue
                for a, b in pairs(left.numbers, right.numbers, same=False):
                    yield from _chosen(ground, kind, numbers, a, b, at)


def _chosen(ground: Ground, kind: ValueKind, conditions: Array, a: Array, b: Array, at: int) -> Iterator[Candidates]:
    sops, place = ground.bank.sops, ground.place
    a, b = a[a != b], b[a != b]
    for c, pair in pairs(conditions, np.arange(len(a)), same=False):
        x, y = a[pair], b[pair]
        heads = place.joined(sops.heads[c], sops.heads[x], sops.heads[y])
        use = heads >= 0
        c, x, y = c[use], x[use], y[use]
        if len(c):
            rows = np.where(sops.rows[c] != 0, sops.rows[x], sops.rows[y])
            yield Candidates(kind, rows, np.full(len(c), SearchStep.WHERE), parts_of(c, x, y), at, heads[use])


def _widths(ground: Ground, size: int) -> Iterator[Candidates]:
    from capax.synthesis.rows import hashes

    selectors, place = ground.bank.selectors, ground.place
    for group in ground.bank.groups(size - 1, None):
        attended = place.attend(group.at)
        at = place.work(attended)
        if at == NEVER:
            continue
        for start in range(0, len(group.numbers), BLOCK):
            some = group.numbers[start : start + BLOCK]
            bytes_ = selectors.rows[some]
            heads = place.joined(selectors.heads[some], place.head_of(hashes(bytes_), counts=True, at=attended))
            some, bytes_, heads = some[heads >= 0], bytes_[heads >= 0], heads[heads >= 0]
            if len(some):
                yield Candidates(
                    ValueKind.COUNT, COUNTS[bytes_], np.full(len(some), SearchStep.WIDTH), parts_of(some), at, heads
                )
