"""The slots of the residual stream: one for every direction, or one for several after one another."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from capax.compiler.encode.signals import Direction
from capax.compiler.layout.layered_mlp import LayeredMlp, split_by_depth, with_cleared
from capax.compiler.layout.network import Network, PlannedHead
from capax.model.model import REUSED


@dataclass(frozen=True, slots=True, eq=False)
class HeadSublayer:
    """The heads of one attention sublayer."""

    heads: tuple[PlannedHead, ...]

    def read(self) -> set[Direction]:
        """The directions that queries, keys and values read."""
        sums = [s for h in self.heads for s in (*(s for pair in h.pairs for s in pair), *h.values)]
        return {d for s in sums for d in s.directions()}


Sublayer: TypeAlias = HeadSublayer | LayeredMlp


def written(sublayer: Sublayer) -> list[Direction]:
    """The directions that a sublayer writes."""
    if isinstance(sublayer, HeadSublayer):
        return [d for h in sublayer.heads for d in h.outputs]
    return list(sublayer.writes)


@dataclass(frozen=True, slots=True, eq=False)
class SlotLayout:
    """The slot of every direction, the names of the slots, and the sublayers, which may now clear slots.

    `blocks` has the number of the block that each sublayer belongs to; the input MLP is block 0.
    """

    slots: Mapping[Direction, int]
    names: tuple[str, ...]
    sublayers: tuple[Sublayer, ...]
    blocks: tuple[int, ...] = ()

    @property
    def width(self) -> int:
        """The width of the stream."""
        return max(len(self.names), 1)


def sublayers_of(network: Network) -> tuple[list[Sublayer], list[int]]:
    """The sublayers in order, and the block of each; an MLP that is too deep takes further blocks."""
    sublayers: list[Sublayer] = []
    blocks: list[int] = []
    block = 0
    for layer in range(network.depth + 1):
        if layer:
            block += 1
            sublayers.append(HeadSublayer(tuple(h for h in network.heads if h.layer == layer)))
            blocks.append(block)
        mlp = network.mlps.get(layer)
        for number, piece in enumerate(split_by_depth(mlp, network.domain.mlp_depth or mlp.depth) if mlp else ()):
            block += bool(number)
            sublayers.append(piece)
            blocks.append(block)
    return sublayers, blocks


def allocate_separate(first: Sequence[Direction], sublayers: Sequence[Sublayer]) -> SlotLayout:
    """A slot for every direction."""
    order = [*first, *(d for s in sublayers for d in written(s))]
    return SlotLayout({d: i for i, d in enumerate(order)}, tuple(d.name for d in order), tuple(sublayers))


def last_reads(first: Sequence[Direction], sublayers: Sequence[Sublayer], network: Network) -> dict[Direction, int]:
    """The number of the last sublayer that reads each direction; the readout comes after all of them."""
    last: dict[Direction, int] = dict.fromkeys(first, -1)
    for time, sublayer in enumerate(sublayers):
        last |= dict.fromkeys(written(sublayer), time + 1)  # what is never read cannot be cleared by what writes it
    for time, sublayer in enumerate(sublayers):
        last |= dict.fromkeys(sublayer.read(), time)
    return last | dict.fromkeys((d for s in network.readout.logits for d in s.directions()), len(sublayers))


def allocate_reusing(first: Sequence[Direction], sublayers: Sequence[Sublayer], network: Network) -> SlotLayout:
    """Slots whose direction is read no more are cleared by the next MLP and given to directions that come later."""
    last = last_reads(first, sublayers, network)
    slots: dict[Direction, int] = {d: i for i, d in enumerate(first)}
    occupant: list[Direction] = list(first)
    names: list[list[str]] = [[d.name] for d in first]
    clears: dict[int, list[Direction]] = {}
    for time, sublayer in enumerate(sublayers):
        for direction in written(sublayer):
            free = _free_slot(occupant, last, sublayers, time)
            if free is None:
                slots[direction] = len(occupant)
                occupant.append(direction)
                names.append([direction.name])
                continue
            slot, when = free
            clears.setdefault(when, []).append(occupant[slot])
            slots[direction] = slot
            occupant[slot] = direction
            names[slot].append(direction.name)
    changed = [
        with_cleared(s, clears[time]) if isinstance(s, LayeredMlp) and time in clears else s
        for time, s in enumerate(sublayers)
    ]
    return SlotLayout(slots, tuple(REUSED.join(n) for n in names), tuple(changed))


def _free_slot(
    occupant: list[Direction], last: dict[Direction, int], sublayers: Sequence[Sublayer], time: int
) -> tuple[int, int] | None:
    """A slot whose direction an MLP before `time` can clear, and that MLP; it must come after the last read."""
    for slot, direction in enumerate(occupant):
        if slot and last[direction] >= time:
            continue
        for when in range(max(last[direction], 0), time):
            if isinstance(sublayers[when], LayeredMlp):
                return slot, when
    return None
