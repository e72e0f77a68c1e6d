"""Sentences of FO[Mon] as transformers: finer letters from predicates of the position, then a cascade of resets.

The automaton of a sentence reads a symbol with the truth of each numerical predicate there. Position functions give
these truths, one stage of ReLU units the finer letter, and the automaton, which has no group, is a cascade of resets.
"""

from dataclasses import replace
from math import ceil, log2
from typing import Final

import numpy as np

from capax.errors import CapaxError
from capax.formal.automata.cascade import cascade
from capax.formal.automata.dfa import Dfa
from capax.formal.logic.fo.automaton import FinerLetters
from capax.model.model import Model
from capax.model.parts import Affine, Block, Head, Mlp, Sink
from capax.model.positions import Positions
from capax.theorems.languages.parts.automata.resets import resetting
from capax.theorems.languages.parts.automata.wider import wider_model
from capax.theorems.weights.stream import Stream, Terms, family

EXPONENT: Final = {"float64": 1_020, "float32": 124}
"""The largest power of two that is used in a number system."""


def monadic_model(dfa: Dfa, finer: FinerLetters, formula: str) -> Model:
    """The model by rightmost-hard heads and strict past masks, whose positions are predicates: few vectors."""
    inner = resetting(dfa, cascade(dfa), "hard", 0, 1.0)
    letters, truths = family("symbol", len(finer.alphabet)), family("predicate", len(finer.predicates))
    wide = wider_model(inner, (*letters, *truths))
    stream = Stream(wide.names)
    nodes = [inner.names[int(row.argmax())] for row in inner.embedding]  # the finer letter's direction
    functions = tuple(f"[{predicate.text}]" for predicate in finer.predicates)
    return replace(
        wide,
        vocabulary=replace(inner.vocabulary, tokens=finer.alphabet),
        embedding=stream.rows([{letter: 1.0} for letter in letters]),
        positions=Positions(functions, stream.onto(truths)),
        input_mlp=_finer_mlp(stream, finer, letters, truths, nodes),
        provenance=replace(inner.provenance, formula=formula),
    )


def _finer_mlp(
    stream: Stream, finer: FinerLetters, letters: tuple[str, ...], truths: tuple[str, ...], nodes: list[str]
) -> Mlp:
    """One unit for each finer letter: its symbol stands here, and the predicates are as it says."""
    units: dict[str, Terms] = {}
    for node, (symbol, bits) in zip(nodes, finer.letters, strict=True):
        unit = {letters[finer.alphabet.index(symbol)]: 1.0, "": -float(sum(bits))}
        units[f"unit of {node}"] = unit | {truth: 1.0 if bit else -1.0 for truth, bit in zip(truths, bits, strict=True)}
    return stream.mlp([units], {node: {f"unit of {node}": 1.0} for node in nodes})


def ratio_bits(length: int) -> int:
    """The k for which 2^k is at least 4 (N + 2)."""
    return ceil(log2(4 * (length + 2)))


def longest_unmasked(numbers: str) -> int:
    """The longest words for which heads without masks are built in a number system: k N is at most its exponent."""
    length = 1
    while ratio_bits(length + 1) * (length + 1) <= EXPONENT[numbers]:
        length += 1
    return length


def unmasked(model: Model, length: int, numbers: str = "float64") -> Model:
    """The same model by leftmost-hard heads without masks, for words of at most N = `length` symbols.

    A head that attends to the last selected j < i, or else to its sink, becomes one whose score is minus the cost

        (N - j) + (N + 2) [j is not selected] + g_i v_j,    g_i v_j = 2^(k (j - i + 1)) / 4,    2^k >= 4 (N + 2).

    The last term is a product of a number of i and a number of j. It is at most 1/4 for j < i and at least N + 2 for
    j >= i. So the cost is at most N + 1/4 at a selected j < i, less for a later one by 1 up to 1/4, and more than N + 1
    at every other key; the sink's is N + 1. The best score is unique, whichever way ties are broken. Over the reals
    such positions are there for every length; numbers of a computer end at some power of two.
    """
    most = longest_unmasked(numbers)
    if length > most:
        what = f"heads without masks are built for words of up to {most} symbols in {numbers}, not {length:,}"
        raise CapaxError(
            "too-large", what, hint="a shorter --length, or the form with masks, which has no greatest one"
        )
    reach, weight = "reach of a query", "weight of a key"
    wide = wider_model(model, ("i", reach, weight))
    stream = Stream(wide.names)
    k, middle = ratio_bits(length), length / 2
    table = np.zeros((length, stream.width))
    at = np.arange(length)
    table[:, stream.at(weight)] = 2.0 ** np.rint(k * (at - middle))
    table[:, stream.at(reach)] = 2.0 ** (-np.rint(k * (at - middle)) + k - 2)
    functions = (*wide.positions.functions, "i")
    positions = Positions(functions, np.vstack([wide.positions.weight, stream.onto(["i"])]), table)
    blocks = tuple(_unmasked_block(block, stream, reach, weight, length) for block in wide.blocks)
    return replace(wide, positions=positions, blocks=blocks, max_length=length)


def _unmasked_block(block: Block, stream: Stream, reach: str, weight: str, length: int) -> Block:
    heads = []
    for head in block.heads:
        assert isinstance(head, Head)
        assert head.sink is not None, "a head that reads the last selected position"
        assert head.mask == "strict past", "a head that reads the last selected position"
        selected = length + 2.0
        key = Affine(
            np.hstack(
                [selected * head.key.weight + stream.affine([{"i": 1.0}]).weight, stream.affine([{weight: 1.0}]).weight]
            ),
            np.array([selected * head.key.bias[0] - length - selected, 0.0]),
        )
        query = stream.affine([{"": 1.0}, {reach: -1.0}])
        sink = Sink(np.array([-length - 1.0, 0.0]), head.sink.value)
        heads.append(replace(head, query=query, key=key, sink=sink, attention="leftmost-hard", mask="none"))
    return replace(block, heads=tuple(heads))
