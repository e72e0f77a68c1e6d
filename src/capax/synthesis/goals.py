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
from capax.synthesis.bank import Step
from capax.synthesis.grammar import Kind
from capax.synthesis.grow import Ground
from capax.synthesis.grow_selectors import SELECTS, all_comparisons, best_table
from capax.synthesis.sample import COUNTS, HIGHEST, Sample
from capax.synthesis.sketch import Sketch, sketch_of

Array: TypeAlias = Any
MOVED: Final = 64
"""What is added to a value to make it a code of a goal."""
CODES: Final[Array] = np.arange(256) - MOVED
"""The values (256,) of the codes."""
RANGE: Final = {Kind.COUNT: (-9, 25), Kind.TRUTH: (0, 2), Kind.TOKEN: (0, 190)}
"""The values of a type that a goal is about: from, and to but not with."""


@dataclass(frozen=True, slots=True, eq=False)
class Goal:
    """What an s-op of a type, or a selector (`kind` None), must do; `wrap` makes the program of a part that does it.

    `cost` is the number of nodes that the program has beside the part.
    """

    kind: Kind | None
    right: Array
    cost: int
    wrap: Callable[[Sketch], Sketch]

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
    if sample.kind is Kind.SHARE:
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
    goal: Goal, step: Step, kind: Kind | None, known: Sketch | None, first: bool
) -> Callable[[Sketch], Sketch]:
    def wrap(part: Sketch) -> Sketch:
        parts = (part,) if known is None else ((part, known) if first else (known, part))
        return goal.wrap(Sketch(step, parts, kind=kind))

    return wrap


def _peel_sop(ground: Ground, goal: Goal, operand: int) -> Iterator[Goal]:
    if operand == 0:
        yield from _peel_unary(ground, goal)
    else:
        for kind in (Kind.COUNT, Kind.TOKEN, Kind.TRUTH):
            for number in _small(ground, operand, kind):
                row, known = ground.bank.sops.rows[number], sketch_of(ground.bank, number, selector=False)
                yield from _peel_binary(goal, kind, row, known)
                if kind is goal.kind and not ground.bank.sops.literal[number]:
                    yield from _peel_aggregate(ground, goal, row, known)
        yield from _peel_where(ground, goal, operand)
        if goal.kind is Kind.TRUTH and ground.grammar.has("mean"):
            yield from _peel_mean(ground, goal, operand)


def _small(ground: Ground, size: int, kind: Kind | None) -> Iterator[int]:
    for group in ground.bank.groups(size, kind):
        yield from (int(n) for n in group.numbers)


def _peel_unary(ground: Ground, goal: Goal) -> Iterator[Goal]:
    right = goal.right
    if goal.kind is Kind.COUNT:
        if ground.grammar.has("width"):
            counts = np.clip(COUNTS + MOVED, 0, 255)
            yield Goal(None, right[:, counts], goal.cost + 1, _wrapped(goal, Step.WIDTH, Kind.COUNT, None, True))
        if ground.grammar.has("mod"):
            table = right[:, CODES % 2 + MOVED]
            yield Goal(Kind.COUNT, table, goal.cost + 2, _wrapped(goal, Step.MOD, Kind.COUNT, None, True))
        yield Goal(Kind.TRUTH, right, goal.cost + 1, _wrapped(goal, Step.INDICATOR, Kind.COUNT, None, True))
    if goal.kind is Kind.TRUTH and ground.grammar.has("not"):
        table = right[:, np.clip(1 - CODES + MOVED, 0, 255)]
        yield Goal(Kind.TRUTH, table, goal.cost + 1, _wrapped(goal, Step.NEGATE, Kind.TRUTH, None, True))


_TESTS: Final = (
    (Step.EQUAL, True, np.equal),
    (Step.UNEQUAL, True, np.not_equal),
    (Step.LESS, True, np.less),
    (Step.AT_MOST, True, np.less_equal),
    (Step.LESS, False, np.greater),
    (Step.AT_MOST, False, np.greater_equal),
)
"""Comparisons of an unknown first or second operand (True for first) with a known one."""


