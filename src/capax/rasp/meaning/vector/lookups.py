"""Tables that a program looks values up in: letters by an array of 256 entries, all else once per distinct value."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from capax.rasp.ir.nodes import Table
from capax.rasp.meaning.reference import look_up
from capax.rasp.meaning.vector.column import Column, from_values, tagged
from capax.rasp.meaning.vector.distinct import Bools
from capax.rasp.meaning.vector.elementwise import apply_function
from capax.rasp.meaning.vector.memo import Memo, Result
from capax.rasp.meaning.vector.strings import StringTable

LETTERS = 256
"""Letters with smaller codes are looked up in an array."""


@dataclass(frozen=True, slots=False)
class KeptTable:
    """A table of a program, kept with it."""

    node: Table
    memo: Memo

    @cached_property
    def entries(self) -> dict[Any, Any]:
        """The values by key."""
        return dict(self.node.entries)

    def at(self, column: Column) -> Result:
        """The entries for the values of a column, and where there are none."""
        letters = self._letters if column.data.dtype == np.uint8 and column.kind == "str" else None
        if letters is None:
            kind, entries = self.node.kind, self.entries
            return apply_function(lambda value: look_up(kind, entries, value), column, self.memo)
        table, missing = letters
        picked = table.take(column.data)
        if picked.tags is not None:
            picked = tagged(picked.data, picked.tags, column.vocabulary)
        picked.vocabulary = column.vocabulary
        bad = None if missing is None else missing[column.data]
        return picked, bad if bad is None or bad.any() else None

    @cached_property
    def _letters(self) -> tuple[Column, Bools | None] | None:
        """The entry for each letter, and which letters have none; None where an array cannot hold them."""
        if self.node.kind not in ("members", "dict", "map"):
            return None
        keys = [key for key in self.entries if isinstance(key, str) and len(key) == 1 and ord(key) < LETTERS]
        if not keys:
            return None
        codes = np.array([ord(key) for key in keys])
        missing = np.ones(LETTERS, dtype=np.bool_)
        missing[codes] = False
        if self.node.kind == "members":
            return Column("bool", ~missing, StringTable()), None
        found = from_values([self.entries[key] for key in keys], StringTable())
        if found.kind == "object" or (found.kind == "str" and found.data.dtype != np.uint8):
            return None
        at = np.zeros(LETTERS, dtype=np.int64)
        at[codes] = np.arange(len(keys))
        return found.take(at), missing
