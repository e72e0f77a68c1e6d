"""Partial sums of attention as bytes, in fields whose width is the exact range of the sums.

A player with m keys says, for each query and softmax head of v values: v numerators of PW + PV + ceil(log2 m) bits and
a denominator of PW + 1 + ceil(log2 m) bits. The count (v + 1) p of the papers assumes that such sums fit p bits. Hard
attention needs the highest score as well, and where it was found if the first or last key is meant.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from capax.errors import CapaxError
from capax.model.arithmetic.exact import UNSEEN, log2_up
from capax.model.model import Model
from capax.model.numbers import Integer
from capax.model.parts import Array, Block, Head
from capax.model.run.split import Partial


@dataclass(frozen=True, slots=True)
class BitField:
    """A number of `bits` bits; a signed one is written as two's complement."""

    bits: int
    signed: bool


def width(fields: Sequence[BitField]) -> int:
    """The bits of one row of fields."""
    return sum(field.bits for field in fields)


def pack(rows: Array, fields: Sequence[BitField]) -> bytes:
    """The bytes of integers (rows, fields); a number that its field cannot hold is our own mistake."""
    assert rows.shape[1:] == (len(fields),), "a column for each field"
    columns = []
    for column, field in enumerate(fields):
        values = rows[:, column]
        low, high = (-(1 << (field.bits - 1)), 1 << (field.bits - 1)) if field.signed else (0, 1 << field.bits)
        assert not len(values) or (int(values.min()) >= low and int(values.max()) < high), "a number fits its field"
        columns.append(_bits(values.astype(np.int64), field.bits))
    flat = np.concatenate(columns, axis=1).reshape(-1) if columns else np.zeros(0, np.uint8)
    return np.packbits(flat).tobytes()


def unpack(data: bytes, fields: Sequence[BitField], rows: int) -> Array:
    """The integers (rows, fields) that bytes hold."""
    size = width(fields)
    bits = np.unpackbits(np.frombuffer(data, np.uint8), count=rows * size).reshape(rows, size)
    numbers = np.empty((rows, len(fields)), np.int64)
    start = 0
    for column, field in enumerate(fields):
        numbers[:, column] = _number(bits[:, start : start + field.bits], field)
        start += field.bits
    return numbers


def _bits(values: Array, count: int) -> Array:
    shifts = np.arange(count - 1, -1, -1)
    return np.asarray((values[:, None] >> shifts) & 1, np.uint8)


def _number(bits: Array, field: BitField) -> Array:
    weights = np.left_shift(np.int64(1), np.arange(field.bits - 1, -1, -1))
    values: Array = bits.astype(np.int64) @ weights
    if field.signed:
        values = np.where(bits[:, 0] == 1, values - (1 << field.bits), values)
    return values


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
    if part.position is not None:
        columns.append(np.where(part.position == NOWHERE, length, np.abs(part.position)))
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
