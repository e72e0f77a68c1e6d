"""All selectors of a size from the entries of a bank that is complete below it, in blocks."""

from collections.abc import Iterator
from typing import Any, Final, TypeAlias

import numpy as np

from capax.synthesis.bank import NEVER, Candidates, Group, SearchStep
from capax.synthesis.grammar import ValueKind
from capax.synthesis.grow import BLOCK, Ground, pairs, parts_of
from capax.synthesis.sample import BITS, Sample

Array: TypeAlias = Any
SELECTS: Final = (
    SearchStep.SELECT_EQ,
    SearchStep.SELECT_NE,
    SearchStep.SELECT_LT,
    SearchStep.SELECT_LE,
    SearchStep.SELECT_GT,
    SearchStep.SELECT_GE,
)
"""The comparisons of key and query, in the order in which `compared` gives them."""
CELLS: Final = 256
"""So many pairs of keys and queries are compared at a time."""


def grow_selectors(ground: Ground, size: int) -> Iterator[Candidates]:
    """The selectors of a size."""
    for kind in ValueKind:
        yield from _gathered(_selects(ground, size, kind))
    yield from _logic(ground, size, SearchStep.SELECT_AND)
    if ground.grammar.has("or"):
        yield from _logic(ground, size, SearchStep.SELECT_OR)
    if ground.grammar.has("not"):
        yield from _negations(ground, size)
    if ground.grammar.has("best"):
        yield from _bests(ground, size)


def compared(keys: Array, queries: Array, sample: Sample) -> tuple[Array, Array]:
    """Which keys are equal to the query, and which less: bytes (pairs, positions), from rows (pairs, positions)."""
    spread, query = keys[:, sample.keys], queries[:, :, None]
    equal = np.packbits(spread == query, axis=2, bitorder="little")[:, :, 0] & sample.valid
    less = np.packbits(spread < query, axis=2, bitorder="little")[:, :, 0] & sample.valid
    return equal, less


def all_comparisons(equal: Array, less: Array, valid: Array) -> list[Array]:
    """The bytes of ==, !=, <, <=, > and >= from those of == and <."""
    at_most = equal | less
    return [equal, ~equal & valid, less, at_most, ~at_most & valid, ~less & valid]


def _selects(ground: Ground, size: int, kind: ValueKind) -> Iterator[Candidates]:
    sops, place = ground.bank.sops, ground.place
    steps = SELECTS[:2] if kind is ValueKind.TRUTH else SELECTS
    for first in range(1, size - 1):
        for keys in ground.bank.groups(first, kind):
            for queries in ground.bank.groups(size - 1 - first, kind):
                at = max(keys.at, queries.at)
                if place.attend(at) == NEVER:
                    continue
                for a, b in _small_pairs(keys.numbers, queries.numbers):
                    heads = place.joined(sops.heads[a], sops.heads[b])
                    use = ~(sops.literal[a] & sops.literal[b]) & (heads >= 0)
                    a, b, heads = a[use], b[use], heads[use]
                    if len(a):
                        equal, less = compared(sops.rows[a], sops.rows[b], ground.sample)
                        forms = all_comparisons(equal, less, ground.sample.valid)
                        for step, rows in zip(steps, forms, strict=False):
                            yield Candidates(None, rows, np.full(len(a), step), parts_of(a, b), at, heads)


