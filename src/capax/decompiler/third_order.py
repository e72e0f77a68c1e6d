"""Heads of third order: which pairs of keys a query selects.

Either a test of the sum of three integers, or a conjunction of ordinary selectors: of the query and the first key, of
the query and the second, and of the two keys. If a set of triples is such a conjunction at all, then it is the
conjunction of its three projections; so each side is sought in turn as a selector that has to hold on the projection
and to fail where the other two sides hold and the triple is not selected.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product
from typing import Any, Final

import numpy as np

from capax.decompiler.feature import Feature
from capax.decompiler.head import KnownSOps
from capax.decompiler.sample import Sample
from capax.decompiler.selector import PairTask, SelectorChoice, comparisons, quick_selector
from capax.model.parts import Array, TensorHead
from capax.rasp.ir.nodes import Const, Map
from capax.rasp.ir.triple_nodes import LIFT_SIDES, Lift, PairAggregate, PairWidth, SumSelect, TripleAnd, TripleNode

LARGEST_MODULUS: Final = 12


@dataclass(frozen=True, slots=True, eq=False)
class PairReading:
    """A head of third order in words: its selector, if one was found, and the s-op of its output by position."""

    layer: int
    number: int
    selector: TripleNode | None
    outputs: tuple[Feature, ...]

    @property
    def title(self) -> str:
        """The head's layer and number, counted from 1."""
        return f"head {self.layer + 1}.{self.number + 1}"


def read_pairs(
    head: TensorHead,
    place: tuple[int, int],
    traces: Sequence[Any],
    integers: list[Feature],
    known: KnownSOps,
    sample: Sample,
) -> PairReading:
    """What a head of third order selects.

    First among tests `(x + y + z) % m == c` of integers that are given by position, then among conjunctions of
    comparisons of what is known.
    """
    layer, number = place
    selected, sinks, start = [], [], 0
    for trace in traces:
        weights = trace[f"blocks.{layer}.attn.pairs.{number}"]
        top = weights.max(axis=(2, 3))
        sink = 1.0 - weights.sum(axis=(2, 3))
        selected.append((start, weights > 0.5 * np.maximum(top, sink)[:, :, None, None]))
        sinks.append(sink > 0.5 * np.maximum(top, sink))
        start += weights.shape[0] * weights.shape[1]
    counts = head.sink is not None and all(bool(sink.all()) for sink in sinks)
    many = np.concatenate([pairs.sum(axis=(2, 3)).reshape(-1) for _, pairs in selected]).astype(np.float64)
    tested: TripleNode | None = next(_sums(integers, selected), None)
    selector = tested if tested is not None else _conjunction([pairs for _, pairs in selected], known, sample)
    if selector is None:
        return PairReading(layer, number, None, ())
    if counts:
        return PairReading(layer, number, selector, (Feature(PairWidth(selector), "int", many, 1.0),))
    focus = Map(">", (PairAggregate(selector, Const(1), 0), Const(0)))
    return PairReading(layer, number, selector, (Feature(focus, "bool", (many > 0) * 1.0, 1.0),))


def _sums(integers: list[Feature], selected: list[tuple[int, Array]]) -> Iterator[SumSelect]:
    """The tests of sums that select just the pairs that are selected, small moduli last."""
    for f, g, h in product(integers, repeat=3):
        sums = [_added(f, g, h, start, pairs) for start, pairs in selected]
        for modulus in (0, *range(LARGEST_MODULUS, 1, -1)):
            rests = [s % modulus if modulus else s for s in sums]
            hit = {int(x) for r, (_, pairs) in zip(rests, selected, strict=True) for x in np.unique(r[pairs])}
            if len(hit) == 1 and all(
                np.array_equal(r == min(hit), pairs) for r, (_, pairs) in zip(rests, selected, strict=True)
            ):
                yield SumSelect(f.node, g.node, h.node, modulus, "==", min(hit))


def _added(f: Feature, g: Feature, h: Feature, start: int, pairs: Array) -> Array:
    """The sums (word, query, first key, second key) of three integers in the words of one length."""
    batch, n = pairs.shape[:2]
    one, two, query = (x.values[start : start + batch * n].reshape(batch, n) for x in (f, g, h))
    return np.asarray(query[:, :, None, None] + one[:, None, :, None] + two[:, None, None, :])


def _conjunction(triples: list[Array], known: KnownSOps, sample: Sample) -> TripleNode | None:
    """Ordinary selectors of the three sides that select just the triples that are selected; None if none were found.

    `triples` has an array (word, query, first key, second key) for each length.
    """
    sides: list[list[Array]] = [[np.asarray(t.any(axis=axis)) for t in triples] for axis in (3, 2, 1)]
    queries, keys = sample.pairs
    every = np.arange(len(known.first))
    parts: list[TripleNode] = []
    for side, name in enumerate(LIFT_SIDES):
        never = [_refuted(t, [part[k] for part in sides], side) for k, t in enumerate(triples)]
        must = _by_pair(sides[side], side)
        task = PairTask(must, _by_pair(never, side), known.row_of[keys], known.row_of[queries])
        choice = quick_selector(task, comparisons(task, known.bank, every, every)) if task.never.any() else None
        if choice is None and task.never.any():
            return None
        sides[side] = _held(choice, sides[side], side)
        if choice is not None:
            parts.append(Lift(name, choice.node))
    return reduce(TripleAnd, parts) if parts else None


def _refuted(triples: Array, sides: list[Array], side: int) -> Array:
    """The pairs of a side that it must not select: in some triple that is not selected the other two sides hold."""
    first, second, keys = sides
    lifted = [first[:, :, :, None], second[:, :, None, :], keys[:, None, :, :]]
    others = reduce(np.logical_and, [lifted[k] for k in range(3) if k != side])
    return np.asarray((others & ~triples).any(axis=3 - side))


def _by_pair(sides: list[Array], side: int) -> Array:
    """Pairs in the order of a sample, query first; of two keys the second is the query."""
    return np.concatenate([(s.transpose(0, 2, 1) if side == 2 else s).reshape(-1) for s in sides])


def _held(choice: SelectorChoice | None, projected: list[Array], side: int) -> list[Array]:
    """The pairs that the selector of a side selects; without one it selects all."""
    if choice is None:
        return [np.ones_like(p) for p in projected]
    bits = np.unpackbits(choice.bits).astype(np.bool_)
    result, start = [], 0
    for p in projected:
        part = bits[start : start + p.size].reshape(p.shape)
        result.append(part.transpose(0, 2, 1) if side == 2 else part)
        start += p.size
    return result
