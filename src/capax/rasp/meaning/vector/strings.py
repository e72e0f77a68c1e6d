"""The strings of an evaluation as numbers: a character by its code point, a longer string by a number of its own.

Where all are characters below 256, their codes take one byte each.
"""

from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from capax.rasp.meaning.vector.distinct import Bools, distinct

StringCodes: TypeAlias = NDArray[Any]
"""uint8 where all codes fit, else int64."""

CHARACTERS = 0x110000
"""The number of code points: codes below are characters."""
BYTE = 256
"""Codes below take one byte."""
FEW = 300
"""Up to here codes are gone through one by one."""


class _Codes(dict[str, int]):
    """The code of each string; one that is missing gets a new code."""

    def __init__(self) -> None:
        super().__init__()
        self.longer: list[str] = []

    def __missing__(self, text: str) -> int:
        if len(text) == 1:
            code = ord(text)
        else:
            code = CHARACTERS + len(self.longer)
            self.longer.append(text)
        self[text] = code
        return code


class StringTable:
    """The strings of an evaluation, each with a code.

    Characters are in the order of their code points, as strings are, so that most words need no table at all.
    """

    def __init__(self) -> None:
        self._codes = _Codes()

    def code(self, text: str) -> int:
        """The code of a string, a new one if need be."""
        return self._codes[text]

    def codes(self, texts: Iterable[str]) -> StringCodes:
        """The codes of several strings; the characters of a string are its strings."""
        if isinstance(texts, str):
            try:
                return np.frombuffer(texts.encode("latin-1"), dtype=np.uint8)
            except UnicodeEncodeError:
                points = np.frombuffer(texts.encode("utf-32-le", "surrogatepass"), dtype="<u4")
                return points.astype(np.int64)
        codes = np.fromiter(map(self._codes.__getitem__, texts), dtype=np.int64)
        return codes.astype(np.uint8) if codes.max(initial=0) < BYTE else codes

    def text(self, code: int) -> str:
        """The string of a code."""
        return chr(code) if code < CHARACTERS else self._codes.longer[code - CHARACTERS]

    def _each(self, codes: Iterable[int]) -> list[str]:
        longer = self._codes.longer
        return [chr(code) if code < CHARACTERS else longer[code - CHARACTERS] for code in codes]

    def texts(self, codes: StringCodes) -> list[str]:
        """The strings of several codes."""
        if codes.dtype == np.uint8:
            return list(codes.tobytes().decode("latin-1"))
        if len(codes) <= FEW:
            listed = codes.tolist()
            several = set(listed)
            few = dict(zip(several, self._each(several), strict=True))
            return [few[code] for code in listed]
        used, inverse = distinct(codes)
        known = np.empty(len(used), dtype=object)
        known[:] = self._each(used.tolist())
        texts: list[str] = known[inverse].tolist()  # equal strings are one object
        return texts

    def truths(self, codes: StringCodes) -> Bools:
        """Which strings are not empty."""
        return np.ones(len(codes), np.bool_) if codes.dtype == np.uint8 else np.asarray(codes != self.code(""))

    def ranks(self, *parts: StringCodes) -> tuple[StringCodes, ...]:
        """Numbers for several arrays of codes that are in the order of the strings."""
        if not any(map(self._has_longer, parts)):
            return parts
        used, inverse = distinct(np.concatenate(parts))
        ordered = np.fromiter(map(self._codes.__getitem__, sorted(self._each(used.tolist()))), np.int64, len(used))
        gaps = len(used) != int(used[-1]) - int(used[0]) + 1
        rank = np.empty(len(used), dtype=np.int64)
        rank[np.searchsorted(used, ordered) if gaps else ordered - used[0]] = np.arange(len(used))
        ranks = rank[inverse]
        return tuple(np.split(ranks, np.cumsum([len(part) for part in parts[:-1]])))

    def _has_longer(self, codes: StringCodes) -> bool:
        return codes.dtype != np.uint8 and bool(self._codes.longer) and bool(codes.max(initial=0) >= CHARACTERS)
