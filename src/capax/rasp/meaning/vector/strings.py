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
FEW = 300
"""Up to here codes are gone through one by one."""


class StringTable:
    """The strings of an evaluation, each with a code.

    Characters are in the order of their code points, as strings are, so that most words need no table at all.
    """

    def __init__(self) -> None:
        self._longer: list[str] = []
        self._codes: dict[str, int] = {}

    def code(self, text: str) -> int:
        """The code of a string, a new one if need be."""
        if len(text) == 1:
            return ord(text)
        code = self._codes.get(text)
        if code is None:
            code = self._codes[text] = CHARACTERS + len(self._longer)
            self._longer.append(text)
        return code

    def codes(self, texts: Iterable[str]) -> StringCodes:
        """The codes of several strings; the characters of a string are its strings."""
        if isinstance(texts, str):
            try:
                return np.frombuffer(texts.encode("latin-1"), dtype=np.uint8)
            except UnicodeEncodeError:
                points = np.frombuffer(texts.encode("utf-32-le", "surrogatepass"), dtype="<u4")
                return points.astype(np.int64)
        texts = list(texts)
        known = {text: self.code(text) for text in dict.fromkeys(texts)}
        if max(known.values(), default=0) < CHARACTERS:  # as those of one string
            return self.codes("".join(texts))
        return np.fromiter(map(known.__getitem__, texts), dtype=np.int64, count=len(texts))

    def text(self, code: int) -> str:
        """The string of a code."""
        return chr(code) if code < CHARACTERS else self._longer[code - CHARACTERS]

    def texts(self, codes: StringCodes) -> list[str]:
        """The strings of several codes."""
        if codes.dtype == np.uint8:
            return list(codes.tobytes().decode("latin-1"))
        if len(codes) <= FEW:
            listed = codes.tolist()
            few = {code: self.text(code) for code in set(listed)}
            return [few[code] for code in listed]
        if not self._has_longer(codes):
            return list(codes.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass"))
        used, inverse = distinct(codes)
        known = np.empty(len(used), dtype=object)
        known[:] = list(map(self.text, used.tolist()))
        texts: list[str] = known[inverse].tolist()
        return texts

    def truths(self, codes: StringCodes) -> Bools:
        """Which strings are not empty."""
        return np.ones(len(codes), np.bool_) if codes.dtype == np.uint8 else np.asarray(codes != self.code(""))

    def ranks(self, *parts: StringCodes) -> tuple[StringCodes, ...]:
        """Numbers for several arrays of codes that are in the order of the strings."""
        if not any(map(self._has_longer, parts)):
            return parts
        used, inverse = distinct(np.concatenate(parts))
        texts = list(map(self.text, used.tolist()))
        rank = np.empty(len(texts), dtype=np.int64)
        rank[sorted(range(len(texts)), key=texts.__getitem__)] = np.arange(len(texts))
        ranks = rank[inverse]
        return tuple(np.split(ranks, np.cumsum([len(part) for part in parts[:-1]])))

    def _has_longer(self, codes: StringCodes) -> bool:
        return codes.dtype != np.uint8 and bool(self._longer) and bool(codes.max(initial=0) >= CHARACTERS)
