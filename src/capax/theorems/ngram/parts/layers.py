"""One head in each of n - 2 layers: layer l copies what layer l - 1 holds, from the row before.

After layer l a row holds its own symbol and those at distances 1 ... l. Its own symbol needs no head, so that n - 2
layers do what the paper does in n - 1. With softmax, a copy of a copy would lose sharpness, so that each layer's MLP
makes the bits exactly -1 or 1 again; the last one leaves that to the MLP that recalls.
"""

import numpy as np

from capax.formal.ngram.ngram import NGram
from capax.model.parts import Mlp
from capax.theorems.ngram.parts.code import bit_names, bits_for
from capax.theorems.ngram.parts.heads import SOFT_GAIN, distance_head, integer_rows, sharpened
from capax.theorems.ngram.parts.predictor import LookBack, outputs, own_bits
from capax.theorems.ngram.parts.recall import Recalled
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
