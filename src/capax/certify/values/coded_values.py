"""The values of an s-op over axes, as codes of a list of values."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from capax.errors import CapaxError
from capax.model.parts import Array
from capax.rasp.ir.nodes import Node
from capax.rasp.ir.types import Atom


class Impossible:
    """In a list of values: this combination cannot happen, or the program fails on it."""

    def __repr__(self) -> str:
        return "impossible"


IMPOSSIBLE = Impossible()

MANY = 500
"""This many numbers of one type are told apart at once."""


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """For each combination of values of some axes, one dimension per axis, the index of the value in a list.

    -1: the combination cannot happen. Values of the list may be equal, and need not occur.
    """

    axes: tuple[Node, ...]
    codes: Array
    listed: tuple[Atom, ...]

    def occurring(self) -> list[Atom]:
        """The values that occur."""
        return [v for v, is_taken in zip(self.listed, self._taken().tolist(), strict=False) if is_taken]

    def _taken(self) -> Array:
        """For each value of the list whether it occurs; the last is for combinations that cannot happen."""
        taken: Array = np.zeros(len(self.listed) + 1, bool)
        taken[self.codes] = True
        return taken

    def numbered(self) -> Array:
        """For each combination the number of its value among those that occur, and -1 where there is none."""
        taken = self._taken()
        taken[-1] = False
        return np.where(self.codes >= 0, (np.cumsum(taken) - 1)[self.codes], -1)

    def at(self, codes: Array) -> Array:
        """The values with some codes, as objects."""
        return _objects(self.listed)[codes]

    def mapped(self, numbers: Mapping[Any, int], *, some: bool = False) -> Array:
        """For each combination the number of its value; -1 where there is none. `some`: values may have no number."""
        assert some or all(v in numbers for v in self.occurring())
        return np.array([*(numbers.get(v, -1) for v in self.listed), -1], np.int64)[self.codes]


def _objects(values: Sequence[Any]) -> Array:
    array: Array = np.empty(len(values), object)
    array[:] = values
    return array


def coded(values: Iterable[Any]) -> tuple[Array, tuple[Atom, ...]]:
    """The codes of some values, and the list of them; values of different types, and zeros of both signs, differ."""
    values = list(values)
    kinds = set(map(type, values)) if len(values) >= MANY else set()
    if kinds == {float}:
        bits, which = np.unique(np.array(values).view(np.int64), return_inverse=True)
        return which.reshape(-1), tuple(bits.view(np.float64).tolist())
    if kinds == {bool}:
        truth, which = np.unique(np.array(values), return_inverse=True)
        return which.reshape(-1), tuple(truth.tolist())
    if kinds == {int} and min(values) > -(2**62) and max(values) < 2**62:
        whole, which = np.unique(np.array(values, np.int64), return_inverse=True)
        return which.reshape(-1), tuple(whole.tolist())
    code_of: dict[Any, int] = {}
    listed: list[Atom] = []
    codes: list[int] = []
    for value in values:
        if value is IMPOSSIBLE:
            codes.append(-1)
            continue
        key = (type(value), value) if value or type(value) is not float else (float, 0.0, math.copysign(1.0, value))
        code = code_of.setdefault(key, len(listed))
        if code == len(listed):
            listed.append(value)
        codes.append(code)
    return np.array(codes, np.int64), tuple(listed)


def distinct(values: Any) -> list[Atom]:
    """Each value once, numbers in order before strings.

    1, 1.0 and True are equal; where several of them occur the integer stands for all, since every operation that takes
    one of them takes the integer.
    """
    values = list(values)
    if len(values) >= MANY and (at_once := _distinct_numbers(values)) is not None:
        return at_once
    by_value: dict[Any, Any] = {}
    for value in values:
        if value not in by_value:
            by_value[value] = value
        elif type(by_value[value]) is not type(value):
            by_value[value] = int(value)
    by_value = dict.fromkeys(by_value.values())
    return [*sorted(v for v in by_value if not isinstance(v, str)), *sorted(v for v in by_value if isinstance(v, str))]


def _distinct_numbers(values: list[Any]) -> list[Atom] | None:
    """Each of many integers and floats once, in order; None where there is something else, or zeros of both signs."""
    kinds = set(map(type, values))
    if float not in kinds or not kinds <= {int, float}:
        return None
    whole = {v for v in values if type(v) is int} if int in kinds else set[int]()
    floats: Array = np.array([v for v in values if type(v) is float] if whole else values)
    negative = np.signbit(floats[floats == 0])
    if negative.any() and not negative.all():
        return None
    listed: list[Any] = np.unique(floats).tolist()
    return sorted([*(v for v in listed if v not in whole), *whole]) if whole else listed


def or_impossible(function: Any, *args: Any) -> Any:
    """The value of a function, or that it has none."""
    try:
        value = function(*args)
    except CapaxError:
        return IMPOSSIBLE
    return value if isinstance(value, (str, int, float)) and value == value else IMPOSSIBLE


def numbered(numbers: Array, below: int) -> tuple[Array, Callable[[Array], Array]]:
    """Each of some numbers once, in order; and what gives each of them what stands for its own number in a list."""
    if below > 4 * len(numbers) + 1000:
        ordered, which = np.unique(numbers, return_inverse=True)
        flat = which.reshape(-1)
        return ordered, lambda results: np.asarray(results[flat])
    taken: Array = np.zeros(below, bool)
    taken[numbers] = True
    rows = np.nonzero(taken)[0]

    def at(results: Array) -> Array:
        table: Array = np.zeros(below, results.dtype)  # short, where numbers are many
        table[rows] = results
        return np.asarray(table[numbers])

    return rows, at


def expand(array: Array, axes: tuple[Node, ...], onto: tuple[Node, ...], shape: list[int]) -> Array:
    """An array over some axes as a view over more of them, in their order."""
    order = sorted(range(len(axes)), key=lambda k: onto.index(axes[k]))
    moved = array.transpose(order) if axes else array
    return moved.reshape([size if axis in axes else 1 for axis, size in zip(onto, shape, strict=True)])


def both_of(one: Array | None, two: Array) -> Array:
    """What two conditions allow; None is one that allows all."""
    return two if one is None else one & two


def at_cells(codes: Array, shape: list[int], cells: Array) -> Array:
    """The codes at some combinations, in a list of all."""
    if codes.size == 1:
        return np.broadcast_to(codes.reshape(-1), len(cells))
    flat = np.broadcast_to(codes, shape).reshape(-1)
    return flat if len(cells) == len(flat) else flat[cells]
