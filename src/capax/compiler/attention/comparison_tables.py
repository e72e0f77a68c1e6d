"""What several comparisons see of a key (or of a query) together, as cells of a table.

What is seen is grouped by where it comes from: everything that is a function of one base is one group, and its values
are distinguished only as far as a comparison distinguishes them. A cell is a combination of groups.
"""

import itertools
import math
from dataclasses import dataclass

import numpy as np

from capax.compiler.analysis.analysis import TOKEN, Failed
from capax.compiler.analysis.value_sets import Finite, finite
from capax.compiler.domain import spend
from capax.compiler.encode.features import FeatureBuilder
from capax.compiler.encode.signals import SignalSum, add_all
from capax.errors import CapaxError
from capax.model.parts import Array
from capax.rasp.ir.nodes import Select, SOpNode
from capax.rasp.ir.ops import apply_op
from capax.rasp.ir.types import Atom

Seen = tuple[int, ...]


@dataclass(slots=True, eq=False)
class TableCells:
    """The cells: how many, and for each comparison what it sees in each cell.

    A comparison with a constant sees a boolean, another the rank of the value among those of both sides.
    """

    builder: FeatureBuilder
    groups: list[tuple[SOpNode, list[Seen], dict[Atom, int]]]
    seen: list[Array]
    count: int
    name: str

    def column(self, outputs: Array, name: str) -> SignalSum:
        """The number that has an output for each cell, for a head to read."""
        if len(set(outputs.tolist())) == 1:
            return SignalSum(constant=float(outputs[0]))
        if len(self.groups) == 1:
            source, _, member = self.groups[0]
            return self.builder.stream_feature(source, lambda v: float(outputs[member[v]]), f"{self.name}{name}")
        return self._joint_column(outputs, name)

    def _joint_column(self, outputs: Array, name: str) -> SignalSum:
        """The same from several groups: one unit per cell whose output is not zero."""
        builder = self.builder
        layer = max(builder.layer(source) for source, _, _ in self.groups)
        mlp = builder.network.mlp(layer)
        shape = [len(kinds) for _, kinds, _ in self.groups]
        table = outputs.reshape(shape)
        most = table.max() if (table != 0).sum() <= table.size / 2 else None
        excess = table if most is not None else table - 1.0
        parts = [SignalSum(constant=0.0 if most is not None else 1.0)]
        for cell in zip(*np.nonzero(excess), strict=True):
            bits = [self._bit(number, int(kind), layer) for number, kind in enumerate(cell)]
            unit = mlp.relu(add_all(bits) - (len(bits) - 1.0), f"{self.name} table")
            parts.append(unit * float(excess[cell]))
        label = f"{self.name}{name}"
        value = mlp.group(add_all(parts), label, float(outputs.min()), float(outputs.max()))
        return builder.network.in_stream(value, layer, label)

    def _bit(self, number: int, kind: int, layer: int) -> SignalSum:
        source, _, member = self.groups[number]
        label = f"{self.builder.title(source)}:{kind}"
        value = self.builder.feature(source, lambda v: float(member[v] == kind), label)
        if len(value.terms) > 1:
            value = self.builder.network.mlp(self.builder.layer(source)).relu(value, label)
        return self.builder.here(value, source, layer, label)


def cells_of(
    builder: FeatureBuilder, nodes: list[SOpNode], others: list[Atom | None], leaves: list[Select], keys: bool
) -> TableCells:
    """The cells that the comparisons see of one side; `others` has the constants of the other side."""
    sources: dict[SOpNode, list[int]] = {}
    for number, node in enumerate(nodes):
        values = builder.analysis.values(node)
        if len(getattr(values, "values", ())) != 1:
            sources.setdefault(builder.analysis.base_of(node) or node, []).append(number)
    groups: list[tuple[SOpNode, list[Seen], dict[Atom, int]]] = []
    for source, numbers in sources.items():
        kinds: dict[Seen, int] = {}
        member: dict[Atom, int] = {}
        for row, value in enumerate(_source_values(builder, source)):
            seen = tuple(
                _sees(builder, leaves[n], _entry(builder, nodes[n], source, row), others[n], keys) for n in numbers
            )
            member[value] = kinds.setdefault(seen, len(kinds))
        groups.append((source, list(kinds), member))
    count = math.prod(len(kinds) for _, kinds, _ in groups)
    if count > builder.domain.budget:
        raise CapaxError(
            "too-many-values",
            f"a selector would need a table over {count:,} combinations of {len(groups)} values",
            hint="shorten max_length, use fewer tokens, or raise the budget",
            node=leaves[0],
        )
    spend(builder.budget, count * len(nodes), leaves[0])
    return TableCells(
        builder,
        groups,
        _columns(builder, nodes, others, leaves, sources, groups, keys),
        count,
        "key" if keys else "query",
    )


def _columns(
    builder: FeatureBuilder,
    nodes: list[SOpNode],
    others: list[Atom | None],
    leaves: list[Select],
    sources: dict[SOpNode, list[int]],
    groups: list[tuple[SOpNode, list[Seen], dict[Atom, int]]],
    keys: bool,
) -> list[Array]:
    """For each comparison what it sees in each cell."""
    picked: dict[int, tuple[int, int]] = {}
    for group, numbers in enumerate(sources.values()):
        for member, number in enumerate(numbers):
            picked[number] = group, member
    cells = list(itertools.product(*(kinds for _, kinds, _ in groups)))
    columns: list[Array] = []
    for number, node in enumerate(nodes):
        dtype = bool if others[number] is not None else np.int64
        if number in picked:
            group, member = picked[number]
            columns.append(np.array([cell[group][member] for cell in cells], dtype=dtype))
        else:
            value = builder.analysis.finite_values(node).values[0]
            columns.append(
                np.full(len(cells), _sees(builder, leaves[number], value, others[number], keys), dtype=dtype)
            )
    return columns


def _source_values(builder: FeatureBuilder, source: SOpNode) -> tuple[Atom, ...]:
    """The values that features of the source are functions of, in the order of tables over it.

    Tokens are in the order of the alphabet, which may be any.
    """
    if source is TOKEN:
        return builder.analysis.base_values(source).values
    return builder.analysis.finite_values(source).values


def _entry(builder: FeatureBuilder, node: SOpNode, source: SOpNode, row: int) -> Atom | None:
    """The node's value when the source has its value number `row`."""
    if node is source:
        return _source_values(builder, source)[row]
    base = builder.analysis.base_values(source)
    table = builder.analysis.sops[node].table
    assert table is not None
    assert len(base) == len(table)
    entry = table[row]
    return None if isinstance(entry, Failed) else entry


def _sees(builder: FeatureBuilder, leaf: Select, value: Atom | None, other: Atom | None, keys: bool) -> int:
    if value is None:
        return 0
    if other is None:
        sets = [builder.analysis.finite_values(n) for n in (leaf.key, leaf.query)]
        return _union(builder, leaf, sets).rank(value)
    try:
        return int(bool(apply_op(leaf.op, *((value, other) if keys else (other, value)))))
    except CapaxError:
        return 0


def _union(builder: FeatureBuilder, leaf: Select, sets: list[Finite]) -> Finite:
    """The values of both sides of a comparison."""
    if leaf not in builder.unions:
        builder.unions[leaf] = finite([*sets[0].values, *sets[1].values])
    return builder.unions[leaf]
