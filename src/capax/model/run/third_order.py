"""Third-order attention: a softmax over pairs of keys, streamed in blocks of O(block * n) memory."""

from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np

from capax.model.arithmetic.interface import Arithmetic
from capax.model.parts import Array, Mask
from capax.model.run.attention import KeySpan, blind_row, seen, spans

PAIR_BYTES: Final = 4 << 20
"""About how much memory a block of scores of pairs takes; at least one row of n scores is needed."""


def attend_pairs(
    arithmetic: Arithmetic, mask: Mask, parts: tuple[Array, ...], out: Array, pattern: Array | None = None
) -> None:
    """Writes the means (n, v) of every query of one word to `out`, and the weights (query, key, key) to `pattern`.

    `parts` are the scaled queries, the first and second keys (n, k), the first and second values (n, v). Scores are
    computed twice when they do not fit one block: for the highest one, then for the sums.
    """
    n = len(parts[0])
    budget = max(1, PAIR_BYTES // (n * arithmetic.dtype.itemsize))
    for span in spans(mask, n, max(1, budget // n)):
        out[span.queries] = pair_means(arithmetic, mask, span, parts, pattern)


def pair_means(
    arithmetic: Arithmetic, mask: Mask, span: KeySpan, parts: tuple[Array, ...], pattern: Array | None = None
) -> Array:
    """The means (queries, v) of the queries of a span."""
    firsts = max(1, PAIR_BYTES // (max(1, span.high - span.low) * arithmetic.dtype.itemsize))
    blocks = [slice(j, min(j + firsts, span.high)) for j in range(span.low, span.high, firsts)]
    if not blocks:
        return np.zeros((span.stop - span.start, parts[3].shape[1]), arithmetic.dtype)
    if len(blocks) == 1:
        scores = next(iter(_scores(arithmetic, mask, span, parts, blocks)))[1]
        top = _seen_top(mask, span, scores.max(axis=(1, 2))[:, None])
        num, den = _sums(arithmetic, span, parts, [(blocks[0], scores)], top)
    else:
        tops = [s.max(axis=(1, 2))[:, None] for _, s in _scores(arithmetic, mask, span, parts, blocks)]
        top = _seen_top(mask, span, np.max(np.stack(tops), axis=0))
        num, den = _sums(arithmetic, span, parts, _scores(arithmetic, mask, span, parts, blocks), top)
    if pattern is not None:
        for block, s in _scores(arithmetic, mask, span, parts, blocks):
            w = arithmetic.weigh(s, top[..., None])
            pattern[span.queries, block, span.keys] = w / np.where(den == 0, 1, den)[..., None]
    return arithmetic.pair_values(num, den)


def _scores(
    arithmetic: Arithmetic, mask: Mask, span: KeySpan, parts: tuple[Array, ...], blocks: list[slice]
) -> Iterator[tuple[slice, Array]]:
    """Blocks of first keys with the scores (query, key, key)."""
    q, k1, k2 = parts[0][span.queries], parts[1], parts[2][span.keys]
    queries = np.arange(span.start, span.stop)
    second = seen(mask, queries, np.arange(span.low, span.high))
    for block in blocks:
        s = arithmetic.pair_scores(arithmetic.times(q[:, None, :], k1[None, block]), k2)
        first = seen(mask, queries, np.arange(block.start, block.stop))
        yield block, np.where(first[:, :, None] & second[:, None, :], s, arithmetic.unseen)


def _seen_top(mask: Mask, span: KeySpan, top: Array) -> Array:
    """The highest scores, 0 for a query that sees nothing."""
    blind = blind_row(mask, span)
    if blind is not None:
        top[blind] = 0
    return top


def _sums(
    arithmetic: Arithmetic, span: KeySpan, parts: tuple[Array, ...], scores: Iterable[tuple[slice, Array]], top: Array
) -> tuple[Array, Array]:
    """The numerators (query, v) and denominators (query, 1)."""
    v1, v2 = parts[3], parts[4][span.keys]
    num = np.zeros((span.stop - span.start, v1.shape[1]), arithmetic.dtype)
    den = np.zeros((span.stop - span.start, 1), arithmetic.dtype)
    for block, s in scores:
        w = arithmetic.weigh(s, top[..., None])
        by_first = arithmetic.times(arithmetic.combine(w, v2), v1[None, block])
        num = arithmetic.plus(num, by_first.sum(axis=1))
        den = arithmetic.plus(den, arithmetic.total(w.reshape(len(w), -1)))
    return num, den
