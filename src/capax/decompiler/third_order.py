"""Heads of third order: which pairs of keys a query selects, as a test of the sum of three integers."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

import numpy as np

from capax.decompiler.feature import Feature
from capax.model.parts import Array, TensorHead
from capax.rasp.ir.nodes import Const, Map
from capax.rasp.ir.triple_nodes import PairAggregate, PairWidth, SumSelect

LARGEST_MODULUS: Final = 12


@dataclass(frozen=True, slots=True, eq=False)
class PairReading:
    """A head of third order in words: its test of a sum, if one was found, and the s-op of its output by position."""

    layer: int
    number: int
    selector: SumSelect | None
    outputs: tuple[Feature, ...]

    @property
    def title(self) -> str:
        """The head's layer and number, counted from 1."""
        return f"head {self.layer + 1}.{self.number + 1}"


def read_pairs(head: TensorHead, place: tuple[int, int], traces: list[Any], integers: list[Feature]) -> PairReading:
    """What a head of third order selects, among tests `(x + y + z) % m == c` of integers that are given by position."""
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
    selector = next(_sums(integers, selected), None)
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
