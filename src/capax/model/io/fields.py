"""The fields of a JSON object from outside, each checked when it is taken."""

import math
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

import numpy as np

from capax.model.io.container import bad_file
from capax.model.vocabulary import Token

T = TypeVar("T")

MOST_DEPTH: Final = 60
"""How deeply the provenance may be nested."""
MOST_BITS: Final = 10_000
"""The most bits of an integer in a file: others could not be read back as decimal digits."""
_FLOATS: Final = ("inf", "-inf", "nan")


class Fields:
    """An object of a model's description; `path` says where it stands, `file` in which file."""

    def __init__(self, data: Any, path: str, file: str) -> None:
        self.path = path
        self.file = file
        if not isinstance(data, dict):
            raise self.bad("", "is not an object")
        self._left: dict[str, object] = dict(data)

    def bad(self, key: str, what: str) -> Exception:
        """The error for a field."""
        path = ".".join(filter(None, (self.path, key)))
        return bad_file(self.file, f"its description is invalid: {path or 'the whole'} {what}")

    def done(self) -> None:
        """Refuses fields that nobody has taken."""
        for key in self._left:
            raise self.bad(f"{key:.80}", "is not a field of this version")

    def take(self, key: str) -> Any:
        """A field as it is."""
        if key not in self._left:
            raise self.bad(key, "is missing")
        return self._left.pop(key)

    def text(self, key: str) -> str:
        """A string."""
        value = self.take(key)
        if not is_text(value):
            raise self.bad(key, "is not a string")
        return str(value)

    def choice(self, key: str, among: Sequence[T]) -> T:
        """One of some strings."""
        value = self.take(key)
        if not isinstance(value, str) or value not in among:
            raise self.bad(key, f"is {value!r:.40} and not one of {', '.join(map(str, among))}")
        return among[among.index(value)]

    def has(self, key: str) -> bool:
        """Whether there is a field that has not been taken."""
        return key in self._left

    def flag(self, key: str) -> bool:
        """Whether something is there."""
        value = self.take(key)
        if not isinstance(value, bool):
            raise self.bad(key, "is not a boolean")
        return value

    def count(self, key: str, least: int = 0) -> int:
        """A whole number."""
        value = self.take(key)
        if type(value) is not int or not least <= value < 1 << 62:
            raise self.bad(key, f"is not an integer of at least {least}")
        return value

    def number(self, key: str) -> Any:
        """A finite number, an integer or a float."""
        value = self.take(key)
        if not _is_number(value):
            raise self.bad(key, "is not a finite number")
        return value

    def numbers(self, key: str) -> tuple[Any, ...]:
        """A list of finite numbers."""
        value = self.items(key)
        if not all(map(_is_number, value)):
            raise self.bad(key, "is not a list of finite numbers")
        return tuple(value)

    def items(self, key: str) -> list[Any]:
        """A list of anything."""
        value = self.take(key)
        if not isinstance(value, list):
            raise self.bad(key, "is not a list")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of strings."""
        value = self.items(key)
        if not all(map(is_text, value)):
            raise self.bad(key, "is not a list of strings")
        return tuple(value)

    def tokens(self, key: str) -> tuple[Token, ...]:
        """A list of tokens."""
        value = [unplain(v, self, key) for v in self.items(key)]
        if not all(isinstance(v, str | int) or (isinstance(v, float) and not math.isnan(v)) for v in value):
            raise self.bad(key, "is not a list of strings, numbers and booleans")
        return tuple(value)

    def optional(self, key: str, read: Callable[[str], T]) -> T | None:
        """What `read` makes of a field, or None where the field is null."""
        if key in self._left and self._left[key] is None:
            return self.take(key)  # type: ignore[no-any-return]
        return read(key)

    def child(self, key: str) -> "Fields":
        """An object in this one."""
        return Fields(self.take(key), ".".join(filter(None, (self.path, key))), self.file)

    def children(self, key: str) -> list["Fields"]:
        """A list of objects in this one."""
        start = ".".join(filter(None, (self.path, key)))
        return [Fields(v, f"{start}.{number}", self.file) for number, v in enumerate(self.items(key))]


def is_text(value: Any) -> bool:
    """Whether a value is a string of Unicode characters; half of a surrogate pair is none."""
    if not isinstance(value, str):
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_number(value: Any) -> bool:
    return (type(value) is int and value.bit_length() < 1000) or (isinstance(value, float) and math.isfinite(value))


def plain(value: Any, path: str, bad: Callable[[str], Exception], depth: int = 0) -> Any:
    """A value of plain Python data as JSON can hold it: infinities and NaN as `{"$float": ...}`."""
    if isinstance(value, np.generic):
        value = value.item()
    if depth > MOST_DEPTH:
        raise bad(f"{path} is nested more than {MOST_DEPTH} deep")
    match value:
        case None | bool() | str():
            return value
        case int():
            if value.bit_length() > MOST_BITS:
                raise bad(f"{path} has an integer of more than {MOST_BITS:,} bits")
            return int(value)
        case float():
            return float(value) if math.isfinite(value) else {"$float": str(float(value))}
        case list() | tuple():
            return [plain(v, path, bad, depth + 1) for v in value]
        case _ if hasattr(value, "items") and hasattr(value, "keys"):
            if not all(isinstance(k, str) for k in value):
                raise bad(f"{path} has a key that is not a string")
            # A key of the user's own that begins with $ gets a second one, to be told from ours.
            return {"$" * k.startswith("$") + k: plain(v, path, bad, depth + 1) for k, v in value.items()}
        case _:
            raise bad(f"{path} holds a {type(value).__name__}, which is not plain data")


def unplain(value: Any, fields: Fields, key: str, depth: int = 0) -> Any:
    """The value that `plain` made JSON of."""
    if depth > MOST_DEPTH:
        raise fields.bad(key, f"is nested more than {MOST_DEPTH} deep")
    if isinstance(value, list):
        return [unplain(v, fields, key, depth + 1) for v in value]
    if (isinstance(value, float) and not math.isfinite(value)) or (
        isinstance(value, int) and value.bit_length() > MOST_BITS
    ):
        raise fields.bad(key, "has a number that is too large")
    if isinstance(value, str) and not is_text(value):
        raise fields.bad(key, "has an invalid character")
    if not isinstance(value, dict):
        return value
    if not all(map(is_text, value)):
        raise fields.bad(key, "has an invalid character")
    if list(value) == ["$float"]:
        if value["$float"] not in _FLOATS:
            raise fields.bad(key, "has an invalid number")
        return float(value["$float"])
    if any(k.startswith("$") and not k.startswith("$$") for k in value):
        raise fields.bad(key, "has a key that begins with a single $")
    return {k[k.startswith("$$") :]: unplain(v, fields, key, depth + 1) for k, v in value.items()}
