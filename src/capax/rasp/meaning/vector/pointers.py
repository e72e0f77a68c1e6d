"""Queries whose value is the position of the one key that they select: no search, a look at that position."""

import numpy as np

from capax.rasp.meaning.vector.batch import WordBatch
from capax.rasp.meaning.vector.column import Column
from capax.rasp.meaning.vector.distinct import Bools, Ints


def pointed_positions(batch: WordBatch, query: Column, *, uniform: bool) -> tuple[Ints, Bools]:
    """For each query the flat position that its value names, and whether its word has that position.

    There is one query for each position, or for a uniform selector one for each word. Where there is no such position
    the first is a flat position all the same.
    """
    if query.kind == "str":
        return np.zeros(len(query), dtype=np.int64), np.zeros(len(query), dtype=np.bool_)
    lengths, starts = batch.lengths, batch.offsets[:-1]
    if not uniform:
        lengths, starts = batch.spread(lengths), batch.spread(starts)
    position, exists = _integers(query)
    if batch.count == 1 and len(position) and position.min() >= 0 and position.max() < batch.size:
        return position, exists
    exists = exists & (position >= 0) & (position < lengths)
    return np.where(exists, position, 0) + starts, exists


def _integers(query: Column) -> tuple[Ints, Bools]:
    """The values as integers, and which of them are; those beyond 64 bits are not."""
    match query.kind:
        case "int" | "bool":
            return query.data.astype(np.int64, copy=False), np.ones(len(query), dtype=np.bool_)
        case "object":
            whole = [v if isinstance(v, int) and abs(v) < 1 << 62 else _as_integer(v) for v in query.data.tolist()]
            numbers = np.array([-1 if v is None else v for v in whole], dtype=np.int64)
            return numbers, np.array([v is not None for v in whole], dtype=np.bool_)
        case _:
            exists = np.abs(query.data) < float(1 << 62)
            position = np.where(exists, query.data, 0.0).astype(np.int64)
            return position, exists & (position == query.data)


def _as_integer(value: object) -> int | None:
    """The integer that a float equals; None if it equals none, or is no float."""
    return int(value) if isinstance(value, float) and abs(value) < 1 << 62 and value.is_integer() else None
