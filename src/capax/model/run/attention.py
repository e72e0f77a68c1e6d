"""Attention over blocks of queries: scores, masks, weights and means, in any number system.

Axes are batch, head, query, key, feature. The peak memory is that of a block of scores, not of all of them.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from capax.model.arithmetic.exact import UNSEEN
from capax.model.arithmetic.interface import Arithmetic
from capax.model.parts import HARD_KINDS, Array, AttentionKind, Mask

BLOCK_BYTES: Final = 1 << 20
"""About how much memory a block of scores takes: it should stay in a processor's cache."""

MASKED_BLOCK: Final = 96
"""Queries per block under a mask: fewer skip more of the keys that nobody sees, and cost more calls."""

FEW_KEYS: Final = 48
"""Below this many keys, the highest score is found in a copy with the keys first."""


@dataclass(frozen=True, slots=True)
class KeySpan:
    """Queries start ... stop - 1, and the keys low ... high - 1 that some of them see."""

    start: int
    stop: int
    low: int
    high: int

    @property
    def queries(self) -> slice:
        """The queries as a slice."""
        return slice(self.start, self.stop)

    @property
    def keys(self) -> slice:
        """The keys as a slice."""
        return slice(self.low, self.high)


def spans(mask: Mask, n: int, block: int) -> Iterator[KeySpan]:
    """The blocks of queries of a word of n positions under a mask."""
    for start in range(0, n, block):
        stop = min(start + block, n)
        match mask:
            case "none":
                yield KeySpan(start, stop, 0, n)
            case "causal":
                yield KeySpan(start, stop, 0, stop)
            case "strict past":
                yield KeySpan(start, stop, 0, stop - 1)
            case "future":
                yield KeySpan(start, stop, start, n)
            case "strict future":
                yield KeySpan(start, stop, start + 1, n)


def seen(mask: Mask, queries: Array, keys: Array) -> Array:
    """Whether the query at position i sees the key at position j, as booleans (query, key)."""
    i, j = queries[:, None], keys[None, :]
    match mask:
        case "none":
            return np.ones((len(queries), len(keys)), bool)
        case "causal":
            return j <= i
        case "strict past":
            return j < i
        case "future":
            return j >= i
        case "strict future":
            return j > i


@lru_cache(maxsize=64)
def _limits(mask: Mask, rows: int, columns: int, offset: int, dtype: str) -> Array:
    """The greatest scores: no limit where the key is seen, the mark of the unseen where it is not."""
    visible = seen(mask, np.arange(rows) + offset, np.arange(columns))
    if np.dtype(dtype).kind == "f":
        return np.where(visible, np.inf, -np.inf).astype(dtype)
    return np.where(visible, np.iinfo(np.int64).max, UNSEEN)


def hide(arithmetic: Arithmetic, s: Array, mask: Mask, span: KeySpan) -> None:
    """Overwrites the scores (..., query, key) of a block that the mask hides."""
    # Only the keys at the positions of the block's own queries are seen by some of them and hidden from others.
    first, last = max(span.start, span.low), min(span.stop, span.high)
    if mask == "none" or first >= last:
        return
    part = s[..., first - span.low : last - span.low]
    np.minimum(
        part, _limits(mask, span.stop - span.start, last - first, span.start - first, arithmetic.dtype.char), out=part
    )


