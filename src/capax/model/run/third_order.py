"""Third-order attention: a softmax over pairs of keys, streamed in blocks of O(block * n) memory."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

from capax.model.arithmetic.interface import Arithmetic
from capax.model.parts import Array, Mask
from capax.model.run.attention import KeySpan, blind_row, seen, spans

PAIR_BYTES: Final = 4 << 20
"""About how much memory a block of scores of pairs takes; at least one row of n scores is needed."""

SinkRows: TypeAlias = tuple[Array, Array, Array, Array]
"""Both keys (k,) and both values (v,) of a sink of pairs."""


@dataclass(frozen=True, slots=True, eq=False)
class PairRecord:
    """Where the weights of one word go: of pairs (query, key, key), and of the sink (query,)."""

    pairs: Array
    sink: Array


def attend_pairs(
    arithmetic: Arithmetic,
    mask: Mask,
    parts: tuple[Array, ...],
    out: Array,
    sink: SinkRows | None = None,
    record: PairRecord | None = None,
) -> None:
    """Writes the means (n, v) of every query of one word to `out`, and the weights to `record`.

    `parts` are the scaled queries, the first and second keys (n, k), the first and second values (n, v). Scores are
    computed twice when they do not fit one block: for the highest one, then for the sums.
    """
    n = len(parts[0])
    budget = max(1, PAIR_BYTES // (n * arithmetic.dtype.itemsize))
    for span in spans(mask, n, max(1, budget // n)):
        out[span.queries] = pair_means(arithmetic, mask, span, parts, sink, record)


def pair_means(
    arithmetic: Arithmetic,
    mask: Mask,
    span: KeySpan,
    parts: tuple[Array, ...],
    sink: SinkRows | None = None,
    record: PairRecord | None = None,
) -> Array:
    """The means (queries, v) of the queries of a span."""
    firsts = max(1, PAIR_BYTES // (max(1, span.high - span.low) * arithmetic.dtype.itemsize))
    blocks = [slice(j, min(j + firsts, span.high)) for j in range(span.low, span.high, firsts)]
    of_sink = None if sink is None else _sink_scores(arithmetic, parts[0][span.queries], sink)
    if not blocks and of_sink is None:
        return np.zeros((span.stop - span.start, parts[3].shape[1]), arithmetic.dtype)
    if len(blocks) == 1:
        known = list(_scores(arithmetic, mask, span, parts, blocks))
        top = _top(mask, span, [s.max(axis=(1, 2))[:, None] for _, s in known], of_sink)
        num, den = _sums(arithmetic, span, parts, known, top)
    else:
        tops = [s.max(axis=(1, 2))[:, None] for _, s in _scores(arithmetic, mask, span, parts, blocks)]
        top = _top(mask, span, tops, of_sink)
        num, den = _sums(arithmetic, span, parts, _scores(arithmetic, mask, span, parts, blocks), top)
    if sink is not None and of_sink is not None:
        num, den = _with_sink(arithmetic, num, den, arithmetic.weigh(of_sink.copy(), top), sink)
    if record is not None:
        whole = np.where(den == 0, 1, den)
        for block, s in _scores(arithmetic, mask, span, parts, blocks):
            record.pairs[span.queries, block, span.keys] = arithmetic.weigh(s, top[..., None]) / whole[..., None]
        if of_sink is not None:
            record.sink[span.queries] = (arithmetic.weigh(of_sink.copy(), top) / whole)[:, 0]
    return arithmetic.pair_values(num, den)


def _sink_scores(arithmetic: Arithmetic, queries: Array, sink: SinkRows) -> Array:
    """The score (queries, 1) of the sink's pair."""
    return arithmetic.pair_scores(arithmetic.times(queries, sink[0][None, :]), sink[1][None, :])


def _with_sink(arithmetic: Arithmetic, num: Array, den: Array, w: Array, sink: SinkRows) -> tuple[Array, Array]:
    """Numerators and denominators with those of the sink's pair, whose weights are (queries, 1)."""
    value = arithmetic.times(arithmetic.combine(w, sink[3][None, :]), sink[2][None, :])
    return arithmetic.plus(num, value), arithmetic.plus(den, w)


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


def _top(mask: Mask, span: KeySpan, tops: list[Array], of_sink: Array | None) -> Array:
    """The highest scores (queries, 1), the sink's among them; 0 for a query that sees nothing."""
    if of_sink is not None:
        return np.asarray(np.max(np.stack([*tops, of_sink]), axis=0))
    top = np.asarray(np.max(np.stack(tops), axis=0))
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
