"""Compiled networks head by head: selectors from the attention, s-ops from the values, the answer at the end.

Layer by layer: what is known so far gives a bank of small s-ops; each head's selector is sought among comparisons of
those s-ops that its keys and queries tell apart, its output among those that its values do. What the feed-forward parts
make of it is found where it is used next: in the keys, queries and values of the next layer, or in the answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Final

import numpy as np

from capax.decompiler.feature import Feature, Strings, grown, kind_of
from capax.decompiler.function_fit import explain
from capax.decompiler.head import ExplainedHead, KnownSOps, explain_head, explain_together
from capax.decompiler.sample import Sample, Word, read_heads, traced
from capax.decompiler.third_order import PairReading, read_pairs
from capax.model.model import Model
from capax.model.parts import Block, TensorHead
from capax.model.vocabulary import Token
from capax.rasp.ir.nodes import Indices, Input, SOpNode
from capax.rasp.ir.types import Atom

LARGE: Final = 20.0
"""Two heads with selectors of this size together are tried as one."""
JOINED: Final = 0.7
"""One selector for two heads is taken if it is smaller than this share of both."""


@dataclass(frozen=True, slots=True, eq=False)
class WhiteBox:
    """The program of a model as far as it was found: its heads, and the answer's node or why there is none."""

    heads: tuple[ExplainedHead, ...]
    answer: SOpNode | None
    reason: str | None = None
    pairs: tuple[PairReading, ...] = ()
    """The heads of third order."""


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


def white_box(model: Model, words: Sequence[Word], letters: Sequence[Token]) -> WhiteBox:
    """The program of a model with hard heads, as it shows on some words."""
    sample = Sample.of(words)
    reason = unfit(model)
    if reason is not None:
        return WhiteBox((), None, reason)
    answers = [answer for row in model.batch(sample.words) for answer in row]
    stream = KnownStream(sample, _strings(letters, answers), _input(model, letters, sample))
    stream.base = _coded(stream.base, sample, stream.strings)
    heads, pairs = _read_layers(model, stream)
    known = stream.known()
    if not _is_function(answers, known):
        titles = [h.reading.title for h in heads if h.selector is None]
        titles += [h.title for h in pairs if h.selector is None]
        blamed = ", ".join(titles) or "what the heads were found to give"
        return WhiteBox(tuple(heads), None, f"the answers do not follow from {blamed}", tuple(pairs))
    tree = explain([answers[int(at)] for at in known.first], known.bank, known.base)
    reason = None if tree is not None else "no small s-op of what the heads give is the answer"
    return WhiteBox(tuple(heads), None if tree is None else tree.node, reason, tuple(pairs))


def _read_layers(model: Model, stream: KnownStream) -> tuple[list[ExplainedHead], list[PairReading]]:
    """The heads of each layer explained by what is known before it; what they give is known after it."""
    sample = stream.sample
    traces = traced(model, sample)
    readings = read_heads(model, sample, traces)
    heads: list[ExplainedHead] = []
    pairs: list[PairReading] = []
    for layer, block in enumerate(model.blocks):
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


def _pairs(block: Block, layer: int, traces: list[Any], stream: KnownStream, known: KnownSOps) -> list[PairReading]:
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


def unfit(model: Model) -> str | None:
    """Why the heads of a model cannot be read as selectors, if they cannot."""
    if model.prefix:
        return "the model reads tokens before the word"
    if model.loop is not None:
        return "the model has a loop, and its heads read other numbers in every round"
    norms = [model.readout.norm, *(n for b in model.blocks for n in (b.attention_norm, b.mlp_norm))]
    if any(n is not None for n in norms):
        return "the model has norms, and trained heads are not selectors"
    return None


def _strings(letters: Sequence[Token], answers: Sequence[Token]) -> Strings:
    texts = {t for t in (*letters, *answers) if isinstance(t, str)}
    return Strings(tuple(sorted({"", *texts})))


def _input(model: Model, letters: Sequence[Token], sample: Sample) -> list[Feature]:
    """The tokens, and the positions if the model knows them; values are filled in by `_coded`."""
    kind = kind_of(letters[0])
    node = Input("str" if kind == "str" else "int" if kind == "int" else "asis")
    base = [Feature(node, kind, np.zeros(0), 1.0)]
    if model.positions.functions or model.positions.table is not None:
        base.append(Feature(Indices(), "int", sample.position.astype(np.float64), 1.0))
    return base


def _coded(base: Sequence[Feature], sample: Sample, strings: Strings) -> list[Feature]:
    tokens = [token for word in sample.words for token in word]
    values = [strings.code(t) if isinstance(t, str) else t for t in tokens]
    return [Feature(base[0].node, base[0].kind, np.array(values, np.float64), 1.0), *base[1:]]


def _repeated(feature: Feature, base: Sequence[Feature]) -> bool:
    return any(f.kind == feature.kind and np.array_equal(f.values, feature.values) for f in base)


def _is_function(answers: Sequence[Atom], known: KnownSOps) -> bool:
    """Whether positions with equal rows have equal answers."""
    return all(answers[at] == answers[int(known.first[row])] for at, row in enumerate(known.row_of.tolist()))
