"""What is known of every s-op and selector of a program on a domain: the frozen result of the pass `analyse`."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field

from capax.compiler.analysis.counted_sums import CountedSums
from capax.compiler.analysis.exhaustion import Exhaustion
from capax.compiler.analysis.linear import Linear
from capax.compiler.analysis.value_sets import (
    Finite,
    Interval,
    ValueSet,
    bounds,
    common_unit,
    count_of,
    finite,
    is_integer,
    is_number_beyond,
    is_numeric,
    unit_of,
)
from capax.compiler.domain import Domain
from capax.errors import CapaxError
from capax.rasp.analysis.position_values import PositionValues
from capax.rasp.analysis.uniform import averages_equal
from capax.rasp.ir.describe import describe
from capax.rasp.ir.graph import topological
from capax.rasp.ir.loop_nodes import State
from capax.rasp.ir.nodes import COMPARISONS, Aggregate, Const, Indices, Input, Map, Node, Select, SOpNode, Table, Width
from capax.rasp.ir.triple_nodes import PairAggregate
from capax.rasp.ir.types import Atom

TOKEN = Input("asis")
"""The base of everything that depends on the token alone."""


class Failed:
    """In a table: the entry is an error (or cannot happen)."""


FAILED = Failed()
Entry = Atom | Failed


@dataclass(frozen=True, slots=True)
class PossibleError:
    """An error that the values of a node's operands do not exclude."""

    node: Node
    code: str
    what: str


@dataclass(frozen=True, slots=True)
class SOpAnalysis:
    """The values of an s-op, and the table over its bases where that is small (in the order of `itertools.product`)."""

    values: ValueSet
    bases: tuple[SOpNode, ...] = ()
    table: tuple[Entry, ...] | None = None


@dataclass(frozen=True, slots=True)
class SelectorAnalysis:
    """Whether a selector selects at most one key of every query, and whether it selects at least one."""

    unique: bool
    filled: bool


@dataclass(frozen=True, slots=True, eq=False)
class Analysis:
    """The values of every s-op, what every selector selects, and which errors the values do not exclude.

    `linear` has the s-ops that are linear in position and length, `sums` the products that are taken for sums, `bases`
    the values of what tables are over. With `floats` the interpreter's floats are listed wherever there is room.
    """

    domain: Domain
    floats: bool
    sops: Mapping[Node, SOpAnalysis]
    selectors: Mapping[Node, SelectorAnalysis]
    linear: Mapping[Node, Linear]
    sums: Mapping[Node, CountedSums]
    bases: Mapping[SOpNode, Finite]
    booleans: frozenset[Node] = frozenset()
    possible_errors: tuple[PossibleError, ...] = ()
    positions: PositionValues = field(default_factory=PositionValues)
    """The values of s-ops that depend on position and length alone."""
    words: Exhaustion | None = None
    """The program on all words of the domain, where it was run on them."""
    merged: Mapping[Node, Mapping[float, float]] = field(default_factory=dict)
    """Of operations whose results differ by rounding only, the float that stands for each that is not its own."""
    merge: bool = True
    """Whether one float may stand for others."""

    def values(self, node: SOpNode) -> ValueSet:
        """The values of an s-op."""
        return self.sops[node].values

    def finite_values(self, node: SOpNode) -> Finite:
        """The list of values of an s-op; too many of them are an error."""
        values = self.sops[node].values
        if isinstance(values, Interval):
            if self.domain.dtype != "float64":
                raise self._too_near(node)
            raise self.too_large(node, "a list of its values")
        return values

    def stand_in(self, node: SOpNode, value: Atom) -> Atom:
        """The listed value of an operation that stands for a result."""
        return self.merged[node].get(value, value) if node in self.merged and isinstance(value, float) else value

    def base_of(self, node: SOpNode) -> SOpNode | None:
        """The base that an s-op is a function of, where it is one of a single base."""
        known = self.sops[node]
        return known.bases[0] if known.table is not None and len(known.bases) == 1 else None

    def encoded(self, node: SOpNode) -> SOpNode | None:
        """The s-op whose encoding a feature of the node is made from; None for constants, tokens and positions."""
        if isinstance(node, Const):
            return None
        base = self.base_of(node)
        if base is None:
            values = self.values(node)
            constant = isinstance(values, Finite) and len(values) == 1
            return node if self.sops[node].bases or not constant else None
        return None if base in (TOKEN, Indices()) else base

    def base_values(self, base: SOpNode) -> Finite:
        """The values of a base."""
        return self.bases[base]

    def _too_near(self, node: SOpNode) -> CapaxError:
        return CapaxError(
            "too-many-values",
            f"`{describe(node)}` has too many values to list, and too near to each other to be told apart in "
            f"{self.domain.dtype}",
            hint="shorten max_length or use fewer tokens",
            node=node,
            coarse=True,
        )

    def too_large(self, node: Node, what: str) -> CapaxError:
        """The error for a node that has too many values."""
        known = self.sops.get(node)
        size = f", which has {count_of(known.values)}," if known is not None else ""
        if known is None and isinstance(node, Aggregate) and node.value in self.sops:
            size = f", a mean of up to {self.domain.max_length:,} of {count_of(self.sops[node.value].values)},"
        return CapaxError(
            "too-many-values",
            f"`{describe(node)}`{size} would need {what} beyond the budget of {self.domain.budget:,}",
            hint="shorten max_length, use fewer tokens, or raise the budget",
            node=node,
        )

    def same_values(self, node: Aggregate) -> bool:
        """Whether all keys that a query selects surely have the same value.

        That is so where the value is the same at all keys, or is a function of what the keys are equal by; and where
        keys are equal by the number of smaller (or greater) x, and the value is x. Sums of equal values are rounded
        only where these are no integers, which `check_rounding` minds.
        """
        values = self.sops[node.value].values
        if averages_equal(node):
            return isinstance(values, Interval) or not any(is_number_beyond(v) for v in values.values)
        if not isinstance(values, Finite) or not all(isinstance(v, str) or is_integer(v) for v in values.values):
            return False
        selector = node.selector
        if not isinstance(selector, Select) or selector.op != "==" or not isinstance(selector.key, Width):
            return False
        order = selector.key.selector
        if not isinstance(order, Select) or order.op not in ("<", ">") or order.key is not order.query:
            return False
        return node.value is order.key


