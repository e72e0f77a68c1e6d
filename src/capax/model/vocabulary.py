"""What goes into a model and what its answers mean."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from capax.errors import CapaxError
from capax.model.parts import Array
from capax.model.validate import require

Token: TypeAlias = str | int | float | bool


def token_key(token: Token) -> tuple[str, Any]:
    """A key that tells 1, 1.0 and True apart."""
    return type(token).__name__, token


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    """The tokens that a model reads, in the order of the embedding's rows."""

    tokens: tuple[Token, ...]
    _row: dict[tuple[str, Any], int] = field(init=False, repr=False)
    _rows_of_type: dict[type, dict[Any, int]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_row", {token_key(t): i for i, t in enumerate(self.tokens)})
        by_type: dict[type, dict[Any, int]] = {}
        for i, token in enumerate(self.tokens):
            by_type.setdefault(type(token), {})[token] = i
        object.__setattr__(self, "_rows_of_type", by_type)
        require(len(self._row) == len(self.tokens), "the vocabulary has a token twice")

    def __len__(self) -> int:
        return len(self.tokens)

    def rows(self, word: Iterable[Any]) -> list[int]:
        """The embedding rows of a word's tokens; an unknown token is an error."""
        word = tuple(word)
        kinds = set(map(type, word))
        of_type = self._rows_of_type.get(kinds.pop()) if len(kinds) == 1 else None
        if of_type is not None:
            rows = list(map(of_type.get, word))
            if None not in rows:
                return rows  # type: ignore[return-value]
        return self._rows_of_any(word)  # several types, an unknown token, a number of numpy, or no token at all

    def rows_at_once(self, tokens: Iterable[Any], count: int) -> Array | None:
        """The rows of this many tokens of one type; None where they are of several, or one is not known."""
        listed = list(tokens)
        if not listed:
            return np.zeros(0, np.int64)
        kinds = set(map(type, listed))
        of_type = self._rows_of_type.get(kinds.pop()) if len(kinds) == 1 else None
        if of_type is None:
            return None
        try:
            return np.fromiter(map(of_type.get, listed), np.int64, count)
        except TypeError:  # there is no number for an unknown token
            return None

    def _rows_of_any(self, word: tuple[Any, ...]) -> list[int]:
        rows = []
        for position, token in enumerate(word):
            if isinstance(token, np.generic):
                token = token.item()
            row = self._row.get((type(token).__name__, token)) if isinstance(token, (str, int, float)) else None
            if row is None:
                raise CapaxError(
                    "unknown-token",
                    f"the token {token!r:.60} at position {position} is not in the model's vocabulary",
                    hint=_hint(token, self.tokens),
                    position=position,
                    token=token,
                )
            rows.append(row)
        return rows


def _hint(token: Any, tokens: tuple[Token, ...]) -> str:
    """The tokens; where a number is there and its text was given, that it is a number."""
    listed = f"its tokens are {_listed(tokens)}"
    if isinstance(token, str) and any(not isinstance(t, str) and str(t) == token for t in tokens):
        return f"{listed}: the number {token} and not the text (on the command line, --as ints)"
    return listed


def _listed(tokens: tuple[Token, ...]) -> str:
    text = ", ".join(repr(t) for t in tokens[:12])
    return text if len(tokens) <= 12 else f"{text}, ... ({len(tokens)} in all)"


@dataclass(frozen=True, slots=True, eq=False)
class Classes:
    """Answers by the highest logit; of equal ones the first."""

    values: tuple[Token, ...]

    @property
    def outputs(self) -> int:
        """The number of logits that it reads."""
        return len(self.values)

    def decode(self, logits: Array) -> list[Token]:
        """The answer for each row of logits (n, outputs)."""
        values = np.empty(len(self.values), object)
        values[:] = self.values
        return list(values[np.argmax(logits, axis=-1)].tolist())

    def to_json(self) -> dict[str, Any]:
        """The decoding as plain data."""
        return {"kind": "classes", "values": list(self.values)}


@dataclass(frozen=True, slots=True, eq=False)
class Nearest:
    """Answers by one number: the value whose code is nearest; of two equally near the one with the smaller code.

    `codes` is increasing, and `values` has the answer for each.
    """

    codes: tuple[float, ...]
    values: tuple[Token, ...]

    def __post_init__(self) -> None:
        require(len(self.codes) == len(self.values) > 0, "every code stands for one value")
        rising = all(a < b for a, b in zip(self.codes, self.codes[1:], strict=False))
        require(rising, "the codes do not increase")

    @property
    def outputs(self) -> int:
        """The number of logits that it reads."""
        return 1

    def decode(self, logits: Array) -> list[Token]:
        """The answer for each row (n, 1)."""
        x = np.asarray(logits[..., 0], np.float64)
        if len(self.codes) == 1:
            return [self.values[0]] * len(x)
        codes = np.array(self.codes, np.float64)
        right = np.searchsorted(codes, x).clip(1, len(codes) - 1)
        with np.errstate(over="ignore", invalid="ignore"):
            index = np.where(x - codes[right - 1] <= codes[right] - x, right - 1, right)
        return [self.values[i] for i in np.where(np.isnan(x), 0, index).tolist()]

    def to_json(self) -> dict[str, Any]:
        """The decoding as plain data."""
        return {"kind": "nearest", "codes": list(self.codes), "values": list(self.values)}


@dataclass(frozen=True, slots=True)
class Numbers:
    """The answer is the number itself."""

    @property
    def outputs(self) -> int:
        """The number of logits that it reads."""
        return 1

    def decode(self, logits: Array) -> list[Token]:
        """The answer for each row (n, 1)."""
        return np.asarray(logits[..., 0], np.float64).tolist()  # type: ignore[no-any-return]

    def to_json(self) -> dict[str, Any]:
        """The decoding as plain data."""
        return {"kind": "numbers"}


@dataclass(frozen=True, slots=True)
class Fractions:
    """The answer is the nearest fraction with a denominator up to `most`, times `unit`: for means of many values.

    With `whole` it is given as an integer: `most` is 1, and the unit is an integer.
    """

    most: int
    unit: float = 1.0
    whole: bool = False

    @property
    def outputs(self) -> int:
        """The number of logits that it reads."""
        return 1

    @property
    def exact_unit(self) -> Fraction:
        """The unit: a third is a third, not the float nearest to it."""
        near = Fraction(self.unit).limit_denominator(1_000_000)
        return near if float(near) == self.unit else Fraction(self.unit)

    def decode(self, logits: Array) -> list[Token]:
        """The answer for each row (n, 1), whose numbers are in units."""
        unit = self.exact_unit
        distinct, which = np.unique(logits[..., 0], return_inverse=True)  # few of many, and each takes its time
        values: list[Token] = []
        for x in distinct.tolist():
            near = Fraction(x).limit_denominator(self.most) if math.isfinite(x) else Fraction(0)
            values.append(round(near * unit) if self.whole else float(near * unit))
        return [values[i] for i in which.reshape(-1).tolist()]

    def to_json(self) -> dict[str, Any]:
        """The decoding as plain data."""
        whole = {"whole": True} if self.whole else {}
        return {"kind": "fractions", "most": self.most, "unit": self.unit, **whole}


Decoding: TypeAlias = Classes | Nearest | Numbers | Fractions
