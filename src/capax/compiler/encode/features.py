"""The values of s-ops as numbers in the network: which reading each has, and features of them on demand."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from capax.compiler.analysis.analysis import TOKEN, Facts, Failed
from capax.compiler.analysis.values import Finite, Interval, ValueSet, bounds, gap_of, is_dyadic, unit_of
from capax.compiler.encode.encodings import Reading, feature
from capax.compiler.encode.signals import Sum
from capax.compiler.layout.network import Network
from capax.rasp.ir.describe import describe
from capax.rasp.ir.nodes import Const, Indices, Node, SOpNode
from capax.rasp.ir.types import Atom

MOST_DENOMINATOR = 2**16


@dataclass(frozen=True, slots=True, eq=False)
class Number:
    """A number in the network; `exact` when it has no noise and small binary fractions as values."""

    sum: Sum
    exact: bool


class Builder:
    """Readings and features of the s-ops of one program."""

    def __init__(self, facts: Facts, network: Network, depth: Mapping[Node, int], names: Mapping[Node, str]) -> None:
        self.facts = facts
        self.network = network
        self.domain = facts.domain
        self.depth = depth
        self.names = names
        self.readings: dict[SOpNode, Reading] = {}
        self.places: dict[Node, str] = {}
        self.unions: dict[Node, Finite] = {}
        self._titles: dict[Node, str] = {}

    def title(self, node: Node) -> str:
        """A short name of a node for directions and units."""
        if node not in self._titles:
            self._titles[node] = self.names.get(node) or describe(node, self.names, 40)
        return self._titles[node]

    def base_of(self, node: SOpNode) -> SOpNode | None:
        """The base that an s-op is a function of, where it is one of a single base."""
        found = self.facts.sops[node]
        return found.bases[0] if found.table is not None and len(found.bases) == 1 else None

    def resolved(self, node: SOpNode) -> SOpNode | None:
        """The s-op whose reading a feature of the node is made from; None for constants, tokens and places."""
        if isinstance(node, Const):
            return None
        base = self.base_of(node)
        if base is None:
            return node if self.facts.sops[node].bases or not self._constant(node) else None
        return None if base in (TOKEN, Indices()) else base

    def _constant(self, node: SOpNode) -> bool:
        values = self.facts.values(node)
        return isinstance(values, Finite) and len(values) == 1

    def layer(self, node: SOpNode) -> int:
        """The layer whose MLP computes features of the node."""
        return self.depth[node]

    # features

    def feature(self, node: SOpNode, function: Callable[[Atom], float], name: str, *, exact: bool = True) -> Sum:
        """The number that is function(value) wherever the node has the value; in the MLP of the node's layer."""
        values = self.facts.values(node)
        if isinstance(values, Finite) and len(values) == 1:
            return Sum(constant=function(values.values[0]))
        base = self.base_of(node)
        self.facts.meter.spend(len(values) if isinstance(values, Finite) else 1, node)
        if base is None:
            listed = self.facts.finite_values(node)
            return feature(
                self.network, self.readings[node], listed, [function(v) for v in listed.values], name, exact=exact
            )
        outputs = self._over_base(node, function)
        if base is TOKEN:
            return self._token_column(outputs, name)
        if base is Indices():
            return self._place_column(outputs, name)
        return feature(self.network, self.readings[base], self.facts.base_values(base), outputs, name, exact=exact)

    def _over_base(self, node: SOpNode, function: Callable[[Atom], float]) -> list[float]:
        """The function's value for each value of the node's base; what cannot happen is filled in."""
        table = self.facts.sops[node].table
        assert table is not None
        outputs: list[float] = []
        for entry in table:
            if not isinstance(entry, Failed):
                outputs.append(function(entry))
            else:
                outputs.append(outputs[-1] if outputs else 0.0)
        return outputs

    def _token_column(self, outputs: list[float], name: str) -> Sum:
        if len(set(outputs)) == 1:
            return Sum(constant=outputs[0])
        return self.network.token_column(outputs, name)

    def _place_column(self, outputs: list[float], name: str) -> Sum:
        if len(set(outputs)) == 1:
            return Sum(constant=outputs[0])
        places = [float(i) for i in range(self.domain.max_length)]
        slope = outputs[1] - outputs[0]
        if slope == int(slope) and all(y == outputs[0] + slope * x for x, y in zip(places, outputs, strict=True)):
            return self.network.place_column(places, "indices", "i") * slope + outputs[0]
        if all(y == x * x for x, y in zip(places, outputs, strict=True)):
            return self.network.place_column(outputs, "indices^2", "i^2")
        return self.network.place_column(outputs, name)

    def in_stream(self, value: Sum, node: SOpNode, name: str) -> Sum:
        """A feature of a node over directions alone."""
        return self.network.in_stream(value, self.layer(node), name)

    def stream_feature(self, node: SOpNode, function: Callable[[Atom], float], name: str, *, exact: bool = True) -> Sum:
        """A feature of a node, for a head to read."""
        return self.in_stream(self.feature(node, function, name, exact=exact), node, name)

    def here(self, value: Sum, node: SOpNode, layer: int, name: str) -> Sum:
        """A feature of a node, for the MLP of a layer to read."""
        return value if self.layer(node) == layer else self.in_stream(value, node, name)

    # numbers

    def plain(self, values: ValueSet) -> bool:
        """Whether the values can stand for themselves: numbers, not too large for their distance."""
        if isinstance(values, Finite) and not values.numeric:
            return False
        most = 2.0**21 if self.domain.dtype == "float32" else 2.0**45
        low, high = bounds(values)
        largest = max(abs(low), abs(high))
        gap = gap_of(values) or largest or Fraction(1)
        return largest <= most * gap and largest <= 2**40 and gap >= Fraction(1, 2**40)

    def dyadic(self, values: ValueSet) -> bool:
        """Whether all values are exact in the number system, with room for sums of them."""
        if isinstance(values, Interval) and values.most > 1:
            return False
        low, high = bounds(values)
        unit = unit_of(values)
        if not is_dyadic(unit) or unit.denominator > MOST_DENOMINATOR:
            return False
        return max(abs(low), abs(high)) * unit.denominator < self.domain.exact_below / 8

    def number(self, node: SOpNode, *, exact: bool = False) -> Number:
        """The value of a node of plain numbers as a number in the MLP of its layer; restored if `exact` is asked."""
        values = self.facts.values(node)
        name = self.title(node)
        found = self.resolved(node)
        if found is None:
            return Number(self.feature(node, float, name), self.dyadic(values))
        reading = self.readings[found]
        if found is node and reading.form == "plain" and (reading.exact or not exact):
            return Number(reading.sum, reading.exact)
        if isinstance(values, Interval):
            raise self.facts.too_large(node, "a list of its values")
        value = self.feature(node, float, name, exact=exact)
        return Number(value, (exact or reading.exact or self._restores(value, reading)) and self.dyadic(values))

    def _restores(self, value: Sum, reading: Reading) -> bool:
        """Whether a feature went through steps, which leave no noise."""
        return value.level > reading.sum.level and reading.form != "reciprocal"
