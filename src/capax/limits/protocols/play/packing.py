"""Integers as bytes: each in a field of a fixed number of bits, one after the other, the last byte filled up."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from capax.model.parts import Array


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
