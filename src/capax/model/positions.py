"""Positions as a model sees them: named functions of the position, and learned or tabulated rows."""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from capax.errors import CapaxError
from capax.model.parts import Array
from capax.model.validate import freeze_arrays, require
from capax.notation.numerical import parse_predicate

PositionFunction = Callable[[Array, int], Array]
"""From positions 0, 1, ... and the length of the word to one number each."""

FUNCTIONS: Final[dict[str, PositionFunction]] = {
    "1": lambda i, n: np.ones_like(i),
    "i": lambda i, n: i,
    "i^2": lambda i, n: i * i,
    "1/(i+1)": lambda i, n: 1 / (i + 1),
    "i/n": lambda i, n: i / n,
    "1/n": lambda i, n: np.full_like(i, 1 / n),
    "(-1)^i": lambda i, n: 1 - 2 * (i % 2),
    "sqrt(1/(i+1))": lambda i, n: np.sqrt(1 / (i + 1)),
    "sqrt(1-1/(i+1))": lambda i, n: np.sqrt(1 - 1 / (i + 1)),
    "[i=0]": lambda i, n: (i == 0).astype(i.dtype),
}
"""The named functions; besides them `i^k`, `[i%k=r]`, `i%k`, `sin(i*w)` and `cos(i*w)` with numbers for k, r, w, and in
brackets any predicate of `capax.notation.numerical`, such as `[isprime(i + 1)]`: 1 where it holds, else 0."""

_NUMBER = r"([0-9.e+-]+)"
_SHAPES: Final[dict[str, Callable[..., PositionFunction]]] = {
    r"\[i%(\d+)=(\d+)\]": lambda k, r: lambda i, n: (i % int(k) == int(r)).astype(i.dtype),
    r"i%(\d+)": lambda k: lambda i, n: i % int(k),
    r"i\^([1-9]\d?)": lambda k: lambda i, n: i ** int(k),
    rf"sin\(i\*{_NUMBER}\)": lambda w: lambda i, n: np.sin(i * float(w)),
    rf"cos\(i\*{_NUMBER}\)": lambda w: lambda i, n: np.cos(i * float(w)),
}


def position_function(name: str) -> PositionFunction:
    """The function of the position that a name stands for."""
    if name in FUNCTIONS:
        return FUNCTIONS[name]
    for shape, make in _SHAPES.items():
        match = re.fullmatch(shape, name)
        if match and all(_is_number(g) for g in match.groups()) and not name.startswith(("i%0", "[i%0")):
            return make(*match.groups())
    if name.startswith("[") and name.endswith("]"):
        return _predicate(name)
    raise CapaxError(
        "bad-model",
        f"unknown position function {name!r:.60}",
        hint=f"known are {', '.join(FUNCTIONS)}, i^k, [i%k=r], i%k, sin(i*w), cos(i*w) and [PREDICATE]",
    )


def _predicate(name: str) -> PositionFunction:
    """The function that is 1 where a predicate of the position and the length holds, and 0 elsewhere."""
    try:
        predicate = parse_predicate(name[1:-1])
    except CapaxError as error:
        what = f"the position function {name!r:.60} has no predicate in its brackets: {error.what}"
        raise CapaxError("bad-model", what, hint=error.hint) from None
    return lambda i, n: np.array(predicate.row(int(n)), i.dtype)[i.astype(np.int64)]


def uses_length(name: str) -> bool:
    """Whether a function of the position depends on the length of the word."""
    if name in FUNCTIONS or not name.startswith("["):
        return "n" in name.replace("sin", "")
    return parse_predicate(name[1:-1]).uses_length


def is_predicate(name: str) -> bool:
    """Whether a function of the position is a predicate in brackets, which no exported model knows."""
    return name not in FUNCTIONS and name.startswith("[") and not re.fullmatch(r"\[i%\d+=\d+\]", name)


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


@dataclass(frozen=True, slots=True, eq=False)
class Positions:
    """What is added to the embedding at position i: functions times `weight` (functions, d), and a row of `table`.

    `table` is (max_length, d) or None.
    """

    functions: tuple[str, ...]
    weight: Array
    table: Array | None = None
    _known: tuple[PositionFunction, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        freeze_arrays(self, "weight", *(() if self.table is None else ("table",)))
        shape, count = self.weight.shape, len(self.functions)
        require(
            len(shape) == 2 and shape[0] == count, f"the weight of {count} position functions has the shape {shape}"
        )
        fits = self.table is None or (self.table.ndim == 2 and self.table.shape[1] == shape[1])
        require(fits, "the table of positions is not as wide as their weight")
        object.__setattr__(self, "_known", tuple(position_function(name) for name in self.functions))

    def values(self, n: int, start: int = 0) -> Array:
        """The values (n - start, functions) in float64 of every function at the positions start, ..., n - 1."""
        i = np.arange(start, n, dtype=np.float64)
        return np.stack([f(i, n) for f in self._known], axis=1) if self._known else np.zeros((n - start, 0))