def _peel_binary(goal: Goal, kind: Kind, row: Array, known: Sketch) -> Iterator[Goal]:
    cost, value = goal.cost + 1 + known.size, row[:, None].astype(np.int64)
    if goal.kind is Kind.COUNT and kind is Kind.COUNT:
        for step, first, inner in (
            (Step.ADD, True, CODES + value),
            (Step.SUBTRACT, True, CODES - value),
            (Step.SUBTRACT, False, value - CODES),
        ):
            yield Goal(kind, _shifted(goal, inner), cost, _wrapped(goal, step, kind, known, first))
    if goal.kind is Kind.TRUTH and kind in (Kind.COUNT, Kind.TOKEN):
        for step, first, test in _TESTS[: 2 if kind is Kind.TOKEN else 6]:
            table = _shifted(goal, test(CODES[None], value).astype(np.int64))
            yield Goal(kind, table, cost, _wrapped(goal, step, Kind.TRUTH, known, first))
    if goal.kind is Kind.TRUTH and kind is Kind.TRUTH:
        for step, joined in ((Step.BOTH, CODES[None] & value), (Step.EITHER, CODES[None] | value)):
            yield Goal(kind, _shifted(goal, joined), cost, _wrapped(goal, step, kind, known, True))


def _peel_where(ground: Ground, goal: Goal, operand: int) -> Iterator[Goal]:
    """`X if C else y`, and the other way round, with known C and y."""
    if goal.kind not in (Kind.TOKEN, Kind.COUNT) or not ground.grammar.has("where"):
        return
    for of_condition in range(2, operand):
        for condition in _small(ground, of_condition, Kind.TRUTH):
            truth = ground.bank.sops.rows[condition] != 0
            for other in _small(ground, operand - of_condition, goal.kind):
                fits = _shifted(goal, ground.bank.sops.rows[other][:, None].astype(np.int64))[:, 0]
                for first, needed in ((True, truth), (False, ~truth)):
                    if (fits | needed)[: ground.sample.size].all():
                        c = sketch_of(ground.bank, condition, selector=False)
                        y = sketch_of(ground.bank, other, selector=False)
                        table = goal.right | ~needed[:, None]
                        yield Goal(goal.kind, table, goal.cost + 1 + operand, _choice(goal, c, y, first))


def _choice(goal: Goal, condition: Sketch, other: Sketch, first: bool) -> Callable[[Sketch], Sketch]:
    def wrap(part: Sketch) -> Sketch:
        sides = (part, other) if first else (other, part)
        return goal.wrap(Sketch(Step.WHERE, (condition, *sides), kind=goal.kind))

    return wrap


def _peel_aggregate(ground: Ground, goal: Goal, row: Array, known: Sketch) -> Iterator[Goal]:
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
    if goal.kind is Kind.TOKEN:
        letters = {x for word in sample.words for x in word}
        codes = [code for code, text in enumerate(sample.strings) if text not in letters]
    else:
        codes = [0, 1] if goal.kind is Kind.TRUTH else [0, -1, -2, 1]
    often = {code: int(goal.right[: sample.size, code + MOVED].sum()) for code in codes}
    useful = [code for code in sorted(codes, key=lambda c: -often[c]) if often[code]]
    return useful[:2] or codes[:1]


def _fetched(goal: Goal, known: Sketch, default: int) -> Callable[[Sketch], Sketch]:
    return lambda part: goal.wrap(Sketch(Step.AGGREGATE, (part, known), default=default, kind=goal.kind))


def _peel_mean(ground: Ground, goal: Goal, operand: int) -> Iterator[Goal]:
    """`aggregate(S, value) > 1 / 2` and the like: the mean of a known value, compared with a known share."""
    sample, bank = ground.sample, ground.bank
    shares = [n for group in bank.groups(1, Kind.SHARE) for n in group.numbers if bank.sops.literal[n]]
    for number in _small(ground, operand - 1, Kind.COUNT) if operand > 1 else ():
        if bank.sops.literal[number]:
            continue
        means = value_table(bank.sops.rows[number], sample, True, 0)[sample.word_of].astype(np.int64)
        value = sketch_of(bank, number, selector=False)
        for share in shares:
            level, known = int(bank.sops.rows[share][0]), sketch_of(bank, int(share), selector=False)
            for step, first, test in _TESTS:
                outer = Goal(Kind.SHARE, goal.right, goal.cost, _wrapped(goal, step, Kind.TRUTH, known, first))
                right = _shifted(goal, test(means, level).astype(np.int64))
                yield Goal(None, right, goal.cost + 2 + operand, _fetched(outer, value, 0))


