"""Compiled networks head by head: selectors from the attention, s-ops from the values, the answer at the end.

Layer by layer: what is known so far gives a bank of small s-ops; each head's selector is sought among comparisons of
those s-ops that its keys and queries tell apart, its output among those that its values do. What the feed-forward parts
make of it is found where it is used next: in the keys, queries and values of the next layer, or in the answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from capax.decompiler.feature import Feature, Strings, kind_of
from capax.decompiler.function_fit import explain
from capax.decompiler.head import ExplainedHead
from capax.decompiler.known_stream import KnownStream, read_blocks
from capax.decompiler.loop_reading import read_loop, with_rounds
from capax.decompiler.sample import Sample, Word, traced
from capax.decompiler.third_order import PairReading
from capax.model.model import Model
from capax.model.vocabulary import Token
from capax.rasp.ir.nodes import Indices, Input, SOpNode


@dataclass(frozen=True, slots=True, eq=False)
class WhiteBox:
    """The program of a model as far as it was found: its heads, and the answer's node or why there is none."""

    heads: tuple[ExplainedHead, ...]
    answer: SOpNode | None
    reason: str | None = None
    pairs: tuple[PairReading, ...] = ()
    """The heads of third order."""


def white_box(model: Model, words: Sequence[Word], letters: Sequence[Token]) -> WhiteBox:
    """The program of a model with hard heads, as it shows on some words."""
    reason = unfit(model)
    if reason is not None:
        return WhiteBox((), None, reason)
    sample = Sample.of(words if model.loop is None else with_rounds(model.loop, words))
    answers = [answer for row in model.batch(sample.words) for answer in row]
    stream = KnownStream(sample, _strings(letters, answers), _input(model, letters, sample))
    stream.base = _coded(stream.base, sample, stream.strings)
    traces = traced(model, sample)
    if model.loop is None:
        heads, pairs = read_blocks(model.blocks, 0, stream, traces)
    else:
        looped = read_loop(model.blocks, model.loop, stream, traces)
        heads, pairs = looped.heads, []
        if looped.reason is not None:
            return WhiteBox(tuple(heads), None, looped.reason)
    known = stream.known()
    if not known.gives(answers):
        titles = [h.reading.title for h in heads if h.selector is None]
        titles += [h.title for h in pairs if h.selector is None]
        blamed = ", ".join(titles) or "what the heads were found to give"
        return WhiteBox(tuple(heads), None, f"the answers do not follow from {blamed}", tuple(pairs))
    tree = explain([answers[int(at)] for at in known.first], known.bank, known.base)
    reason = None if tree is not None else "no small s-op of what the heads give is the answer"
    return WhiteBox(tuple(heads), None if tree is None else tree.node, reason, tuple(pairs))


def unfit(model: Model) -> str | None:
    """Why the heads of a model cannot be read as selectors, if they cannot."""
    if model.prefix:
        return "the model reads tokens before the word"
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
