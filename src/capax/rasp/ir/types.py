"""The types of atoms and of sequences of atoms."""

import math
from collections.abc import Sequence as Items
from typing import TypeAlias, TypeGuard

from capax.errors import CapaxError
from capax.rasp.ir.strings import string_text

Atom: TypeAlias = str | bool | int | float
"""A single value of the language."""

SEQUENCE_TYPES = ("strings", "bools", "ints", "floats")


def is_atom(value: object) -> TypeGuard[Atom]:
    """Whether a Python value is a string, boolean, integer or float."""
    return isinstance(value, (str, int, float))


_PLAIN = (str, bool, int, float)


def all_plain(values: Items[object]) -> bool:
    """Whether every value is exactly a str, bool, int or float."""
    return set(map(type, values)) <= {str, bool, int, float}


def plain_atom(value: object) -> Atom | None:
    """The value as exactly a str, bool, int or float: subclasses and numpy scalars are converted, others give None."""
    if type(value) in _PLAIN:
        return value  # type: ignore[return-value]
    if type(value).__module__ == "numpy" and getattr(value, "shape", None) == ():
        return plain_atom(value.item())  # type: ignore[attr-defined]
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int(value)
    return float(value) if isinstance(value, float) else None


_BLOCK = 4000
"""Digits written at once: Python refuses to write more than 4300 in one go."""


def integer_text(value: int) -> str:
    """The decimal digits of an integer of any size."""
    if value.bit_length() < 13_000:
        return str(value)
    blocks: list[str] = []
    rest = abs(value)
    while rest:
        rest, block = divmod(rest, 10**_BLOCK)
        blocks.append(str(block).zfill(_BLOCK))
    return ("-" if value < 0 else "") + "".join(reversed(blocks)).lstrip("0")


def sequence_type(values: Items[object]) -> str:
    """The type of a non-empty sequence, as the language names it.

    All strings: `strings`; all booleans: `bools`; integers, booleans among them: `ints`;
    numbers, any of them floats: `floats`. Values are never converted. Anything else is an
    error that carries the first position at which the sequence stops being of one type.
    """
    kinds = set(map(type, values))
    if kinds <= _NUMBERS:
        if float in kinds:
            _refuse_nan(values)
            return "floats"
        return "bools" if kinds == {bool} else "ints"
    if kinds == {str}:
        return "strings"
    raise _untypable(values)


_NUMBERS = {bool, int, float}


def _refuse_nan(values: Items[object]) -> None:
    for position, value in enumerate(values):
        if isinstance(value, float) and math.isnan(value):
            raise CapaxError(
                "illegal-value",
                f"the value at position {position} is not a number (nan)",
                hint="check the input, and whether infinities are subtracted or divided",
                position=position,
                values=list(values),
            )


def _shown(value: object) -> str:
    return string_text(value[:60]) if isinstance(value, str) else f"{value!r:.60}"


def _untypable(values: Items[object]) -> CapaxError:
    for position, value in enumerate(values):
        if not is_atom(value):
            return CapaxError(
                "illegal-value",
                f"the value at position {position} is {value!r:.60}, but values must be strings, numbers or booleans",
                position=position,
                values=list(values),
            )
    first_is_string = isinstance(values[0], str)
    position = next(i for i, v in enumerate(values) if isinstance(v, str) != first_is_string)
    return CapaxError(
        "mixed-types",
        f"values of different types: {_shown(values[0])} at position 0, "
        f"but {_shown(values[position])} at position {position}",
        hint='give every position the same type, for instance with a default: `aggregate(selector, values, "-")`',
        position=position,
        values=list(values),
    )
