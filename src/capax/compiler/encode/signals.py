"""Numbers on their way through the network: directions of the stream, ReLU units, and sums of them.

A `Sum` is an affine combination of wires. A wire is a direction of the residual stream, a hidden unit of an MLP, or a
bundle: a sum that counts as one number, so that it can be carried through later stages by a single unit.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias


class Wire:
    """What a sum is made of; two wires are equal when they are the same object."""

    __slots__ = ("high", "low", "name")

    def __init__(self, name: str, low: float, high: float) -> None:
        self.name = name
        self.low = low
        self.high = high


class Direction(Wire):
    """A direction of the stream, written once: by the embedding, by heads, or by an MLP.

    `born` is the time after which it can be read: 0 the embedding, 2l - 1 the attention of layer l, 2l + 0 ... its
    MLP; see `Times`.
    """

    __slots__ = ("born",)

    def __init__(self, name: str, low: float, high: float, born: int) -> None:
        super().__init__(name, low, high)
        self.born = born


class Unit(Wire):
    """A hidden unit: the positive part of a sum, in the MLP of a layer, at a stage from 1."""

    __slots__ = ("level", "place", "reads")

    def __init__(self, name: str, high: float, level: int, reads: "Sum", place: str | None = None) -> None:
        super().__init__(name, 0.0, high)
        self.place = place
        self.level = level
        self.reads = reads


class Bundle(Wire):
    """A sum of wires of one MLP that counts as one number between `low` and `high`."""

    __slots__ = ("inner", "level")

    def __init__(self, name: str, low: float, high: float, inner: "Sum") -> None:
        super().__init__(name, low, high)
        self.inner = inner
        self.level = inner.level


@dataclass(frozen=True, slots=True, eq=False)
class Sum:
    """constant + the sum of coefficient * wire."""

    terms: Mapping[Wire, float] = field(default_factory=dict)
    constant: float = 0.0

    @property
    def level(self) -> int:
        """The highest stage of a unit in it; 0 where it has directions only."""
        return max((w.level for w in self.terms if isinstance(w, (Unit, Bundle))), default=0)

    @property
    def low(self) -> float:
        """A bound below."""
        return self.constant + sum(c * (w.low if c > 0 else w.high) for w, c in self.terms.items())

    @property
    def high(self) -> float:
        """A bound above."""
        return self.constant + sum(c * (w.high if c > 0 else w.low) for w, c in self.terms.items())

    def __add__(self, other: "Sum | float") -> "Sum":
        if not isinstance(other, Sum):
            return Sum(self.terms, self.constant + other)
        terms = dict(self.terms)
        for wire, coefficient in other.terms.items():
            terms[wire] = terms.get(wire, 0.0) + coefficient
        return Sum({w: c for w, c in terms.items() if c}, self.constant + other.constant)

    def __mul__(self, factor: float) -> "Sum":
        if not factor:
            return Sum()
        return Sum({w: c * factor for w, c in self.terms.items()}, self.constant * factor)

    def __neg__(self) -> "Sum":
        return self * -1.0

    def __sub__(self, other: "Sum | float") -> "Sum":
        return self + (-other if isinstance(other, Sum) else -float(other))

    def key(self) -> tuple[object, ...]:
        """Equal for equal sums."""
        return (self.constant, *sorted((id(w), c) for w, c in self.terms.items()))

    def directions(self) -> set[Direction]:
        """The directions that it reads, through bundles but not through units."""
        found: set[Direction] = set()
        for wire in self.terms:
            if isinstance(wire, Direction):
                found.add(wire)
            elif isinstance(wire, Bundle):
                found |= wire.inner.directions()
        return found


def one(wire: Wire) -> Sum:
    """The sum of one wire."""
    return Sum({wire: 1.0})


def total(sums: Iterable[Sum]) -> Sum:
    """The sum of sums."""
    terms: dict[Wire, float] = {}
    constant = 0.0
    for item in sums:
        constant += item.constant
        for wire, coefficient in item.terms.items():
            terms[wire] = terms.get(wire, 0.0) + coefficient
    return Sum({w: c for w, c in terms.items() if c}, constant)


Named: TypeAlias = Callable[[], str]
