"""Numbers on their way through the network: directions of the stream, ReLU units, and sums of them.

A `SignalSum` is an affine combination of signals. A signal is a direction of the residual stream, a hidden unit of an
MLP, or a group: a sum that counts as one number, so that one unit can carry it through later stages.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field


class Signal:
    """What a sum is made of; two signals are equal when they are the same object."""

    __slots__ = ("high", "low", "name")

    def __init__(self, name: str, low: float, high: float) -> None:
        self.name = name
        self.low = low
        self.high = high


class Direction(Signal):
    """A direction of the stream, written once: by the embedding, by heads, or by an MLP.

    `born` is the time from which it can be read: 0 after the embedding, 2l after the attention of layer l, 2l + 1 after
    its MLP; layer 0 has an MLP only. `least` and `most` are its bounds with the noise of what a head averages: a mean
    of numbers that should be 0 and are a bit below is below 0 too.
    """

    __slots__ = ("born", "least", "most")

    def __init__(self, name: str, low: float, high: float, born: int) -> None:
        super().__init__(name, low, high)
        self.born = born
        self.least, self.most = low, high


class Unit(Signal):
    """A hidden unit: the positive part of a sum, in the MLP of a layer, at a stage from 1."""

    __slots__ = ("level", "location", "reads")

    def __init__(self, name: str, high: float, level: int, reads: "SignalSum", location: str | None = None) -> None:
        super().__init__(name, 0.0, high)
        self.location = location
        self.level = level
        self.reads = reads


class SignalGroup(Signal):
    """A sum of signals of one MLP that counts as one number between `low` and `high`; `noisy`: it is not restored."""

    __slots__ = ("inner", "level", "noisy")

    def __init__(self, name: str, low: float, high: float, inner: "SignalSum", *, noisy: bool = False) -> None:
        super().__init__(name, low, high)
        self.inner = inner
        self.noisy = noisy
        self.level = inner.level


@dataclass(frozen=True, slots=True, eq=False)
class SignalSum:
    """constant + the sum of coefficient * signal."""

    terms: Mapping[Signal, float] = field(default_factory=dict)
    constant: float = 0.0

    @classmethod
    def of(cls, signal: Signal) -> "SignalSum":
        """The sum of one signal."""
        return cls({signal: 1.0})

    @property
    def level(self) -> int:
        """The highest stage of a unit in it; 0 where it has directions only."""
        return max((w.level for w in self.terms if isinstance(w, (Unit, SignalGroup))), default=0)

    @property
    def low(self) -> float:
        """A bound below."""
        return self.constant + sum(c * (w.low if c > 0 else w.high) for w, c in self.terms.items())

    @property
    def high(self) -> float:
        """A bound above."""
        return self.constant + sum(c * (w.high if c > 0 else w.low) for w, c in self.terms.items())

    def __add__(self, other: "SignalSum | float") -> "SignalSum":
        if not isinstance(other, SignalSum):
            return SignalSum(self.terms, self.constant + other)
        terms = dict(self.terms)
        for signal, coefficient in other.terms.items():
            terms[signal] = terms.get(signal, 0.0) + coefficient
        return SignalSum({w: c for w, c in terms.items() if c}, self.constant + other.constant)

    def __mul__(self, factor: float) -> "SignalSum":
        if not factor:
            return SignalSum()
        return SignalSum({w: c * factor for w, c in self.terms.items()}, self.constant * factor)

    def __neg__(self) -> "SignalSum":
        return self * -1.0

    def __sub__(self, other: "SignalSum | float") -> "SignalSum":
        return self + (-other if isinstance(other, SignalSum) else -float(other))

    def key(self) -> tuple[object, ...]:
        """Equal for equal sums."""
        return (self.constant, *sorted((id(w), c) for w, c in self.terms.items()))

    def directions(self) -> set[Direction]:
        """The directions that it reads, through groups but not through units."""
        directions: set[Direction] = set()
        for signal in self.terms:
            if isinstance(signal, Direction):
                directions.add(signal)
            elif isinstance(signal, SignalGroup):
                directions |= signal.inner.directions()
        return directions


def add_all(sums: Iterable[SignalSum]) -> SignalSum:
    """The sum of sums."""
    terms: dict[Signal, float] = {}
    constant = 0.0
    for item in sums:
        constant += item.constant
        for signal, coefficient in item.terms.items():
            terms[signal] = terms.get(signal, 0.0) + coefficient
    return SignalSum({w: c for w, c in terms.items() if c}, constant)
