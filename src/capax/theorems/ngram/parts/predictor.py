"""From heads that look back to a language model: embedding, MLP, readout."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from capax.formal.ngram.ngram import NGram
from capax.model.model import Model
from capax.model.parts import Affine, Array, Block, Mlp, Readout
from capax.model.positions import Positions
from capax.model.provenance import NGramRecord, Provenance
from capax.model.vocabulary import Classes, Vocabulary
from capax.theorems.ngram.parts.code import bit_names, bits_for, code
from capax.theorems.ngram.parts.recall import Digits, Recalled, recall_mlp
from capax.theorems.ngram.parts.stream import Stream

IMPOSSIBLE: Final = {"sparsemax": -1.0, "softmax": -16384.0}
"""The logit of what has probability 0: below the threshold of any sparsemax, and exp of it is 0."""

INTEGERS: Final = {"float64": 2**53, "float32": 2**24}
"""Below these numbers all integers are numbers of the system."""


@dataclass(frozen=True, slots=True)
class Looking:
    """The part of a model that looks back: position functions and their directions, layers, and what these leave.

    The last block has no MLP yet. `rows` is the greatest number of rows, padding included, at which the arithmetic is
    exact. `table` is a table (rows, d) of positions or None.
    """

    stream: Stream
    functions: Mapping[str, str]
    blocks: tuple[Block, ...]
    recalled: Recalled | Digits
    rows: int
    table: Array | None = None
    input_mlp: Mlp | None = None


def own_bits(model: NGram) -> tuple[str, ...]:
    """The directions that hold a row's own symbol."""
    return bit_names("own", bits_for(model.bos + 1))


def outputs(model: NGram) -> tuple[str, ...]:
    """The directions that hold the logits, each with a name of its own: `end` is the end, `then end` the word "end"."""
    shown = [str(symbol) if str(symbol).strip() else repr(symbol) for symbol in model.alphabet]
    if len(set(shown)) < len(shown):  # such as 1 and "1"
        shown = [repr(symbol) for symbol in model.alphabet]
    ends = (*(f"then {symbol}" for symbol in shown), "end")
    return ends if model.rest is None else (*ends, "known")


def marks(model: NGram) -> tuple[str, str]:
    """The tokens for the padding and the end, which are no symbols."""
    bos, eos = "<s>", "</s>"
    while bos in model.alphabet or eos in model.alphabet:
        bos, eos = f"<{bos}>", f"<{eos}>"
    return bos, eos


def predictor(model: NGram, looking: Looking, *, numbers: str, normaliser: str, **facts: Any) -> Model:
    """The transformer whose distribution after each row is that of the n-gram model.

    Words have n - 1 paddings put before them; the last of these rows has the distribution of the first symbol. A
    history that the table lacks turns on no unit, and the readout's bias gives the rest.
    """
    stream, k = looking.stream, model.order - 1
    bos, eos = marks(model)
    logits = _logits(model.table, normaliser)
    written = np.zeros((len(logits), stream.width))
    first = stream.at(outputs(model)[0])
    written[:, first : first + model.bos + 1] = logits
    readout = stream.map({name: 1.0} for name in outputs(model)[: model.bos + 1])
    if model.rest is not None:
        rest = _logits(model.rest[None], normaliser)[0]
        written[:, stream.at("known")] = 1
        weight = readout.weight.copy()
        weight[stream.at("known")] = -rest
        readout = Affine(weight, rest)
    *before, last = looking.blocks
    mlp = recall_mlp(model, looking.recalled, stream.width, written)
    made = Model(
        vocabulary=Vocabulary((*model.alphabet, bos)),
        embedding=code(model.bos + 1) @ stream.writes(own_bits(model)),
        positions=Positions(tuple(looking.functions), stream.writes(tuple(looking.functions.values())), looking.table),
        blocks=(*before, replace(last, mlp=mlp)),
        readout=Readout(readout),
        decoding=Classes((*model.alphabet, eos)),
        names=stream.names,
        max_length=looking.rows - k,
        min_length=0,
        prefix=(bos,) * k,
        output_weights="sparsemax" if normaliser == "sparsemax" else "softmax",
        input_mlp=looking.input_mlp,
        provenance=Provenance(ngram=NGramRecord(model.order, bos, eos, **facts)),
    )
    return made.to(numbers)


def _logits(table: Array, normaliser: str) -> Array:
    """The logits (rows, outputs) whose distributions are the rows of a table."""
    with np.errstate(divide="ignore"):
        real = table if normaliser == "sparsemax" else np.log(table)
    return np.where(table > 0, real, IMPOSSIBLE[normaliser])