def may_be_boolean(node: SOpNode, known: Container[Node], alphabet: Sequence[Atom]) -> bool:
    """Whether an s-op may be a boolean at some position; of its operands those that may are known."""
    match node:
        case Input():
            return node.kind == "bool" or (node.kind == "asis" and any(isinstance(t, bool) for t in alphabet))
        case Const():
            return isinstance(node.value, bool)
        case State():
            return any(isinstance(v, bool) for v in node.values)
        case Table():
            return node.kind == "members" or any(isinstance(v, bool) for _, v in node.entries)
        case Map(op="where"):
            return any(a in known for a in node.args[1:])
        case Map(op="and" | "or"):
            return True
        case Map():
            return node.op in COMPARISONS or node.op == "not"
        case Aggregate() | PairAggregate():
            return isinstance(node.default, bool) or node.value in known
        case _:
            return False


def always_fails(node: Node) -> CapaxError:
    """The error for a node without a value on any word."""
    return CapaxError(
        "always-fails",
        f"`{describe(node)}` has a value on no word of the domain",
        hint="run the program on a word of the domain to see the error",
        node=node,
    )


def distinct_rows(tables: Sequence[Sequence[Entry]]) -> bool:
    """Whether functions of one base, the bits of the position for instance, tell all its values apart together."""
    rows = list(zip(*tables, strict=True))
    failed = any(isinstance(entry, Failed) for row in rows for entry in row)
    return bool(rows) and not failed and len(set(rows)) == len(rows)


def union(one: ValueSet, two: ValueSet, analysis: Analysis, node: Node) -> ValueSet:
    """The values of both sets; numbers beside strings have to be listed."""
    if isinstance(one, Finite) and isinstance(two, Finite):
        return one if one == two else finite([*one.values, *two.values])
    if not (is_numeric(one) and is_numeric(two)):
        raise analysis.too_large(node, "a list of its values (numbers beside strings)")
    (a, b), (c, d) = bounds(one), bounds(two)
    most = max(s.most if isinstance(s, Interval) else 1 for s in (one, two))
    return Interval(min(a, c), max(b, d), common_unit(unit_of(one), unit_of(two)), most)


def may_be_float(root: SOpNode, selectors: Mapping[Node, SelectorAnalysis]) -> bool:
    """Whether an s-op may be a float at some position though its value is listed as an integer: a mean of several."""
    loose: set[Node] = set()
    for node in topological(root):
        if isinstance(node, Aggregate):
            averages = not selectors[node.selector].unique or node.value in loose
        else:
            averages = isinstance(node, Map) and node.op in _KEEPS_FLOATS and not loose.isdisjoint(node.args)
        if averages:
            loose.add(node)
    return root in loose


_KEEPS_FLOATS = ("+", "-", "*", "%", "neg", "pos", "where")
