"""A slot for two: what the last heads write is added to a column of the embedding, which an MLP then takes away.

A readout of a hundred answers has a hundred weights for every slot. Where the last heads write one number and all else
in the stream is for queries and keys alone, that number needs no slot of its own.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from capax.compiler.encode.signals import Direction, SignalSum, Unit
from capax.compiler.layout.layered_mlp import LayeredMlp
from capax.compiler.layout.network import Network, PlannedHead
from capax.compiler.layout.slots import HeadSublayer, SlotLayout


def with_shared_slot(layout: SlotLayout, network: Network) -> SlotLayout | None:
    """The layout with the number that is read out in the slot of a token column; None where that is not possible.

    The column has to be a function of another one, by lines between integers: `relu` units compute it without error.
    The sum of both numbers is rounded, so the readout must bear that.
    """
    last = layout.sublayers[-1] if layout.sublayers else None
    read = {d for logit in network.readout.logits for d in logit.directions()}
    if not isinstance(last, HeadSublayer) or len(read) != 1 or not network.readout.tolerance:
        return None
    number = read.pop()
    alone = [d for d in network.by_token if d in layout.slots and _is_alone(d, layout)]
    if number not in _written(last.heads) or not _is_alone(number, layout):
        return None
    for column in alone:
        largest = max(map(abs, network.by_token[column])) + max(abs(number.low), abs(number.high))
        if 2 * largest * network.domain.unit > network.readout.tolerance:
            continue
        for other in alone:
            mlp = _taken_away(column, other, network)
            if mlp is not None:
                return _merged(layout, number, column, mlp)
    return None


def _written(heads: Sequence[PlannedHead]) -> list[Direction]:
    return [direction for head in heads for direction in head.outputs]


def _is_alone(direction: Direction, layout: SlotLayout) -> bool:
    """Whether no other direction has the slot of this one at any time."""
    slot = layout.slots[direction]
    return sum(other == slot for other in layout.slots.values()) == 1


def _taken_away(column: Direction, other: Direction, network: Network) -> LayeredMlp | None:
    """The MLP that subtracts a token column, computed from another; None if it is no function of it with integers."""
    points = dict(zip(network.by_token[other], network.by_token[column], strict=True))
    pairs = set(zip(network.by_token[other], network.by_token[column], strict=True))
    if other is column or len(pairs) > len(points) or any(x != int(x) for pair in pairs for x in pair):
        return None
    known = sorted(points.items())
    slopes = [(high - low) / (end - start) for (start, low), (end, high) in pairwise(known)]
    if any(slope != int(slope) for slope in slopes):
        return None
    taken, units, before = SignalSum(constant=-known[0][1]), list[Unit](), 0.0
    for (start, _), slope in zip(known, slopes, strict=False):
        if slope != before:
            above = SignalSum.of(other) - start
            units.append(Unit(f"{column.name} (taken away)", known[-1][0] - start, 1, above))
            taken += SignalSum.of(units[-1]) * (before - slope)
        before = slope
    return LayeredMlp((tuple(units),), (tuple(u.reads for u in units),), {}, {column: taken})


def _merged(layout: SlotLayout, number: Direction, column: Direction, mlp: LayeredMlp) -> SlotLayout:
    """The layout without the slot of a number, which is now in that of a column, and with the MLP at its end."""
    gone, kept = layout.slots[number], layout.slots[column]
    names = list(layout.names)
    names[kept] = f"{column.name}, then {number.name}"
    slots = {**layout.slots, number: kept}
    slots = {d: slot - (slot > gone) for d, slot in slots.items()}
    blocks = (*layout.blocks, layout.blocks[-1])
    return replace(
        layout,
        slots=slots,
        names=(*names[:gone], *names[gone + 1 :]),
        sublayers=(*layout.sublayers, mlp),
        blocks=blocks,
    )
