"""The network while it is planned: directions of the stream, what the embedding writes, heads, and an MLP per layer."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from capax.compiler.domain import Domain
from capax.compiler.encode.mlp_builder import MlpBuilder
from capax.compiler.encode.signals import Direction, SignalSum
from capax.compiler.layout.network import Network, PlannedHead, PlannedReadout, check_parameters
from capax.rasp.ir.nodes import Node


def after_attention(layer: int) -> int:
    """The time at which what the heads of a layer write can be read."""
    return 2 * layer


def after_mlp(layer: int) -> int:
    """The time at which what the MLP of a layer writes can be read; the embedding is time 0, the input MLP layer 0."""
    return 2 * layer + 1


@dataclass(slots=True)
class NetworkBuilder:
    """What has been planned so far; new heads and units are made for what stands at `location` in the source."""

    domain: Domain
    location: str | None = None
    mlps: dict[int, MlpBuilder] = field(default_factory=dict)
    heads: list[PlannedHead] = field(default_factory=list)
    by_token: dict[Direction, tuple[float, ...]] = field(default_factory=dict)
    by_position: dict[Direction, str | tuple[float, ...]] = field(default_factory=dict)
    _written: dict[tuple[object, ...], SignalSum] = field(default_factory=dict)
    _columns: dict[tuple[object, ...], Direction] = field(default_factory=dict)
    _names: dict[str, int] = field(default_factory=dict)

    def at(self, location: str | None) -> "NetworkBuilder":
        """The same network, whose next heads and units are made for another location of the source."""
        return replace(self, location=location)

    def mlp(self, layer: int) -> MlpBuilder:
        """The MLP of a layer."""
        if layer not in self.mlps:
            self.mlps[layer] = MlpBuilder(layer)
        return self.mlps[layer].at(self.location)

    def direction(self, name: str, low: float, high: float, born: int) -> Direction:
        """A new direction; a name that is taken gets a number."""
        count = self._names.get(name, 0)
        self._names[name] = count + 1
        return Direction(f"{name}#{count + 1}" if count else name, low, high, born)

    def token_column(self, values: Sequence[float], name: str) -> SignalSum:
        """The direction that the embedding sets to a value for each token."""
        key = ("token", *values)
        if key not in self._columns:
            self._columns[key] = direction = self.direction(name, min(values), max(values), 0)
            self.by_token[direction] = tuple(values)
        return SignalSum.of(self._columns[key])

    def position_column(self, values: Sequence[float], name: str, function: str | None = None) -> SignalSum:
        """The direction that has a value for each position, by a named function or a table."""
        key = ("position", *values)
        if key not in self._columns:
            self._columns[key] = direction = self.direction(name, min(values), max(values), 0)
            self.by_position[direction] = function or tuple(values)
        return SignalSum.of(self._columns[key])

    def in_stream(self, value: SignalSum, layer: int, name: str) -> SignalSum:
        """The same number over directions alone, written by the MLP of a layer where it is not so already."""
        if value.level == 0 and not any(not isinstance(signal, Direction) for signal in value.terms):
            return value
        key = (layer, *value.key())
        if key not in self._written:
            direction = self.direction(name, value.low, value.high, after_mlp(layer))
            self._written[key] = self.mlp(layer).write(value, direction)
        return self._written[key]

    def extended_head(self, node: Node, column: SignalSum, default: float, name: str) -> SignalSum:
        """The direction to which the head that computes a node writes a further column."""
        at = next(i for i, head in enumerate(self.heads) if node in head.computes)
        head = self.heads[at]
        key = ("head", id(node), default, *column.key())
        if key not in self._columns:
            low, high = (end(end(column.low, column.high), default) for end in (min, max))
            self._columns[key] = direction = self.direction(name, low, high, after_attention(head.layer))
            self.heads[at] = replace(
                head,
                values=(*head.values, column),
                defaults=(*head.defaults, default) if head.defaults else (),
                outputs=(*head.outputs, direction),
                computes=(*head.computes, node),
            )
        return SignalSum.of(self._columns[key])

    def finish(self, readout: PlannedReadout, depth: int) -> Network:
        """The planned network with its MLPs finished; one with too many weights is rejected before."""
        check_parameters(sum(mlp.least_weights() for mlp in self.mlps.values()), self.domain)
        finished = {layer: self.mlps[layer].finish() for layer in sorted(self.mlps) if layer <= depth}
        mlps = {layer: mlp for layer, mlp in finished.items() if mlp is not None}
        return Network(self.domain, depth, tuple(self.heads), mlps, self.by_token, self.by_position, readout)
