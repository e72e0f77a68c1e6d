"""Aggregates of a size: what each selector fetches or averages of each value, by tables or by sums.

The value of one s-op for every byte of selected keys is a table (words, 256); an aggregate is then one look-up at each
position. Where there are fewer selectors than values, a selector is a matrix instead, which all values are multiplied
with.
"""

from collections.abc import Iterator
from typing import Any, Final, TypeAlias

import numpy as np

from capax.synthesis.bank import NEVER, Candidates, ProgramBank, SearchStep
from capax.synthesis.grammar import ValueKind
from capax.synthesis.placement import StepPlacement
from capax.synthesis.rows import hashes
from capax.synthesis.sample import BITS, COUNTS, UNIT, Sample

Array: TypeAlias = Any
BLOCK: Final = 8192
DEFAULTS: Final = (0, -1)
"""What an aggregate of counts may give where nothing is selected."""


def default_codes(sample: Sample, kind: ValueKind) -> tuple[int, ...]:
    """The defaults (as codes) of aggregates of a type: strings that are no letters, 0 and -1, False, 0."""
    if kind is ValueKind.TOKEN:
        letters = {x for word in sample.words for x in word}
        return tuple(code for code, text in enumerate(sample.strings) if text not in letters)
    return DEFAULTS if kind is ValueKind.COUNT else (0,)


def value_table(row: Array, sample: Sample, mean: bool, default: int) -> Array:
    """What aggregates of an s-op give for each word and each byte of selected keys (words, 256)."""
    values = row[sample.word_keys].astype(np.int32)
    sums = values @ BITS.T.astype(np.int32)
    if mean:
        sums = sums * UNIT // np.maximum(COUNTS, 1)
    sums[:, 0] = default
    return sums.astype(np.int16)


def aggregates(
    bank: ProgramBank,
    sample: Sample,
    place: StepPlacement,
    size: int,
    only: ValueKind | None,
    *,
    means: bool,
    literals: bool,
) -> Iterator[Candidates]:
    """The aggregates of a size: all, or those with results of one type; of literals only if these are allowed."""
    for of_value in range(1, size - 1):
        for group in bank.groups(size - 1 - of_value, None):
            single = (COUNTS[bank.selectors.rows[group.numbers]] <= 1).all(axis=1)
            for kind in (ValueKind.TOKEN, ValueKind.COUNT, ValueKind.TRUTH):
                for values in bank.groups(of_value, kind):
                    fits = ~bank.sops.literal[values.numbers] | (literals and kind is ValueKind.COUNT)
                    numbers = values.numbers[fits]
                    at = place.attend(group.at, values.at)
                    if at == NEVER or not len(numbers):
                        continue
                    if only in (None, kind):
                        yield from _all(bank, sample, place, group.numbers[single], numbers, kind, kind, at)
                    if kind is ValueKind.COUNT and means and only in (None, ValueKind.SHARE):
                        yield from _all(bank, sample, place, group.numbers[~single], numbers, kind, ValueKind.SHARE, at)


def _all(
    bank: ProgramBank,
    sample: Sample,
    place: StepPlacement,
    selectors: Array,
    values: Array,
    kind: ValueKind,
    result: ValueKind,
    at: int,
) -> Iterator[Candidates]:
    """The aggregates of some values by some selectors, looped over whichever are fewer."""
    if not len(selectors):
        return
    bytes_ = bank.selectors.rows[selectors]
    empty = ((bytes_ == 0) & (sample.valid != 0)).any(axis=1)
    codes = default_codes(sample, kind) if result is kind else (0,)
    for number, default in enumerate(codes):
        some = selectors if number == 0 else selectors[empty]
        if not len(some):
            continue
        if len(some) >= len(values):
            blocks = _by_value(bank, sample, some, values, result is not kind, default)
        else:
            blocks = _by_selector(bank, sample, some, values, result is not kind, default)
        for chosen, value, rows in blocks:
            yield from _made(bank, place, result, chosen, value, default, rows, at)


def _by_value(
    bank: ProgramBank, sample: Sample, selectors: Array, values: Array, mean: bool, default: int
) -> Iterator[tuple[Array, Array, Array]]:
    for value in values:
        table = value_table(bank.sops.rows[value], sample, mean, default).ravel()
        for start in range(0, len(selectors), BLOCK):
            some = selectors[start : start + BLOCK]
            rows = table[sample.offsets + bank.selectors.rows[some]]
            rows[:, sample.size :] = 0
            yield some, np.full(len(some), value), rows


def _by_selector(
    bank: ProgramBank, sample: Sample, selectors: Array, values: Array, mean: bool, default: int
) -> Iterator[tuple[Array, Array, Array]]:
    for selector in selectors:
        bytes_ = bank.selectors.rows[selector]
        weights = np.zeros((sample.padded, sample.padded), dtype=np.float32)
        for j in range(8):
            query = np.flatnonzero(BITS[bytes_, j])
            weights[sample.keys[query, j], query] = 1.0
        scale = (UNIT / np.maximum(COUNTS[bytes_], 1)) if mean else np.ones(sample.padded)
        for start in range(0, len(values), BLOCK):
            some = values[start : start + BLOCK]
            sums = bank.sops.rows[some].astype(np.float32) @ weights
            rows = np.rint(sums * scale.astype(np.float32)).astype(np.int16)
            rows[:, (bytes_ == 0) & (sample.valid != 0)] = default
            yield np.full(len(some), selector), some, rows


def _made(
    bank: ProgramBank,
    place: StepPlacement,
    kind: ValueKind,
    selectors: Array,
    values: Array,
    default: int,
    rows: Array,
    at: int,
) -> Iterator[Candidates]:
    heads = place.joined(
        bank.selectors.heads[selectors],
        bank.sops.heads[values],
        place.head_of(hashes(bank.selectors.rows[selectors]), counts=False, at=at),
    )
    use = heads >= 0
    if use.any():
        parts = np.stack([selectors, values, np.full(len(values), default)], axis=1)[use]
        yield Candidates(kind, rows[use], np.full(len(parts), SearchStep.AGGREGATE), parts, at, heads[use])
