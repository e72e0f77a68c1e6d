"""The values of s-ops as numbers in the network: which encoding each has, and features of them on demand."""

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

from capax.budget import Budget
from capax.compiler.analysis.analysis import TOKEN, Analysis, Failed
from capax.compiler.analysis.value_sets import Finite, Interval, ValueSet, bounds, gap_of, is_dyadic, unit_of
from capax.compiler.domain import Domain, spend
from capax.compiler.encode.encodings import ValueEncoding, affine_fit, feature, jumps_of, sorted_points
from capax.compiler.encode.network_builder import NetworkBuilder
from capax.compiler.encode.signals import SignalGroup, SignalSum
from capax.compiler.node_meanings.node_names import LONGEST, MOST
from capax.rasp.ir.describe import describe
from capax.rasp.ir.nodes import Aggregate, Const, Indices, Map, Node, SOpNode
from capax.rasp.ir.types import Atom

MOST_DENOMINATOR = 2**16
UNIT_COST = 10
"""About how many entries of a column are worth a jump of a staircase."""


@dataclass(frozen=True, slots=True, eq=False)
class Number:
    """A number in the network; `exact` when it has no noise and small binary fractions as values."""

    signal: SignalSum
    exact: bool


@dataclass(slots=True, eq=False)
class FeatureBuilder:
    """Encodings and features of the s-ops of one program, while its network is planned."""

    analysis: Analysis
    network: NetworkBuilder
    layers: Mapping[Node, int]
    names: Mapping[Node, str]
    source_names: Mapping[Node, str]
    budget: Budget
    encodings: dict[SOpNode, ValueEncoding] = field(default_factory=dict)
    unions: dict[Node, Finite] = field(default_factory=dict)
    noises: dict[SOpNode, float] = field(default_factory=dict)
    """About how noisy the numbers are that integers are encoded as, where that has been asked."""
    _titles: dict[Node, str] = field(default_factory=dict)

    @property
    def domain(self) -> Domain:
        """The words that the network is for."""
        return self.analysis.domain

    def at(self, location: str | None) -> "FeatureBuilder":
        """The same builder, whose next heads and units are made for another location of the source."""
        return replace(self, network=self.network.at(location))

    def title(self, node: Node) -> str:
        """A short name of a node for directions and units."""
        if node not in self._titles:
            self._titles[node] = self.names.get(node) or describe(node, self.names, LONGEST)
        return self._titles[node]

    def written_out(self, node: Node) -> str:
        """A node as an expression over what has a name in the source, for a reader who has no list of the parts."""
        return describe(node, self.source_names, MOST)

    def layer(self, node: SOpNode) -> int:
        """The layer whose MLP computes features of the node."""
        return self.layers[node]

    # features

    def feature(self, node: SOpNode, function: Callable[[Atom], float], name: str, *, exact: bool = True) -> SignalSum:
        """The number that is function(value) wherever the node has the value; in the MLP of the node's layer."""
        values = self.analysis.values(node)
        if isinstance(values, Finite) and len(values) == 1:
            return SignalSum(constant=function(values.values[0]))
        base = self.analysis.base_of(node)
        spend(self.budget, len(values) if isinstance(values, Finite) else 1, node)
        if base is None:
            listed = self.analysis.finite_values(node)
            return self._of_encoding(node, listed, [function(v) for v in listed.values], name, exact=exact)
        outputs = self.over_base(node, function)
        if len(set(outputs)) == 1:
            return SignalSum(constant=outputs[0])
        if base is TOKEN:
            return self.network.token_column(outputs, name)
        if base is Indices():
            return self._position_column(outputs, name)
        return self._of_encoding(base, self.analysis.base_values(base), outputs, name, exact=exact)

    def _of_encoding(
        self, source: SOpNode, values: Finite, outputs: list[float], name: str, *, exact: bool
    ) -> SignalSum:
        """The number that has an output for each value of an s-op that is encoded.

        A head that reads one key can read the feature there, where that is a column: then no unit has to compute it.
        """
        encoding = self.encodings[source]
        if (
            isinstance(source, Aggregate)
            and self._copies_column(source, jumps_of(encoding, values, outputs))
            and affine_fit(*sorted_points(encoding, values, outputs), self.domain) is None
        ):
            return self._read_by_head(source, dict(zip(values.values, outputs, strict=True)), name)
        return feature(self.network, encoding, values, outputs, name, exact=exact)

    def _copies_column(self, node: Aggregate, jumps: int) -> bool:
        """Whether a head reads one key for an aggregate, and a column there is cheaper than units with jumps.

        What an earlier head read in the same way is a column, too: a chain of pointers needs no units.
        """
        value = node.value
        if not self.analysis.selectors[node.selector].unique:
            return False
        if not self.is_column(value) and not (isinstance(value, Aggregate) and self._copies_column(value, jumps)):
            return False
        return UNIT_COST * jumps > len(self.analysis.finite_values(value))

    def _read_by_head(self, node: Aggregate, outputs: dict[Atom, float], name: str) -> SignalSum:
        """A further number that the head of an aggregate reads at its one key."""
        column = self.stream_feature(node.value, lambda v: outputs.get(v, 0.0), f"{name}, at the key")
        default = outputs.get(node.default, 0.0) if node.default is not None else 0.0
        return self.network.extended_head(node, column, default, name)

    def is_column(self, node: SOpNode) -> bool:
        """Whether features of a node need no units: it is a function of the token, or of the position."""
        return self.analysis.base_of(node) in (TOKEN, Indices())

    def over_base(self, node: SOpNode, function: Callable[[Atom], float]) -> list[float]:
        """The function's value for each value of the node's base; what cannot happen is filled in."""
        table = self.analysis.sops[node].table
        assert table is not None
        outputs: list[float] = []
        for entry in table:
            if not isinstance(entry, Failed):
                outputs.append(function(entry))
            else:
                outputs.append(outputs[-1] if outputs else 0.0)
        return outputs

    def _position_column(self, outputs: list[float], name: str) -> SignalSum:
        positions = [float(i) for i in range(self.domain.max_length)]
        slope = outputs[1] - outputs[0]
        if slope == int(slope) and all(y == outputs[0] + slope * x for x, y in zip(positions, outputs, strict=True)):
            return self.network.position_column(positions, "indices", "i") * slope + outputs[0]
        if all(y == x * x for x, y in zip(positions, outputs, strict=True)):
            return self.network.position_column(outputs, "indices^2", "i^2")
        return self.network.position_column(outputs, name)

    def in_stream(self, value: SignalSum, node: SOpNode, name: str) -> SignalSum:
        """A feature of a node over directions alone."""
        return self.network.in_stream(value, self.layer(node), name)

    def stream_feature(
        self, node: SOpNode, function: Callable[[Atom], float], name: str, *, exact: bool = True
    ) -> SignalSum:
        """A feature of a node, for a head to read."""
        return self.in_stream(self.feature(node, function, name, exact=exact), node, name)

    def here(self, value: SignalSum, node: SOpNode, layer: int, name: str) -> SignalSum:
        """A feature of a node, for the MLP of a layer to read."""
        return value if self.layer(node) == layer else self.in_stream(value, node, name)

    # numbers

    def plain(self, values: ValueSet) -> bool:
        """Whether the values can stand for themselves: numbers, not too large for their distance."""
        if isinstance(values, Finite) and not values.numeric:
            return False
        low, high = bounds(values)
        largest = max(abs(low), abs(high))
        gap = gap_of(values) or largest or Fraction(1)
        return largest <= self.domain.plain_below * gap and largest <= 2**40 and gap >= Fraction(1, 2**40)

    def is_plain(self, node: SOpNode) -> bool:
        """Whether the number that a node is encoded as stands for itself; quotients are told apart by their size."""
        if isinstance(node, Const):
            return self.plain(Finite((node.value,)))
        encoding, is_quotient = self.encodings.get(node), isinstance(node, Map) and node.op == "/"
        return self.plain(self.analysis.values(node)) or (
            is_quotient and encoding is not None and encoding.kind == "plain"
        )

    def plain_by_size(self, values: ValueSet) -> bool:
        """Whether numbers from 0 on can stand for themselves where each is rounded by its own size, as quotients are.

        The largest quotients of counts are integers, and far apart.
        """
        if not isinstance(values, Finite) or not values.numeric or bounds(values)[0] < 0:
            return False
        most, least = 2**40, self.domain.plain_below
        pairs = itertools.pairwise(map(float, values.values))
        return all(b <= least * (b - a) and b <= most and b - a >= 1 / most for a, b in pairs)

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
        values = self.analysis.values(node)
        name = self.title(node)
        source = self.analysis.encoded(node)
        if source is None:
            return Number(self.feature(node, float, name), self.dyadic(values))
        encoding = self.encodings[source]
        if source is node and encoding.kind == "plain" and (encoding.exact or not exact):
            return Number(encoding.signal, encoding.exact)
        if isinstance(values, Interval):
            raise self.analysis.too_large(node, "a list of its values")
        value = self.feature(node, float, name, exact=exact)
        return Number(value, (exact or encoding.exact or self._restores(value, encoding)) and self.dyadic(values))

    def _restores(self, value: SignalSum, encoding: ValueEncoding) -> bool:
        """Whether a feature went through steps, which leave no noise; what divisions leave has not."""
        noisy = any(isinstance(signal, SignalGroup) and signal.noisy for signal in value.terms)
        return value.level > encoding.signal.level and encoding.kind != "reciprocal" and not noisy
