"""Attention in exact integers, split between parties: partial sums, their merging, and the one rounding at the end.

The keys of a word may be divided among parties in any way. Each computes `partial` sums over its own keys; `merge`
adds them; `finish` divides. The result is that of the whole computation, bit for bit, since the sums are exact and a
weight does not depend on other keys (see `capax.model.arithmetic.integers`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from capax.errors import CapaxError
from capax.model.arithmetic.integers import IntegerArithmetic
from capax.model.arithmetic.select import arithmetic, check
from capax.model.model import Model
from capax.model.parts import Affine, Array, Block, Head
from capax.model.run.attention import seen


@dataclass(frozen=True, slots=True, eq=False)
class Partial:
    """What one party says about some queries: num (queries, v) and den (queries, 1), exact integers.

    Hard attention needs two numbers more for each query: `top`, the highest score that the party has (None in softmax
    heads), and `position`, that of the first or last such key (None but in leftmost- and rightmost-hard heads).
    """

    num: Array
    den: Array
    top: Array | None = None
    position: Array | None = None


def integers(model: Model, n: int = 1) -> IntegerArithmetic:
    """The arithmetic of a model in exact integers over n positions; another number system is an error."""
    system = arithmetic(model.numbers)
    if not isinstance(system, IntegerArithmetic):
        raise CapaxError(
            "number-system",
            f"the model computes in {model.numbers:.60}, where a split computation is not exact",
            hint='use exact integers, for example model.to("integer:8,10,8")',
        )
    check(model, n)
    return system


def partial(
    model: Model, head: Head, x_part: Array, queries: Array, *, keys_at: Array, queries_at: Array, sink: bool = False
) -> Partial:
    """The sums of one party's keys for some queries.

    `x_part` (keys, d) and `queries` (m, d) are rows of the stream before the layer, `keys_at` and `queries_at` their
    positions in the word, on which masks depend. One party alone says `sink=True`, and adds the head's sink row.
    """
    a = _over(model, keys_at, queries_at)
    k, v = a.keep(_affine(a, head.key, x_part)), a.keep_value(_affine(a, head.value, x_part))
    return partial_of(model, head, k, v, queries, keys_at=keys_at, queries_at=queries_at, sink=sink)


def partial_of(
    model: Model,
    head: Head,
    k: Array,
    v: Array,
    queries: Array,
    *,
    keys_at: Array,
    queries_at: Array,
    sink: bool = False,
) -> Partial:
    """The same sums from keys (keys, k) and values (keys, v) themselves, as someone who was told them computes them."""
    a = _over(model, keys_at, queries_at)
    q = a.scaled(a.keep(_affine(a, head.query, queries)), head.scale)
    keys_at, queries_at = np.asarray(keys_at, np.int64), np.asarray(queries_at, np.int64)
    s = np.where(seen(head.mask, queries_at, keys_at), a.scores(q, k), a.unseen)
    positions = keys_at
    if sink and head.sink is not None:
        s = np.concatenate([s, a.scores(q, head.sink.key[None, :])], axis=1)
        v = np.concatenate([v, head.sink.value[None, :]])
        # The sink counts as the last key of all.
        positions = np.append(positions, np.iinfo(np.int64).max)
    if head.attention == "softmax":
        w = a.weigh(s, s)
        return Partial(a.combine(w, v), a.total(w))
    return _hard(a, head, s, v, positions)


def _over(model: Model, keys_at: Array, queries_at: Array) -> IntegerArithmetic:
    """The arithmetic over the word: its sums have to fit, and the positions tell how long it is at least."""
    integers(model)
    return integers(model, 1 + int(max(np.max(keys_at, initial=0), np.max(queries_at, initial=0))))


def _affine(a: IntegerArithmetic, map: Affine, x: Array) -> Array:
    return a.affine(x, map.weight, map.bias)


def _hard(a: IntegerArithmetic, head: Head, s: Array, v: Array, positions: Array) -> Partial:
    """The sums over the keys of the highest score, or over the first or last of them alone."""
    blank = np.full((len(s), 1), a.unseen)
    top = np.max(np.concatenate([s, blank], axis=1), axis=1, keepdims=True)
    chosen = (s == top) & (s > a.unseen)
    position: Array | None = None
    if head.attention in ("leftmost-hard", "rightmost-hard"):
        sign = 1 if head.attention == "leftmost-hard" else -1
        none = np.iinfo(np.int64).max
        # The sooner, the smaller: positions count backwards for the last key.
        rank = np.where(chosen, sign * positions, none)
        position = np.min(np.concatenate([rank, np.full((len(s), 1), none)], axis=1), axis=1, keepdims=True)
        chosen &= sign * positions == position
    w = chosen.astype(np.int64)
    return Partial(a.combine(w, v), a.total(w), top, position)


def merge(parts: Sequence[Partial]) -> Partial:
    """The sums of several parties together. The order does not matter."""
    assert parts, "there is at least one party"
    total = parts[0]
    for part in parts[1:]:
        total = _merged(total, part)
    return total


def _merged(one: Partial, two: Partial) -> Partial:
    if one.top is None or two.top is None:
        return Partial(one.num + two.num, one.den + two.den)
    top = np.maximum(one.top, two.top)
    keep_one, keep_two = one.top == top, two.top == top
    position: Array | None = None
    if one.position is not None and two.position is not None:
        both = keep_one & keep_two
        keep_one, keep_two = (
            keep_one & ~(both & (two.position < one.position)),
            keep_two & ~(both & (one.position <= two.position)),
        )
        position = np.where(keep_one, one.position, two.position)
    num = np.where(keep_one, one.num, 0) + np.where(keep_two, two.num, 0)
    den = np.where(keep_one, one.den, 0) + np.where(keep_two, two.den, 0)
    return Partial(num, den, top, position)


def finish(model: Model, part: Partial) -> Array:
    """The means (queries, v): the one quotient and rounding, after the merge."""
    return integers(model).ratio(part.num, part.den)


def after_attention(model: Model, block: Block, x: Array, means: Sequence[Array]) -> Array:
    """The streams (queries, d) after a layer's attention, from the streams before it and every head's means."""
    a = integers(model)
    out = block.bias + np.zeros_like(x)
    for head, z in zip(block.heads, means, strict=True):
        out = out + a.affine(z, head.output, None)
    return a.add(x, out)
