"""Tokens and answers as numbers, with Tracr's names."""

from collections.abc import Iterable, Sequence
from functools import cmp_to_key
from typing import Any

from capax.errors import CapaxError


def _before(one: Any, two: Any) -> int:
    """Tracr's order of values: their own, and by what they print where they have none."""
    try:
        return -1 if one < two else int(two < one)
    except TypeError:
        return -1 if str(one) < str(two) else int(str(two) < str(one))


class Encoder:
    """Values as numbers and back."""

    def encode(self, inputs: Sequence[Any]) -> list[Any]:
        """The numbers of some values."""
        return list(inputs)

    def decode(self, encodings: Sequence[Any]) -> list[Any]:
        """The values of some numbers."""
        return list(encodings)

    bos_token: str | None = None
    pad_token: str | None = None
    bos_encoding: int | None = None
    pad_encoding: int | None = None


class NumericalEncoder(Encoder):
    """Numbers, as they are."""

    def __repr__(self) -> str:
        """Its name."""
        return "NumericalEncoder()"


class CategoricalEncoder(Encoder):
    """A number for each of a list of values, in Tracr's order."""

    def __init__(
        self,
        values: Iterable[Any],
        *,
        bos_token: str | None = None,
        pad_token: str | None = None,
        max_seq_len: int | None = None,
    ) -> None:
        extra = [t for t in (bos_token, pad_token) if t is not None]
        ordered = sorted([*values, *extra], key=cmp_to_key(_before))
        self.encoding_map = {value: code for code, value in enumerate(ordered)}
        self.bos_token, self.pad_token = bos_token, pad_token
        self.enforce_bos = bos_token is not None
        self.max_seq_len = max_seq_len
        self.bos_encoding = None if bos_token is None else self.encoding_map[bos_token]
        self.pad_encoding = None if pad_token is None else self.encoding_map[pad_token]

    def __repr__(self) -> str:
        """The values in the order of their numbers."""
        return f"CategoricalEncoder({list(self.encoding_map)!r})"

    @property
    def vocab_size(self) -> int:
        """How many values there are, those for the start and for padding included."""
        return len(self.encoding_map)

    def encode(self, inputs: Sequence[Any]) -> list[int]:
        self.check(inputs)
        return [self.encoding_map[x] for x in inputs]

    def decode(self, encodings: Sequence[int]) -> list[Any]:
        values = list(self.encoding_map)
        if wrong := [e for e in encodings if not 0 <= e < len(values)]:
            raise CapaxError("bad-input", f"{wrong[0]!r:.40} is not the number of a value")
        return [values[e] for e in encodings]

    def check(self, inputs: Sequence[Any]) -> None:
        """Refuses a word that does not begin as it must, is too long, or has a token that is not known."""
        if self.enforce_bos and (not inputs or inputs[0] != self.bos_token):
            raise CapaxError(
                "bad-input",
                f"a word begins with the token {self.bos_token!r} here, as in Tracr",
                hint=f"give [{self.bos_token!r}, ...]; to do without, compile with compiler_bos=None",
                value=list(inputs),
            )
        if self.max_seq_len is not None and len(inputs) > self.max_seq_len:
            raise CapaxError(
                "word-length",
                f"the word has {len(inputs)} tokens, but the model is made for at most {self.max_seq_len}",
                hint="give a shorter word, or compile with a larger max_seq_len",
            )
        for token in inputs:
            if token not in self.encoding_map:
                raise CapaxError(
                    "unknown-token",
                    f"the token {token!r:.60} is not in the vocabulary",
                    hint=f"the vocabulary is {', '.join(map(repr, list(self.encoding_map)[:12]))}",
                    token=token,
                )