def _peel_selector(ground: Ground, goal: Goal, operand: int) -> Iterator[Goal]:
    sample, bank = ground.sample, ground.bank
    bytes_ = np.arange(256)
    if operand == 0:
        if ground.grammar.has("not"):
            table = goal.right[np.arange(sample.padded)[:, None], ~bytes_[None] & sample.valid[:, None]]
            yield Goal(None, table, goal.cost + 1, _wrapped(goal, Step.SELECT_NOT, None, None, True))
        return
    for number in _small(ground, operand, None):
        row, known = bank.selectors.rows[number][:, None], sketch_of(bank, number, selector=True)
        for step, joined in ((Step.SELECT_AND, bytes_ & row), (Step.SELECT_OR, bytes_ | row)):
            table = goal.right[np.arange(sample.padded)[:, None], joined]
            yield Goal(None, table, goal.cost + 1 + operand, _wrapped(goal, step, None, known, False))
    for kind in (Kind.COUNT, Kind.TOKEN, Kind.TRUTH):
        for number in _small(ground, operand, kind):
            row, known = bank.sops.rows[number], sketch_of(bank, number, selector=False)
            if kind is Kind.COUNT and not bank.sops.literal[number] and ground.grammar.has("best"):
                table = goal.right[np.arange(sample.padded)[:, None], best_table(row, sample)[sample.word_of]]
                yield Goal(None, table, goal.cost + 1 + operand, _wrapped(goal, Step.BEST, None, known, True))
            yield from _peel_queries(goal, kind, row, known, sample)
            yield from _peel_keys(goal, kind, row, known, sample)


def _peel_queries(goal: Goal, kind: Kind, keys: Array, known: Sketch, sample: Sample) -> Iterator[Goal]:
    """`select(keys, X, op)`: for each value of X the byte of selected keys is known."""
    low, high = RANGE[kind] if kind is not Kind.TOKEN else (0, len(sample.strings))
    values = np.arange(low, high)
    spread = keys[sample.keys][None]
    equal = np.packbits(spread == values[:, None, None], axis=2, bitorder="little")[:, :, 0] & sample.valid
    less = np.packbits(spread < values[:, None, None], axis=2, bitorder="little")[:, :, 0] & sample.valid
    steps = SELECTS[: 2 if kind is Kind.TRUTH else 6]
    for step, table in zip(steps, all_comparisons(equal, less, sample.valid), strict=False):
        right = np.zeros_like(goal.right)
        right[:, low + MOVED : high + MOVED] = goal.right[np.arange(sample.padded)[None], table].T
        yield Goal(kind, right, goal.cost + 1 + known.size, _wrapped(goal, step, None, known, False))


def _peel_keys(goal: Goal, kind: Kind, queries: Array, known: Sketch, sample: Sample) -> Iterator[Goal]:
    """`select(X, queries, ==)` for one key: no key may have the value of a query that must not see it.

    That every query has a key is left to the check of the program. Where all queries of a word need one and
    differ, the values of the keys are those of the queries.
    """
    if (goal.right[: sample.size] & (COUNTS > 1)[None] & _inside(sample)).any():
        return
    low, high = RANGE[kind] if kind is not Kind.TOKEN else (0, len(sample.strings))
    right = np.zeros_like(goal.right)
    for start, length in zip(sample.starts, sample.lengths, strict=True):
        span = slice(start, start + length)
        sees = goal.right[span][:, 1 << np.arange(length)]  # (queries, keys)
        held = queries[span][:, None] == np.arange(low, high)  # (queries, values)
        right[span, low + MOVED : high + MOVED] = ~((~sees).T @ held)
        needed = not goal.right[span, 0].any()
        if needed and len(set(queries[span].tolist())) == length:
            right[span, low + MOVED : high + MOVED] &= held.any(axis=0)
    yield Goal(kind, right, goal.cost + 1 + known.size, _wrapped(goal, Step.SELECT_EQ, None, known, True))


def _inside(sample: Sample) -> Array:
    """Which bytes (positions, 256) have only keys that are there."""
    return np.arange(256)[None] & ~sample.valid[: sample.size, None].astype(np.int64) == 0
