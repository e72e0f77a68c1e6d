"""What several comparisons see of a key (or of a query) together, as cells of a table.

What is seen is grouped by where it comes from: everything that is a function of one base is one group, and its values
are told apart only as far as a comparison tells them apart. A cell is a combination of groups.
"""

import itertools
import math
from dataclasses import dataclass

import numpy as np

from capax.compiler.analysis.analysis import TOKEN, Failed
from capax.compiler.analysis.values import Finite, finite
from capax.compiler.encode.features import Builder
from capax.compiler.encode.signals import Sum, total
from capax.errors import CapaxError
from capax.model.parts import Array
from capax.rasp.ir.nodes import Select, SOpNode
from capax.rasp.ir.ops import apply_op
from capax.rasp.ir.types import Atom

Seen = tuple[int, ...]


@dataclass(slots=True, eq=False)
class Cells:
    """The cells: how many, and for each comparison what it sees in each cell.

    A comparison with a constant sees a boolean, another the rank of the value among those of both sides.
    """

    builder: Builder
    groups: list[tuple[SOpNode, list[Seen], dict[Atom, int]]]
    seen: list[Array]
    count: int
    name: str

    def column(self, outputs: Array, name: str) -> Sum:
        """The number that has an output for each cell, for a head to read."""
        if len(set(outputs.tolist())) == 1:
            return Sum(constant=float(outputs[0]))
        if len(self.groups) == 1:
            source, _, member = self.groups[0]
            return self.builder.stream_feature(source, lambda v: float(outputs[member[v]]), f"{self.name}{name}")
        return self._joint_column(outputs, name)

    def _joint_column(self, outputs: Array, name: str) -> Sum:
        """The same from several groups: one unit per cell whose output is not zero."""
        builder = self.builder
        layer = max(builder.layer(source) for source, _, _ in self.groups)
        circuit = builder.network.circuit(layer)
        shape = [len(kinds) for _, kinds, _ in self.groups]
        table = outputs.reshape(shape)
        most = table.max() if (table != 0).sum() <= table.size / 2 else None
        wanted = table if most is not None else table - 1.0
        parts = [Sum(constant=0.0 if most is not None else 1.0)]
        for cell in zip(*np.nonzero(wanted), strict=True):
            bits = [self._bit(place, int(kind), layer) for place, kind in enumerate(cell)]
            unit = circuit.relu(total(bits) - (len(bits) - 1.0), f"{self.name} table")
            parts.append(unit * float(wanted[cell]))
        label = f"{self.name}{name}"
        value = circuit.bundle(total(parts), label, float(outputs.min()), float(outputs.max()))
        return builder.network.in_stream(value, layer, label)

    def _bit(self, place: int, kind: int, layer: int) -> Sum:
        source, _, member = self.groups[place]
        label = f"{self.builder.title(source)}:{kind}"
        value = self.builder.feature(source, lambda v: float(member[v] == kind), label)
        if len(value.terms) > 1:
            value = self.builder.network.circuit(self.builder.layer(source)).relu(value, label)
        return self.builder.here(value, source, layer, label)


def cells_of(
    builder: Builder, nodes: list[SOpNode], others: list[Atom | None], leaves: list[Select], keys: bool
) -> Cells:
    """The cells that the comparisons see of one side; `others` has the constants of the other side."""
    sources: dict[SOpNode, list[int]] = {}
    for number, node in enumerate(nodes):
        values = builder.facts.values(node)
        if len(getattr(values, "values", ())) != 1:
            sources.setdefault(builder.base_of(node) or node, []).append(number)
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
    builder.facts.meter.spend(count * len(nodes), leaves[0])
    return Cells(
        builder,
        groups,
        _columns(builder, nodes, others, leaves, sources, groups, keys),
        count,
        "key" if keys else "query",
    )


def _columns(builder, nodes, others, leaves, sources, groups, keys) -> list[Array]:  # type: ignore[no-untyped-def]
    picked: dict[int, tuple[int, int]] = {}
    for place, numbers in enumerate(sources.values()):
        for position, number in enumerate(numbers):
            picked[number] = place, position
    cells = list(itertools.product(*(kinds for _, kinds, _ in groups)))
    found: list[Array] = []
    for number, node in enumerate(nodes):
        dtype = bool if others[number] is not None else np.int64
        if number in picked:
            place, position = picked[number]
            found.append(np.array([cell[place][position] for cell in cells], dtype=dtype))
        else:
            value = builder.facts.finite_values(node).values[0]
            found.append(np.full(len(cells), _sees(builder, leaves[number], value, others[number], keys), dtype=dtype))
    return found


def _source_values(builder: Builder, source: SOpNode) -> tuple[Atom, ...]:
    """The values that features of the source are functions of, in the order of tables over it.

    Tokens are in the order of the alphabet, which may be any.
    """
    if source is TOKEN:
        return builder.facts.base_values(source).values
    return builder.facts.finite_values(source).values


def _entry(builder: Builder, node: SOpNode, source: SOpNode, row: int) -> Atom | None:
    """The node's value when the source has its value number `row`."""
    if node is source:
        return _source_values(builder, source)[row]
    base = builder.facts.base_values(source)
    table = builder.facts.sops[node].table
    assert table is not None
    assert len(base) == len(table)
    entry = table[row]
    return None if isinstance(entry, Failed) else entry


def _sees(builder: Builder, leaf: Select, value: Atom | None, other: Atom | None, keys: bool) -> int:
    if value is None:
        return 0
    if other is None:
        sets = [builder.facts.finite_values(n) for n in (leaf.key, leaf.query)]
        return _union(builder, leaf, sets).rank(value)
    try:
        return int(bool(apply_op(leaf.op, *((value, other) if keys else (other, value)))))
    except CapaxError:
        return 0


def _union(builder: Builder, leaf: Select, sets: list[Finite]) -> Finite:
    """The values of both sides of a comparison."""
    if leaf not in builder.unions:
        builder.unions[leaf] = finite([*sets[0].values, *sets[1].values])
    return builder.unions[leaf]
