"""Goals: what a part of a program must do, worked out backwards from the answers by taking off one known step.

A goal is a table (positions, 256): which values are right at each position. For an s-op a value is a code, moved by 64;
for a selector it is the byte of selected keys. So the goal of `selector_width(S)` allows the bytes with a right number
of bits, that of `aggregate(S, tokens)` those with one bit on a right token, and that of `S and B` those whose common
bits with B are right.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np

from capax.synthesis.aggregates import value_table
from capax.synthesis.bank import SearchStep
from capax.synthesis.grammar import ValueKind
from capax.synthesis.grow import Ground
from capax.synthesis.grow_selectors import SELECTS, all_comparisons, best_table
from capax.synthesis.sample import COUNTS, HIGHEST, Sample
from capax.synthesis.sketch import ProgramSketch, sketch_of

Array: TypeAlias = Any
MOVED: Final = 64
"""What is added to a value to make it a code of a goal."""
CODES: Final[Array] = np.arange(256) - MOVED
"""The values (256,) of the codes."""
RANGE: Final = {ValueKind.COUNT: (-9, 25), ValueKind.TRUTH: (0, 2), ValueKind.TOKEN: (0, 190)}
"""The values of a type that a goal is about: from, and to but not with."""


@dataclass(frozen=True, slots=True, eq=False)
class Goal:
    """What an s-op of a type, or a selector (`kind` None), must do; `wrap` makes the program of a part that does it.

    `cost` is the number of nodes that the program has beside the part.
    """

    kind: ValueKind | None
    right: Array
    cost: int
    wrap: Callable[[ProgramSketch], ProgramSketch]

    def feasible(self, sample: Sample) -> bool:
        """Whether there is a right value at each position, and a wrong one somewhere."""
        table = self.right[: sample.size]
        if self.kind is None:
            inside = np.arange(256)[None] & ~sample.valid[: sample.size, None].astype(np.int64) == 0
            return bool((table & inside).any(axis=1).all() and not table[inside].all())
        low, high = RANGE[self.kind]
        part = table[:, low + MOVED : high + MOVED]
        return bool(part.any(axis=1).all() and not part.all())


def root_goal(sample: Sample) -> Goal | None:
    """The goal of the whole program; None for shares, which have no table."""
    if sample.kind is ValueKind.SHARE:
        return None
    right = np.ones((sample.padded, 256), dtype=bool)
    right[sample.stated] = CODES[None] == sample.target[sample.stated][:, None]
    return Goal(sample.kind, right, 0, lambda part: part)


def peel(ground: Ground, goal: Goal, operand: int) -> Iterator[Goal]:
    """The goals of the unknown part, where the last step has known operands of a size (0 for a step with none)."""
    sides = _peel_selector(ground, goal, operand) if goal.kind is None else _peel_sop(ground, goal, operand)
    yield from (child for child in sides if child.feasible(ground.sample))


def _shifted(goal: Goal, values: Array) -> Array:
    """The table that has at each position and code what the goal says of a value (positions, 256)."""
    codes = np.clip(values + MOVED, 0, 255)
    return goal.right[np.arange(len(goal.right))[:, None], codes]


def _wrapped(
    goal: Goal, step: SearchStep, kind: ValueKind | None, known: ProgramSketch | None, first: bool
) -> Callable[[ProgramSketch], ProgramSketch]:
    def wrap(part: ProgramSketch) -> ProgramSketch:
        parts = (part,) if known is None else ((part, known) if first else (known, part))
        return goal.wrap(ProgramSketch(step, parts, kind=kind))

    return wrap


def _peel_sop(ground: Ground, goal: Goal, operand: int) -> Iterator[Goal]:
    if operand == 0:
        yield from _peel_unary(ground, goal)
    else:
        for kind in (ValueKind.COUNT, ValueKind.TOKEN, ValueKind.TRUTH):
            for number in _small(ground, operand, kind):
                row, known = ground.bank.sops.rows[number], sketch_of(ground.bank, number, selector=False)
                yield from _peel_binary(goal, kind, row, known)
                if kind is goal.kind and not ground.bank.sops.literal[number]:
                    yield from _peel_aggregate(ground, goal, row, known)
        yield from _peel_where(ground, goal, operand)
        if goal.kind is ValueKind.TRUTH and ground.grammar.has("mean"):
            yield from _peel_mean(ground, goal, operand)


def _small(ground: Ground, size: int, kind: ValueKind | None) -> Iterator[int]:
    for group in ground.bank.groups(size, kind):
        yield from (int(n) for n in group.numbers)


def _peel_unary(ground: Ground, goal: Goal) -> Iterator[Goal]:
    right = goal.right
    if goal.kind is ValueKind.COUNT:
        if ground.grammar.has("width"):
            counts = np.clip(COUNTS + MOVED, 0, 255)
            yield Goal(
                None, right[:, counts], goal.cost + 1, _wrapped(goal, SearchStep.WIDTH, ValueKind.COUNT, None, True)
            )
        if ground.grammar.has("mod"):
            table = right[:, CODES % 2 + MOVED]
            yield Goal(
                ValueKind.COUNT, table, goal.cost + 2, _wrapped(goal, SearchStep.MOD, ValueKind.COUNT, None, True)
            )
        yield Goal(
            ValueKind.TRUTH, right, goal.cost + 1, _wrapped(goal, SearchStep.INDICATOR, ValueKind.COUNT, None, True)
        )
    if goal.kind is ValueKind.TRUTH and ground.grammar.has("not"):
        table = right[:, np.clip(1 - CODES + MOVED, 0, 255)]
        yield Goal(
            ValueKind.TRUTH, table, goal.cost + 1, _wrapped(goal, SearchStep.NEGATE, ValueKind.TRUTH, None, True)
        )


TESTS: Final = (
    (SearchStep.EQUAL, True, np.equal),
    (SearchStep.UNEQUAL, True, np.not_equal),
    (SearchStep.LESS, True, np.less),
    (SearchStep.AT_MOST, True, np.less_equal),
    (SearchStep.LESS, False, np.greater),
    (SearchStep.AT_MOST, False, np.greater_equal),
)
"""Comparisons of an unknown first or second operand (True for first) with a known one."""


def _peel_binary(goal: Goal, kind: ValueKind, row: Array, known: ProgramSketch) -> Iterator[Goal]:
    cost, value = goal.cost + 1 + known.size, row[:, None].astype(np.int64)
    if goal.kind is ValueKind.COUNT and kind is ValueKind.COUNT:
        for step, first, inner in (
            (SearchStep.ADD, True, CODES + value),
            (SearchStep.SUBTRACT, True, CODES - value),
            (SearchStep.SUBTRACT, False, value - CODES),
        ):
            yield Goal(kind, _shifted(goal, inner), cost, _wrapped(goal, step, kind, known, first))
    if goal.kind is ValueKind.TRUTH and kind in (ValueKind.COUNT, ValueKind.TOKEN):
        for step, first, test in TESTS[: 2 if kind is ValueKind.TOKEN else 6]:
            table = _shifted(goal, test(CODES[None], value).astype(np.int64))
            yield Goal(kind, table, cost, _wrapped(goal, step, ValueKind.TRUTH, known, first))
    if goal.kind is ValueKind.TRUTH and kind is ValueKind.TRUTH:
        for step, joined in ((SearchStep.BOTH, CODES[None] & value), (SearchStep.EITHER, CODES[None] | value)):
            yield Goal(kind, _shifted(goal, joined), cost, _wrapped(goal, step, kind, known, True))


def _peel_where(ground: Ground, goal: Goal, operand: int) -> Iterator[Goal]:
    """`X if C else y`, and the other way round, with known C and y."""
    if goal.kind not in (ValueKind.TOKEN, ValueKind.COUNT) or not ground.grammar.has("where"):
        return
    for of_condition in range(2, operand):
        for condition in _small(ground, of_condition, ValueKind.TRUTH):
            truth = ground.bank.sops.rows[condition] != 0
            for other in _small(ground, operand - of_condition, goal.kind):
                fits = _shifted(goal, ground.bank.sops.rows[other][:, None].astype(np.int64))[:, 0]
                for first, needed in ((True, truth), (False, ~truth)):
                    if (fits | needed)[: ground.sample.size].all():
                        c = sketch_of(ground.bank, condition, selector=False)
                        y = sketch_of(ground.bank, other, selector=False)
                        table = goal.right | ~needed[:, None]
                        yield Goal(goal.kind, table, goal.cost + 1 + operand, _choice(goal, c, y, first))


def _choice(
    goal: Goal, condition: ProgramSketch, other: ProgramSketch, first: bool
) -> Callable[[ProgramSketch], ProgramSketch]:
    def wrap(part: ProgramSketch) -> ProgramSketch:
        sides = (part, other) if first else (other, part)
        return goal.wrap(ProgramSketch(SearchStep.WHERE, (condition, *sides), kind=goal.kind))

    return wrap


def _peel_aggregate(ground: Ground, goal: Goal, row: Array, known: ProgramSketch) -> Iterator[Goal]:
    """`aggregate(S, value)` of one selected position, with each default that makes a difference."""
    sample = ground.sample
    assert goal.kind is not None
    ones = _shifted(goal, row[sample.keys[:, HIGHEST]].astype(np.int64)) & (COUNTS == 1)[None]
    for default in _defaults(goal, sample):
        right = ones.copy()
        right[:, 0] = goal.right[:, default + MOVED]
        yield Goal(None, right, goal.cost + 1 + known.size, _fetched(goal, known, default))


def _defaults(goal: Goal, sample: Sample) -> list[int]:
    """The defaults that are right somewhere, those that are right most often first; one that is nowhere, if none is."""
    assert goal.kind is not None
    if goal.kind is ValueKind.TOKEN:
        letters = {x for word in sample.words for x in word}
        codes = [code for code, text in enumerate(sample.strings) if text not in letters]
    else:
        codes = [0, 1] if goal.kind is ValueKind.TRUTH else [0, -1, -2, 1]
    often = {code: int(goal.right[: sample.size, code + MOVED].sum()) for code in codes}
    useful = [code for code in sorted(codes, key=lambda c: -often[c]) if often[code]]
    return useful[:2] or codes[:1]


def _fetched(goal: Goal, known: ProgramSketch, default: int) -> Callable[[ProgramSketch], ProgramSketch]:
    return lambda part: goal.wrap(ProgramSketch(SearchStep.AGGREGATE, (part, known), default=default, kind=goal.kind))


def _peel_mean(ground: Ground, goal: Goal, operand: int) -> Iterator[Goal]:
    """`aggregate(S, value) > 1 / 2` and the like: the mean of a known value, compared with a known share."""
    sample, bank = ground.sample, ground.bank
    shares = [n for group in bank.groups(1, ValueKind.SHARE) for n in group.numbers if bank.sops.literal[n]]
    for number in _small(ground, operand - 1, ValueKind.COUNT) if operand > 1 else ():
        if bank.sops.literal[number]:
            continue
        means = value_table(bank.sops.rows[number], sample, True, 0)[sample.word_of].astype(np.int64)
        value = sketch_of(bank, number, selector=False)
        for share in shares:
            level, known = int(bank.sops.rows[share][0]), sketch_of(bank, int(share), selector=False)
            for step, first, test in TESTS:
                outer = Goal(
                    ValueKind.SHARE, goal.right, goal.cost, _wrapped(goal, step, ValueKind.TRUTH, known, first)
                )
                right = _shifted(goal, test(means, level).astype(np.int64))
                yield Goal(None, right, goal.cost + 2 + operand, _fetched(outer, value, 0))


def _peel_selector(ground: Ground, goal: Goal, operand: int) -> Iterator[Goal]:
    sample, bank = ground.sample, ground.bank
    bytes_ = np.arange(256)
    if operand == 0:
        if ground.grammar.has("not"):
            table = goal.right[np.arange(sample.padded)[:, None], ~bytes_[None] & sample.valid[:, None]]
            yield Goal(None, table, goal.cost + 1, _wrapped(goal, SearchStep.SELECT_NOT, None, None, True))
        return
    for number in _small(ground, operand, None):
        row, known = bank.selectors.rows[number][:, None], sketch_of(bank, number, selector=True)
        for step, joined in ((SearchStep.SELECT_AND, bytes_ & row), (SearchStep.SELECT_OR, bytes_ | row)):
            table = goal.right[np.arange(sample.padded)[:, None], joined]
            yield Goal(None, table, goal.cost + 1 + operand, _wrapped(goal, step, None, known, False))
    for kind in (ValueKind.COUNT, ValueKind.TOKEN, ValueKind.TRUTH):
        for number in _small(ground, operand, kind):
            row, known = bank.sops.rows[number], sketch_of(bank, number, selector=False)
            if kind is ValueKind.COUNT and not bank.sops.literal[number] and ground.grammar.has("best"):
                table = goal.right[np.arange(sample.padded)[:, None], best_table(row, sample)[sample.word_of]]
                yield Goal(None, table, goal.cost + 1 + operand, _wrapped(goal, SearchStep.BEST, None, known, True))
            yield from _peel_queries(goal, kind, row, known, sample)
            yield from _peel_keys(goal, kind, row, known, sample)


def _peel_queries(goal: Goal, kind: ValueKind, keys: Array, known: ProgramSketch, sample: Sample) -> Iterator[Goal]:
    """`select(keys, X, op)`: for each value of X the byte of selected keys is known."""
    low, high = RANGE[kind] if kind is not ValueKind.TOKEN else (0, len(sample.strings))
    values = np.arange(low, high)
    spread = keys[sample.keys][None]
    equal = np.packbits(spread == values[:, None, None], axis=2, bitorder="little")[:, :, 0] & sample.valid
    less = np.packbits(spread < values[:, None, None], axis=2, bitorder="little")[:, :, 0] & sample.valid
    steps = SELECTS[: 2 if kind is ValueKind.TRUTH else 6]
    for step, table in zip(steps, all_comparisons(equal, less, sample.valid), strict=False):
        right = np.zeros_like(goal.right)
        right[:, low + MOVED : high + MOVED] = goal.right[np.arange(sample.padded)[None], table].T
        yield Goal(kind, right, goal.cost + 1 + known.size, _wrapped(goal, step, None, known, False))


def _peel_keys(goal: Goal, kind: ValueKind, queries: Array, known: ProgramSketch, sample: Sample) -> Iterator[Goal]:
    """`select(X, queries, ==)` for one key: no key may have the value of a query that must not see it.

    That every query has a key is left to the check of the program. Where all queries of a word need one and
    differ, the values of the keys are those of the queries.
    """
    if (goal.right[: sample.size] & (COUNTS > 1)[None] & _inside(sample)).any():
        return
    low, high = RANGE[kind] if kind is not ValueKind.TOKEN else (0, len(sample.strings))
    right = np.zeros_like(goal.right)
    for start, length in zip(sample.starts, sample.lengths, strict=True):
        span = slice(start, start + length)
        sees = goal.right[span][:, 1 << np.arange(length)]  # (queries, keys)
        held = queries[span][:, None] == np.arange(low, high)  # (queries, values)
        right[span, low + MOVED : high + MOVED] = ~((~sees).T @ held)
        needed = not goal.right[span, 0].any()
        if needed and len(set(queries[span].tolist())) == length:
            right[span, low + MOVED : high + MOVED] &= held.any(axis=0)
    yield Goal(kind, right, goal.cost + 1 + known.size, _wrapped(goal, SearchStep.SELECT_EQ, None, known, True))


def _inside(sample: Sample) -> Array:
    """Which bytes (positions, 256) have only keys that are there."""
    return np.arange(256)[None] & ~sample.valid[: sample.size, None].astype(np.int64) == 0
