"""An n-gram language model is a transformer with one head in each of n - 1 layers.

Statement: for every n >= 2 and every n-gram language model p over a finite alphabet there is a transformer with n - 1
layers of one head whose language model q has q(y) = p(y) for every word y. With residual connections n - 2 layers
suffice.
Idea: each layer copies, from the row before, what the layer below it holds; after layer l a row holds the last l + 1
symbols.
Cite: Svete and Cotterell (2024), Transformers can represent n-gram language models, NAACL.
Scope: exact to 67,108,864 rows in float64 and 2,896 in float32, and longer words are refused. Probabilities are those
of the table rounded to the number system; zeros are exactly 0.
"""

from dataclasses import replace

import numpy as np

from capax.formal.ngram.ngram import NGram
from capax.model.model import Model
from capax.model.parts import Mlp
from capax.report import Report
from capax.theorems.base.theorem import SizeRow, theorem_in
from capax.theorems.ngram.parts.distance_heads import SOFT_GAIN, distance_head, integer_rows, sharpened
from capax.theorems.ngram.parts.parameters import (
    NGramParameters,
    attentions,
    first_failure,
    language,
    prove,
    transformer,
    verify,
)
from capax.theorems.ngram.parts.predictor import LookBack, outputs, own_bits
from capax.theorems.ngram.parts.recall import Recalled, bit_names, bits_for
from capax.theorems.ngram.parts.space import space_rows
from capax.theorems.weights.stream import Stream


def by_layers(model: NGram, attention: str, numbers: str, missing: int = 0) -> LookBack:
    """The layers, `missing` of them left out: the oldest symbols are then never there."""
    k, b, soft = model.order - 1, bits_for(model.bos + 1), attention == "softmax"
    ages = [own_bits(model), *(bit_names(f"age {h}", b) for h in range(1, k))]
    raw = [ages[0], *(bit_names(f"near age {h}", b) for h in range(1, k))] if soft else ages
    names = dict.fromkeys(name for group in (*ages, *raw) for name in group)
    stream = Stream((*names, "i", "i^2", *outputs(model)))
    blocks = []
    for h in range(1, k - missing):
        head = distance_head(stream, ages[h - 1], raw[h], 1, attention)
        again = Mlp(sharpened(stream, raw[h], ages[h])) if soft and h < k - 1 else None
        blocks.append(stream.block(head, mlp=again))
    if missing or k == 1:
        blocks.append(stream.block())
    copies = [raw[h] if h == k - 1 else ages[h] for h in range(k)]
    bits = np.array([[stream.at(name) for name in group] for group in copies])
    gains = tuple(SOFT_GAIN if h == k - 1 and h else 1.0 for h in range(k))
    recalled = Recalled(bits, gains, exact=not soft or k == 1)
    return LookBack(stream, {"i": "i", "i^2": "i^2"}, tuple(blocks), recalled, integer_rows(numbers))


def construct(at: NGramParameters, missing: int = 0) -> Model:
    """The transformer: each layer copies, from the row before, what the layer below it holds."""
    return transformer(at, by_layers(language(at), at.attention, at.dtype, missing))


def size(at: NGramParameters) -> tuple[SizeRow, ...]:
    """The sizes beside those of the paper."""
    model = construct(at)
    heads = max((len(b.heads) for b in model.blocks), default=0)
    return (
        SizeRow("attention layers", model.depth, at.order - 1, "n - 1 in the paper; a row's own symbol needs no head"),
        SizeRow("heads", heads, 1, "in each layer"),
        *space_rows(model, "integer", at.order, at.symbols, at.length),
    )


def break_it(at: NGramParameters) -> Report:
    """One layer fewer: the oldest symbol of a history never arrives."""
    worse = replace(at, order=max(at.order, 3))
    statement = f"with {worse.order - 3} layers instead of {worse.order - 2} words keep their probability"
    return first_failure(construct(worse, missing=1), worse, statement)


THEOREM = theorem_in(
    __name__,
    NGramParameters,
    verify=verify,
    prove=prove,
    assumptions=(
        "n - 1 paddings (BOS) are put before each word",
        "the MLP of the last layer has a unit for each history, of which there are exponentially many in n",
    ),
    attention="hard, sparsemax or softmax; causal masks",
    precision=(
        "scores of 2 log2 T + 1 bits at length T; with softmax each layer's MLP makes the bits -1 and 1 again, so that "
        "it is exact at every length"
    ),
    task="next-token",
    small=(
        *attentions(2, 2),
        *attentions(3, 2, normaliser="softmax"),
        *attentions(4, 3, length=300),
        *attentions(5, 2, length=300, dtype="float32"),
    ),
    large=(*attentions(5, 3), *attentions(3, 20), *attentions(5, 4), *attentions(3, 3, length=20_000)),
)