def weights(
    arithmetic: Arithmetic, kind: AttentionKind, s: Array, t: Array | None, blind: int | None = None
) -> tuple[Array, Array | None, Array]:
    """The numerators (..., query, key), the sink's (..., query, 1) or None, and the denominators (..., query, 1).

    `s` are the scores and are overwritten, `t` are the sink's (..., query, 1) or None. The sink counts as the last key.
    """
    if kind == "softmax" or kind == "average-hard":
        top = _highest(arithmetic, s, t, blind)
        if kind == "softmax":
            own = None if t is None else arithmetic.weigh(t.copy(), top)
            w = arithmetic.weigh(s, top)
        else:
            own = None if t is None else (t == top).astype(arithmetic.dtype)
            w = ((s == top) & (s > arithmetic.unseen)).astype(arithmetic.dtype)
        den = arithmetic.total(w)
        return w, own, den if own is None else arithmetic.plus(den, own)
    both = s if t is None else np.concatenate([s, t], axis=-1)
    if kind == "sparsemax":
        w, den = arithmetic.sparse(both) if both.shape[-1] else (both, np.ones((*s.shape[:-1], 1), s.dtype))
    else:
        w, den = _single(arithmetic, kind, both)
    return (w, None, den) if t is None else (w[..., :-1], w[..., -1:], den)


def _highest(arithmetic: Arithmetic, s: Array, t: Array | None, blind: int | None) -> Array:
    """The highest score (..., query, 1) of each query, the sink's included; 0 for the one that sees nothing."""
    if s.shape[-1] == 0:
        top = np.full((*s.shape[:-1], 1), arithmetic.unseen, arithmetic.dtype)
    elif s.shape[-1] < FEW_KEYS:
        # A reduction over short rows is slow; over the first axis it is not, and a copy is cheap.
        top = np.ascontiguousarray(np.moveaxis(s, -1, 0)).max(axis=0)[..., None]
    else:
        # A reduction over slices of one long row takes less than half of the time of one over the last axis.
        starts = np.arange(0, s.size, s.shape[-1])
        top = np.maximum.reduceat(s.reshape(s.size), starts).reshape(*s.shape[:-1], 1)
    if t is not None:
        return np.maximum(top, t)
    if blind is not None:
        # Not wherever the top is minus infinity: scores that all overflowed have no softmax, and that must show.
        top[..., blind, :] = 0
    return top


def blind_row(mask: Mask, span: KeySpan) -> int | None:
    """The row of the block's query that its mask shows no key, if there is one."""
    if mask == "strict past" and span.start == 0:
        return 0
    return -1 if mask == "strict future" and span.stop == span.high else None


def scoring(arithmetic: Arithmetic, kind: AttentionKind) -> Callable[[Array, Array], Array]:
    """What scores the queries and keys of a kind of attention."""
    return arithmetic.hard_scores if kind in HARD_KINDS else arithmetic.scores


def _single(arithmetic: Arithmetic, kind: AttentionKind, s: Array) -> tuple[Array, Array]:
    """Weight 1 on the first or the last key of the highest score; none where nothing is seen."""
    w = np.zeros(s.shape, arithmetic.dtype)
    if s.shape[-1]:
        best = s.argmax(axis=-1) if kind == "leftmost-hard" else s.shape[-1] - 1 - s[..., ::-1].argmax(axis=-1)
        selected = np.take_along_axis(s, best[..., None], axis=-1) > arithmetic.unseen
        np.put_along_axis(w, best[..., None], selected.astype(arithmetic.dtype), axis=-1)
    return w, np.ones((*s.shape[:-1], 1), arithmetic.dtype)


def mix(
    arithmetic: Arithmetic,
    kind: AttentionKind,
    s: Array,
    v: Array,
    sink: tuple[Array, Array] | None,
    blind: int | None = None,
) -> Array:
    """The means (..., query, v) of the values under the weights that scores give.

    `s` are scores and are overwritten, `v` values (..., key, v), `sink` the scores (..., query, 1) and the value
    (..., 1, v) of the row that every query sees, `blind` the query that the mask shows nothing, if any. A query
    that sees nothing gets zeros.
    """
    w, own, den = weights(arithmetic, kind, s, None if sink is None else sink[0], blind)
    num = arithmetic.combine(w, v)
    if sink is not None and own is not None:
        num = arithmetic.plus(num, arithmetic.times(own, sink[1]))
    return arithmetic.ratio(num, den)