def _small_pairs(left: Array, right: Array) -> Iterator[tuple[Array, Array]]:
    step = max(1, CELLS // max(1, len(right)))
    for start in range(0, len(left), step):
        for other in range(0, len(right), CELLS):
            some, others = left[start : start + step], right[other : other + CELLS]
            yield np.repeat(some, len(others)), np.tile(others, len(some))


def _gathered(blocks: Iterator[Candidates]) -> Iterator[Candidates]:
    """Small blocks put together into large ones, so that their hashes are looked up at once."""
    waiting: dict[int, list[Candidates]] = {}
    for block in blocks:
        some = waiting.setdefault(block.at, [])
        some.append(block)
        if sum(len(b.rows) for b in some) >= BLOCK:
            yield _joined(waiting.pop(block.at))
    for some in waiting.values():
        yield _joined(some)


def _joined(blocks: list[Candidates]) -> Candidates:
    return Candidates(
        blocks[0].kind,
        np.concatenate([b.rows for b in blocks]),
        np.concatenate([b.step for b in blocks]),
        np.concatenate([b.parts for b in blocks]),
        blocks[0].at,
        np.concatenate([b.heads for b in blocks]),
    )


def _pairs_of_groups(ground: Ground, size: int) -> Iterator[tuple[Group, Group]]:
    for first in range(1, size):
        for left in ground.bank.groups(first, None):
            for right in ground.bank.groups(size - first, None):
                if (left.size, left.at) <= (right.size, right.at):
                    yield left, right


def _logic(ground: Ground, size: int, step: SearchStep) -> Iterator[Candidates]:
    selectors, place = ground.bank.selectors, ground.place
    join = np.bitwise_and if step is SearchStep.SELECT_AND else np.bitwise_or
    for left, right in _pairs_of_groups(ground, size - 1):
        same = (left.size, left.at) == (right.size, right.at)
        for a, b in pairs(left.numbers, right.numbers, same):
            heads = place.joined(selectors.heads[a], selectors.heads[b])
            use = (heads >= 0) & (a != b)
            a, b = a[use], b[use]
            if len(a):
                rows = join(selectors.rows[a], selectors.rows[b])
                at = max(left.at, right.at)
                yield Candidates(None, rows, np.full(len(a), step), parts_of(a, b), at, heads[use])


def _negations(ground: Ground, size: int) -> Iterator[Candidates]:
    selectors = ground.bank.selectors
    for group in ground.bank.groups(size - 1, None):
        for start in range(0, len(group.numbers), BLOCK):
            some = group.numbers[start : start + BLOCK]
            rows = ~selectors.rows[some] & ground.sample.valid
            step = np.full(len(some), SearchStep.SELECT_NOT)
            yield Candidates(None, rows, step, parts_of(some), group.at, selectors.heads[some])


def best_table(row: Array, sample: Sample) -> Array:
    """The byte of the one key that `best` chooses, for each word and each byte of selected keys (words, 256)."""
    values = row[sample.word_keys].astype(np.int32)
    chosen = np.zeros((len(values), 256), dtype=np.uint8)
    height = np.full((len(values), 256), -(1 << 20))
    for j in range(8):
        better = (BITS[:, j] != 0)[None] & (values[:, j, None] >= height)
        chosen[better] = 1 << j
        height = np.where(better, values[:, j, None], height)
    return chosen


def _bests(ground: Ground, size: int) -> Iterator[Candidates]:
    bank, place, sample = ground.bank, ground.place, ground.sample
    for of_score in range(1, size - 1):
        for kind in (ValueKind.COUNT, ValueKind.SHARE):
            for scores in bank.groups(of_score, kind):
                numbers = scores.numbers[~bank.sops.literal[scores.numbers]]
                for group in bank.groups(size - 1 - of_score, None):
                    at = max(group.at, scores.at)
                    if place.attend(at) != NEVER:
                        yield from _gathered(_best_blocks(ground, numbers, group, at, sample))


def _best_blocks(ground: Ground, scores: Array, group: Group, at: int, sample: Sample) -> Iterator[Candidates]:
    bank, place = ground.bank, ground.place
    for score in scores:
        table = best_table(bank.sops.rows[score], sample).ravel()
        for start in range(0, len(group.numbers), BLOCK):
            some = group.numbers[start : start + BLOCK]
            value = np.full(len(some), score)
            heads = place.joined(bank.selectors.heads[some], bank.sops.heads[value])
            some, value, heads = some[heads >= 0], value[heads >= 0], heads[heads >= 0]
            if len(some):
                rows = table[sample.offsets + bank.selectors.rows[some]]
                rows &= sample.valid
                yield Candidates(None, rows, np.full(len(some), SearchStep.BEST), parts_of(some, value), at, heads)
