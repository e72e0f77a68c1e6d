"""Partial sums of attention as bytes, in fields whose width is the exact range of the sums.

A player with m keys says, for each query and softmax head of v values: v numerators of PW + PV + ceil(log2 m) bits and
a denominator of PW + 1 + ceil(log2 m) bits. The count (v + 1) p of the papers assumes that such sums fit p bits. Hard
attention needs the highest score as well, and where it was found if the first or last key is meant.
"""

from collections.abc import Sequence

import numpy as np

from capax.errors import CapaxError
from capax.limits.protocols.play.packing import BitField, pack, unpack
from capax.model.arithmetic.exact import UNSEEN, log2_up
from capax.model.model import Model
from capax.model.numbers import Integer
from capax.model.parts import Array, Block, Head
from capax.model.run.split import Partial

NOWHERE = np.iinfo(np.int64).max


def pairwise_heads(model: Model) -> tuple[tuple[Head, ...], ...]:
    """The heads of every layer; third-order ones, whose sums over pairs of keys no player has, are refused."""
    layers = []
    for block in model.blocks:
        heads = tuple(head for head in block.heads if isinstance(head, Head))
        if len(heads) != len(block.heads):
            raise CapaxError(
                "not-splittable",
                "the model has a third-order head: its sums run over pairs of keys, which two players hold together",
                hint="protocols and foolers of this kind are about pairwise heads",
            )
        layers.append(heads)
    return tuple(layers)


def fields_of(system: Integer, head: Head, keys: int, length: int) -> tuple[BitField, ...]:
    """The fields of one query's partial sums over that many keys of a word of that length."""
    more, v = log2_up(keys), head.value.outputs
    if head.attention == "softmax":
        num, den = system.weight_bits + system.value_bits + more, system.weight_bits + 1 + more
    else:
        num, den = system.value_bits + more, log2_up(keys + 1)
    fields = [BitField(num, True)] * v + [BitField(den, False)]
    if head.attention != "softmax":
        fields.append(BitField(_score_bits(system, head), True))
    if head.attention in ("leftmost-hard", "rightmost-hard"):
        fields.append(BitField(log2_up(length + 1), False))
    return tuple(fields)


def _score_bits(system: Integer, head: Head) -> int:
    """A sign, the size of a score, and one number more for a query that sees no key."""
    return 2 * (system.bits - 1) + int(abs(head.scale)).bit_length() + log2_up(head.query.outputs) + 2


def rows_of(part: Partial, head: Head, length: int) -> Array:
    """The numbers (queries, fields) that stand for partial sums."""
    columns = [part.num, part.den]
    if part.top is not None:
        columns.append(part.top)
    if part.place is not None:
        columns.append(np.where(part.place == NOWHERE, length, np.abs(part.place)))
    return np.concatenate(columns, axis=1)


def say(system: Integer, heads: Sequence[Head], parts: Sequence[Partial], keys: int, length: int) -> tuple[bytes, int]:
    """The bytes of the partial sums of all heads, and their exact number of bits before the last byte is filled."""
    fields: list[BitField] = []
    rows = []
    for head, part in zip(heads, parts, strict=True):
        own = fields_of(system, head, keys, length)
        row = rows_of(part, head, length)
        if part.top is not None:
            # a field has room for one number below all scores
            column = head.value.outputs + 1
            row[:, column] = np.where(row[:, column] == UNSEEN, -(1 << (own[column].bits - 1)), row[:, column])
        fields += own
        rows.append(row)
    table = np.concatenate(rows, axis=1)
    return pack(table, fields), len(table) * sum(field.bits for field in fields)


def hear(system: Integer, heads: Sequence[Head], data: bytes, keys: int, length: int, queries: int) -> list[Partial]:
    """The partial sums of all heads that bytes stand for."""
    each = [fields_of(system, head, keys, length) for head in heads]
    table = unpack(data, [field for own in each for field in own], queries)
    partials, start = [], 0
    for head, own in zip(heads, each, strict=True):
        row = table[:, start : start + len(own)]
        start += len(own)
        partials.append(_partial(head, row, own, length))
    return partials


def _partial(head: Head, row: Array, own: tuple[BitField, ...], length: int) -> Partial:
    v = head.value.outputs
    num, den = row[:, :v], row[:, v : v + 1]
    if head.attention == "softmax":
        return Partial(num, den)
    top = row[:, v + 1 : v + 2]
    top = np.where(top == -(1 << (own[v + 1].bits - 1)), UNSEEN, top)
    if head.attention not in ("leftmost-hard", "rightmost-hard"):
        return Partial(num, den, top)
    position = row[:, v + 2 : v + 3]
    sign = 1 if head.attention == "leftmost-hard" else -1
    return Partial(num, den, top, np.where(position == length, NOWHERE, sign * position))


def paper_bits(model: Model, block: Block, bits: int) -> int:
    """H (d + 1) p for one query: the papers' count, where every sum fits p bits."""
    return sum(int(head.output.shape[0]) + 1 for head in block.heads) * bits
