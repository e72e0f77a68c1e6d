"""Words as rows of a model's embedding, those of one length together."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from capax.model.model import Model
from capax.model.parts import Array


@dataclass(frozen=True, slots=True, eq=False)
class RowGroup:
    """Words of one length: their numbers among all words, and their rows (words, n), prefix included."""

    numbers: list[int]
    ids: Array


def row_groups(model: Model, words: Sequence[Iterable[Any]]) -> list[RowGroup]:
    """The words by length, each length where it occurs first; a word that the model is not made for is refused.

    Of several such words the first is refused, as `Model.read` does it.
    """
    known = [_sized(model, word) for word in words]
    by_length: dict[int, list[int]] = {}
    for number, word in enumerate(known):
        by_length.setdefault(len(word), []).append(number)
    groups: list[RowGroup] = []
    for n, numbers in by_length.items():
        ids = _rows(model, [known[number] for number in numbers], n)
        if ids is None:
            return _read_one_by_one(model, known)
        groups.append(RowGroup(numbers, ids))
    return groups


def _sized(model: Model, word: Iterable[Any]) -> Sequence[Any]:
    """A word whose tokens can be gone through twice."""
    if isinstance(word, (str, tuple, list)):
        return word
    return tuple(word) if isinstance(word, Iterable) else model.read(word)  # refused


def _rows(model: Model, words: list[Sequence[Any]], n: int) -> Array | None:
    """The rows of words of n tokens, all read at once; None where they are to be read one by one."""
    if n < model.min_length or (model.max_length is not None and n > model.max_length):
        return None
    ids = model.vocabulary.rows_at_once(chain.from_iterable(words), len(words) * n)
    if ids is None:
        return None
    ids = ids.reshape(len(words), n)
    if not model.prefix:
        return ids
    prefix = np.array(model.vocabulary.rows(model.prefix), np.int64)
    return np.concatenate([np.broadcast_to(prefix, (len(words), len(prefix))), ids], axis=1)


def _read_one_by_one(model: Model, words: list[Sequence[Any]]) -> list[RowGroup]:
    """The same, word by word: for tokens of several types, and for errors."""
    rows = [model.read(word) for word in words]
    by_length: dict[int, list[int]] = {}
    for number, row in enumerate(rows):
        by_length.setdefault(len(row), []).append(number)
    return [RowGroup(numbers, np.array([rows[k] for k in numbers], np.int64)) for numbers in by_length.values()]
