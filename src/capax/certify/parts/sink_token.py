"""A model whose first token does the work of sinks, as the model with sinks that computes the same numbers.

Lemma. Let a token stand before every word, whose row of the embedding is the unit vector of a direction b that nothing
else writes, with a row of zeros for its position. If in every layer the token attends to itself alone, and what the
layer adds to its row is exactly zero, then its row is that unit vector before every layer, so its key and value in a
head are constants: a sink with that key and value. The sums at its row are taken only where they are exact in any
order: at most two products that are not zero, or multiples of one number that add up to few of it; other units of MLPs
must be silent, with a sum that is below zero by more than rounding can change. At words b is zero: weights at b do
nothing there.
Scope. All of this is checked on the weights, in rational numbers; the last layer's row is read by nobody.
"""

import math
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from typing import Final

import numpy as np

from capax.certify.not_certified import NotCertified
from capax.certify.systems import ROUNDOFF
from capax.model.model import Model
from capax.model.parts import Affine, Array, Block, Head, Mlp, Sink
from capax.model.positions import Positions
from capax.model.vocabulary import Vocabulary

UNDERFLOW: Final = {"float64": 800, "float32": 128, "bfloat16": 128}
"""A score that is lower by this much than the highest has the weight zero."""


def with_sinks(model: Model, *, margin: float = 0.0) -> Model:
    """The model without its first token, whose heads have sinks instead; a model without a prefix is given back.

    Units of MLPs at the token must be 0, or as far as `margin` from it: for those that are not quite ReLUs near zero.
    """
    if not model.prefix:
        return model
    at = _direction(model)
    (row,) = model.vocabulary.rows(model.prefix)
    table = model.positions.table
    assert table is not None
    last = len(model.blocks) - 1
    blocks = tuple(
        _block(b, at, model.numbers, Fraction(margin), clean=number < last) for number, b in enumerate(model.blocks)
    )
    return replace(
        model,
        vocabulary=Vocabulary(tuple(t for i, t in enumerate(model.vocabulary.tokens) if i != row)),
        embedding=np.delete(model.embedding, row, axis=0),
        positions=Positions((), model.positions.weight, table[1:]),
        blocks=blocks,
        prefix=(),
    )


def _need(holds: bool, why: str) -> None:
    if not holds:
        raise NotCertified(f"the token before every word does not act as a sink: {why}")


def _direction(model: Model) -> int:
    """The direction of the token's own, which nothing writes."""
    table = model.positions.table
    _need(model.numbers in UNDERFLOW, f"{model.numbers} is not supported")
    _need(len(model.prefix) == 1 and model.input_mlp is None, "the model has more before its words, or an input MLP")
    _need(table is not None and not model.positions.functions, "its position has no row of its own")
    assert table is not None
    norms = [model.readout.norm, *(n for b in model.blocks for n in (b.attention_norm, b.mlp_norm))]
    _need(all(n is None for n in norms), "there are norms")
    (row,) = model.vocabulary.rows(model.prefix)
    own = model.embedding[row]
    (ones,) = np.nonzero(own)
    _need(len(ones) == 1 and own[ones[0]] == 1, "its row is not a unit vector")
    at = int(ones[0])
    _need(not np.delete(model.embedding, row, axis=0)[:, at].any(), "words have its direction too")
    _need(not table[0].any() and not table[:, at].any(), "its position, or another, adds something to its row")
    for block in model.blocks:
        _need(all(isinstance(h, Head) and h.sink is None for h in block.heads), "there are other heads, or sinks")
        _need(not block.bias[at] and not any(h.output[:, at].any() for h in block.heads), "a head writes its direction")
        if isinstance(block.mlp, Mlp):
            _need(block.mlp.depth == 1 and block.mlp.activation == "relu", "an MLP is not of one stage of ReLUs")
            written = block.mlp.maps[-1]
            _need(not written.bias[at] and not written.weight[:, at].any(), "an MLP writes its direction")
        _need(isinstance(block.mlp, Mlp | None), "a map is not an MLP")
    return at


def _block(block: Block, at: int, numbers: str, margin: Fraction, *, clean: bool) -> Block:
    """The block with sinks; refused if it leaves something in the token's row, where that is asked."""
    heads: list[Head] = []
    added: list[tuple[Head, list[Fraction]]] = []
    for head in block.heads:
        assert isinstance(head, Head)
        query, key, value = (_at(map, at, numbers) for map in (head.query, head.key, head.value))
        _itself(head, query, key, at, numbers)
        maps = [_unread(map, at) for map in (head.query, head.key, head.value)]
        sink = Sink(*(np.array([float(x) for x in xs], head.output.dtype) for xs in (key, value)))
        heads.append(replace(head, query=maps[0], key=maps[1], value=maps[2], sink=sink))
        added.append((head, value))
    if clean:
        _clears(block, _after_heads(block, added, numbers), at, numbers, margin)
    mlp = block.mlp
    if isinstance(mlp, Mlp):
        mlp = replace(mlp, maps=(_unread(mlp.maps[0], at), mlp.maps[1]))
    return replace(block, heads=tuple(heads), mlp=mlp)


