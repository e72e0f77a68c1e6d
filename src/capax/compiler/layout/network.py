"""The network under construction: directions of the stream, what the embedding writes, heads, and an MLP per layer."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from capax.compiler.domain import Domain
from capax.compiler.encode.mlp_builder import Circuit
from capax.compiler.encode.signals import Direction, Sum, one
from capax.model.parts import Mask, Origin
from capax.rasp.ir.nodes import Node


def after_attention(layer: int) -> int:
    """The time at which what the heads of a layer write can be read."""
    return 2 * layer


def after_mlp(layer: int) -> int:
    """The time at which what the MLP of a layer writes can be read; the embedding is time 0, the input MLP layer 0."""
    return 2 * layer + 1


@dataclass(frozen=True, slots=True, eq=False)
class PlannedHead:
    """A head over wires: score = scale * sum of query * key, for each pair of sums, and of sink_key with the queries.

    `values` are summed with the weights of the keys into the directions; `defaults` are the sink's values.
    """

    layer: int
    pairs: tuple[tuple[Sum, Sum], ...]
    sink: tuple[float, ...]
    scale: float
    mask: Mask
    values: tuple[Sum, ...]
    defaults: tuple[float, ...]
    outputs: tuple[Direction, ...]
    name: str
    origin: Origin
    computes: tuple[Node, ...] = ()
    part: int | None = None


@dataclass(slots=True)
class Network:
    """What has been built so far; `place` holds the place in the text of what is being built."""

    domain: Domain
    circuits: dict[int, Circuit] = field(default_factory=dict)
    heads: list[PlannedHead] = field(default_factory=list)
    by_token: dict[Direction, tuple[float, ...]] = field(default_factory=dict)
    by_place: dict[Direction, str | tuple[float, ...]] = field(default_factory=dict)
    place: list[str | None] = field(default_factory=lambda: [None])
    _written: dict[tuple[object, ...], Sum] = field(default_factory=dict)
    _columns: dict[tuple[object, ...], Direction] = field(default_factory=dict)
    _names: dict[str, int] = field(default_factory=dict)

    def circuit(self, layer: int) -> Circuit:
        """The MLP of a layer."""
        if layer not in self.circuits:
            self.circuits[layer] = Circuit(layer, self.place)
        return self.circuits[layer]

    def direction(self, name: str, low: float, high: float, born: int) -> Direction:
        """A new direction; a name that is taken gets a number."""
        count = self._names.get(name, 0)
        self._names[name] = count + 1
        return Direction(f"{name}#{count + 1}" if count else name, low, high, born)

    def token_column(self, values: Sequence[float], name: str) -> Sum:
        """The direction that the embedding sets to a value for each token."""
        key = ("token", *values)
        if key not in self._columns:
            self._columns[key] = made = self.direction(name, min(values), max(values), 0)
            self.by_token[made] = tuple(values)
        return one(self._columns[key])

    def place_column(self, values: Sequence[float], name: str, function: str | None = None) -> Sum:
        """The direction that the positions set to a value for each place, by a named function or a table."""
        key = ("place", *values)
        if key not in self._columns:
            self._columns[key] = made = self.direction(name, min(values), max(values), 0)
            self.by_place[made] = function or tuple(values)
        return one(self._columns[key])

    def in_stream(self, value: Sum, layer: int, name: str) -> Sum:
        """The same number over directions alone, written by the MLP of a layer where it is not so already."""
        if value.level == 0 and not any(not isinstance(w, Direction) for w in value.terms):
            return value
        key = (layer, *value.key())
        if key not in self._written:
            direction = self.direction(name, value.low, value.high, after_mlp(layer))
            self._written[key] = self.circuit(layer).write(value, direction)
        return self._written[key]
