"""What is known at each position, and what the heads of the next layers make of it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Final

import numpy as np

from capax.decompiler.feature import Feature, Strings, grown
from capax.decompiler.head import ExplainedHead, KnownSOps, explain_head, explain_together
from capax.decompiler.sample import Sample, read_heads
from capax.decompiler.third_order import PairReading, read_pairs
from capax.model.parts import Block, TensorHead

LARGE: Final = 20.0
"""Two heads with selectors of this size together are tried as one."""
JOINED: Final = 0.7
"""One selector for two heads is taken if it is smaller than this share of both."""


@dataclass
class KnownStream:
    """What is known at each flat position: the columns of the base s-ops, layer by layer."""

    sample: Sample
    strings: Strings
    base: list[Feature] = field(default_factory=list)

    def known(self) -> KnownSOps:
        """The base s-ops by their different rows, and the bank of what can be made of them."""
        table = np.stack([f.values for f in self.base], axis=1)
        _, first, row_of = np.unique(np.round(table, 9), axis=0, return_index=True, return_inverse=True)
        rows = [Feature(f.node, f.kind, f.values[first], f.cost) for f in self.base]
        return KnownSOps(rows, grown(rows, self.strings), row_of.reshape(-1), first)


def read_blocks(
    blocks: Sequence[Block], first: int, stream: KnownStream, traces: Sequence[Any]
) -> tuple[list[ExplainedHead], list[PairReading]]:
    """The heads of each block explained by what is known before it; what they give is known after it.

    `first` is the number of the first of these blocks in the model, which its activations are named by.
    """
    sample = stream.sample
    readings = read_heads(blocks, first, sample, traces)
    heads: list[ExplainedHead] = []
    pairs: list[PairReading] = []
    for layer, block in enumerate(blocks, first):
        if not block.heads:
            continue
        known = stream.known()
        own = [explain_head(reading, known, sample) for (at, _), reading in readings.items() if at == layer]
        own = _joined(own, known, sample)
        third = _pairs(block, layer, traces, stream, known)
        new = [f for head in own for f in (*head.parts, *head.outputs)]
        for feature in [*new, *(f for head in third for f in head.outputs)]:
            if not _repeated(feature, stream.base):
                stream.base.append(feature)
        heads, pairs = heads + own, pairs + third
    return heads, pairs


def _pairs(block: Block, layer: int, traces: Sequence[Any], stream: KnownStream, known: KnownSOps) -> list[PairReading]:
    """What the heads of third order of a layer select, by what is known before it."""
    integers = [f for f in stream.base if f.kind == "int"]
    return [
        read_pairs(head, (layer, number), traces, integers, known, stream.sample)
        for number, head in enumerate(block.heads)
        if isinstance(head, TensorHead)
    ]


def _joined(heads: list[ExplainedHead], known: KnownSOps, sample: Sample) -> list[ExplainedHead]:
    """The heads of a layer; two that count are put together where one has no selector, or both have a smaller one."""
    counting = sorted((h for h in heads if h.reading.counts), key=lambda h: -h.cost)
    for one, two in combinations(counting, 2):
        alone = one.cost + two.cost
        if alone < LARGE:
            continue
        together = explain_together(one, two, known, sample)
        if together is not None and together.cost < JOINED * alone:
            rest = [h for h in heads if h is not one and h is not two]
            return _joined([*rest, together], known, sample)
    return heads


def _repeated(feature: Feature, base: Sequence[Feature]) -> bool:
    return any(f.kind == feature.kind and np.array_equal(f.values, feature.values) for f in base)