def _unread(map: Affine, at: int) -> Affine:
    """The map that does not read the token's direction."""
    weight = np.array(map.weight)
    weight[at] = 0
    return Affine(weight, map.bias)


def _sum(terms: list[Fraction], numbers: str) -> Fraction:
    """The sum of numbers, which must come out exactly in any order."""
    total = sum(terms, Fraction(0))
    exact = len(terms) <= 2 or _small(terms, numbers)
    _need(exact and all(_held(x, numbers) for x in (*terms, total)), "a sum at its row is rounded")
    return total


def _small(terms: list[Fraction], numbers: str) -> bool:
    """Whether all partial sums are numbers of the system, in any order: multiples of one number, and not too many."""
    grain = Fraction(1, math.lcm(*(x.denominator for x in terms)))
    return bool(sum(map(abs, terms), Fraction(0)) / grain <= 2 ** DIGITS[numbers])


def _at(map: Affine, at: int, numbers: str) -> list[Fraction]:
    """What a map gives at the token's row, which must be exact: the sum of two numbers of the system that is one."""
    sums = [Fraction(float(w)) + Fraction(float(b)) for w, b in zip(map.weight[at], map.bias, strict=True)]
    _need(all(_held(x, numbers) for x in sums), "its key, query or value is rounded")
    return sums


DIGITS: Final = {"float64": 53, "float32": 24, "bfloat16": 8}


def _held(x: Fraction, numbers: str) -> bool:
    """Whether the number system has a number, with room to spare in its exponents."""
    top, bottom = abs(x.numerator), x.denominator
    whole = bottom & (bottom - 1) == 0 and (top // ((top & -top) or 1)).bit_length() <= DIGITS[numbers]
    return x == 0 or (whole and Fraction(1, 2**100) <= abs(x) <= 2**100)


def _itself(head: Head, query: list[Fraction], key: list[Fraction], at: int, numbers: str) -> None:
    """Refuses a head in which the token may attend to a word."""
    if head.mask == "causal":
        return  # it stands first
    _need(head.mask == "none", f"a head has the mask `{head.mask}`")
    words = np.delete(head.key.weight, at, axis=0).any(axis=0) | (head.key.bias != 0)
    _need(all(q == 0 or not words[m] for m, q in enumerate(query)), "its query looks at words")
    score = Fraction(head.scale) * sum((q * k for q, k in zip(query, key, strict=True)), Fraction(0))
    _need(score >= UNDERFLOW[numbers], "it does not attend to itself alone")


def _after_heads(block: Block, added: Iterable[tuple[Head, list[Fraction]]], numbers: str) -> list[Fraction]:
    """What the heads and the bias add to the token's row."""
    terms: list[list[Fraction]] = [[Fraction(float(b))] if b else [] for b in block.bias]
    for head, value in added:
        for row, x in zip(head.output, value, strict=True):
            for slot in np.nonzero(row)[0] if x else ():
                terms[int(slot)].append(x * Fraction(float(row[slot])))
    return [_sum(summands, numbers) for summands in terms]


def _clears(block: Block, middle: list[Fraction], at: int, numbers: str, margin: Fraction) -> None:
    """Refuses a block whose MLP does not take away exactly what its heads add to the token's row."""
    if block.mlp is None:
        _need(not any(middle), "its row is not cleared")
        return
    assert isinstance(block.mlp, Mlp)
    first, second = block.mlp.maps
    row = list(middle)
    row[at] += 1
    taken: list[list[Fraction]] = [[Fraction(float(b))] if b else [] for b in second.bias]
    for unit in range(first.outputs):
        value = _unit(first.weight[:, unit], float(first.bias[unit]), row, numbers, margin)
        _need(value == 0 or value >= margin, "a unit at its row is near zero")
        for slot in np.nonzero(second.weight[unit])[0] if value else ():
            taken[int(slot)].append(value * Fraction(float(second.weight[unit, slot])))
    _need(all(x + _sum(y, numbers) == 0 for x, y in zip(middle, taken, strict=True)), "its row is not cleared")


def _unit(column: Array, bias: float, row: list[Fraction], numbers: str, margin: Fraction) -> Fraction:
    """The value of a unit at the token's row: exact, or zero where the sum is surely below minus the margin."""
    terms = [Fraction(float(column[i])) * row[i] for i in np.nonzero(column)[0] if row[i]]
    terms += [Fraction(bias)] if bias else []
    slack = sum(map(abs, terms), Fraction(0)) * 4 * len(terms) * Fraction(ROUNDOFF[numbers])
    if terms and sum(terms, Fraction(0)) + slack < -margin:
        return Fraction(0)
    value = _sum(terms, numbers)
    _need(value >= 0 or value < -margin, "a unit at its row is near zero")
    return max(value, Fraction(0))