@dataclass(slots=True)
class Record:
    """The scores and weights of all queries and keys, batch first, kept while a run is traced.

    A weight is the quotient of its numerator and the denominator as a float, whatever the number system. Both have a
    last column more for the sink, if there is one.
    """

    scores: Array
    pattern: Array


def record_for(arithmetic: Arithmetic, shape: tuple[int, int, int], sink: bool) -> Record:
    """An empty record for (batch, heads, n): nothing seen, no weight."""
    batch, heads, n = shape
    full = (batch, heads, n, n + sink)
    shares = arithmetic.dtype if arithmetic.dtype.kind == "f" else np.float64
    return Record(np.full(full, arithmetic.unseen, arithmetic.dtype), np.zeros(full, shares))


def attend(
    arithmetic: Arithmetic,
    kind: AttentionKind,
    mask: Mask,
    q: Array,
    k: Array,
    v: Array,
    sink: tuple[Array, Array] | None,
    out: Array,
    record: Record | None = None,
    *,
    one_query: bool = False,
) -> None:
    """Writes the means (batch, head, n, v) of every query to `out`.

    q, k and v are (batch, head, n, feature); `sink` has keys (head, k) and values (head, v). `one_query`: the queries
    of a word do not differ.
    """
    batch, heads, n, features = q.shape
    if (one_query or not features) and mask == "none" and record is None:
        # They see the same keys with the same scores, and have one mean.
        _block(arithmetic, kind, mask, KeySpan(0, 1, 0, n), (q, k, v), sink, out, None)
        out[:, :, 1:] = out[:, :, :1]
        return
    block = n if mask == "none" else min(n, MASKED_BLOCK)
    block = min(block, max(1, BLOCK_BYTES // (n * arithmetic.dtype.itemsize)))
    matrices = max(1, BLOCK_BYTES // (block * n * arithmetic.dtype.itemsize))
    rows, some = max(1, matrices // heads), min(heads, matrices)
    for b in range(0, batch, rows):
        for h in range(0, heads, some):
            part = (slice(b, b + rows), slice(h, h + some))
            own = None if sink is None else (sink[0][part[1]], sink[1][part[1]])
            view = None if record is None else Record(record.scores[part], record.pattern[part])
            for span in spans(mask, n, block):
                _block(arithmetic, kind, mask, span, (q[part], k[part], v[part]), own, out[part], view)


def _block(
    arithmetic: Arithmetic,
    kind: AttentionKind,
    mask: Mask,
    span: KeySpan,
    qkv: tuple[Array, Array, Array],
    sink: tuple[Array, Array] | None,
    out: Array,
    record: Record | None,
) -> None:
    """Writes the means of one block of queries."""
    q, k, v = qkv[0][..., span.queries, :], qkv[1][..., span.keys, :], qkv[2][..., span.keys, :]
    score, blind = scoring(arithmetic, kind), blind_row(mask, span)
    s = score(q, k)
    hide(arithmetic, s, mask, span)
    own = None
    if sink is not None:
        own = (score(q, sink[0][:, None, :]), sink[1][:, None, :])
    if record is not None:
        _note(arithmetic, kind, span, s.copy(), own, record, blind)
    out[..., span.queries, :] = mix(arithmetic, kind, s, v, own, blind)


def _note(
    arithmetic: Arithmetic,
    kind: AttentionKind,
    span: KeySpan,
    s: Array,
    sink: tuple[Array, Array] | None,
    record: Record,
    blind: int | None,
) -> None:
    """Writes the scores and weights of one block of queries to the record."""
    t = None if sink is None else sink[0]
    record.scores[..., span.queries, span.keys] = s
    if t is not None:
        record.scores[..., span.queries, -1:] = t
    w, own, den = weights(arithmetic, kind, s, t, blind)
    den = np.where(den == 0, 1, den)
    record.pattern[..., span.queries, span.keys] = w / den
    if own is not None:
        record.pattern[..., span.queries, -1:] = own / den
