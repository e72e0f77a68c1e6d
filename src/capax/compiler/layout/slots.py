"""Which slot of the stream each direction has: one for each, or slots used again after their last reading."""

from collections.abc import Sequence
from dataclasses import dataclass

from capax.compiler.encode.signals import Direction, Sum
from capax.compiler.layout.layered_mlp import Stages, clearing
from capax.compiler.layout.network import PlannedHead


@dataclass(frozen=True, slots=True, eq=False)
class Heads:
    """The heads of one attention sublayer."""

    heads: tuple[PlannedHead, ...]

    def read(self) -> set[Direction]:
        """The directions that queries, keys and values read."""
        sums = [s for h in self.heads for s in (*(s for pair in h.pairs for s in pair), *h.values)]
        return {d for s in sums for d in s.directions()}

    def written(self) -> list[Direction]:
        """The directions that the heads write."""
        return [d for h in self.heads for d in h.outputs]


Sublayer = Heads | Stages


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """The slot of every direction, the names of the slots, and the sublayers, which may now clear slots."""

    slots: dict[Direction, int]
    names: tuple[str, ...]
    sublayers: tuple[Sublayer, ...]


def one_each(first: Sequence[Direction], sublayers: Sequence[Sublayer]) -> Layout:
    """A slot for every direction."""
    order = [*first, *(d for s in sublayers for d in _written(s))]
    return Layout({d: i for i, d in enumerate(order)}, tuple(d.name for d in order), tuple(sublayers))


def _written(sublayer: Sublayer) -> list[Direction]:
    return sublayer.written() if isinstance(sublayer, Heads) else list(sublayer.writes)


def used_again(first: Sequence[Direction], sublayers: Sequence[Sublayer], output: Sequence[Sum]) -> Layout:
    """Slots whose direction is read no more are cleared by the next MLP and given to directions that come later."""
    last: dict[Direction, int] = dict.fromkeys(first, -1)
    for time, sublayer in enumerate(sublayers):
        last |= dict.fromkeys(_written(sublayer), time + 1)  # what nobody reads cannot be cleared by what writes it
    for time, sublayer in enumerate(sublayers):
        last |= dict.fromkeys(sublayer.read(), time)
    last |= dict.fromkeys((d for s in output for d in s.directions()), len(sublayers))
    slots: dict[Direction, int] = {d: i for i, d in enumerate(first)}
    occupant: list[Direction] = list(first)
    names: list[list[str]] = [[d.name] for d in first]
    clears: dict[int, list[Direction]] = {}
    for time, sublayer in enumerate(sublayers):
        for direction in _written(sublayer):
            found = _free(occupant, last, sublayers, time)
            if found is None:
                slots[direction] = len(occupant)
                occupant.append(direction)
                names.append([direction.name])
                continue
            slot, when = found
            clears.setdefault(when, []).append(occupant[slot])
            slots[direction] = slot
            occupant[slot] = direction
            names[slot].append(direction.name)
    changed = [
        clearing(s, clears[time]) if isinstance(s, Stages) and time in clears else s for time, s in enumerate(sublayers)
    ]
    return Layout(slots, tuple(", then ".join(n) for n in names), tuple(changed))


def _free(
    occupant: list[Direction], last: dict[Direction, int], sublayers: Sequence[Sublayer], time: int
) -> tuple[int, int] | None:
    """A slot whose direction an MLP before `time` can clear, and that MLP; it must come after the last reading."""
    for slot, direction in enumerate(occupant):
        if slot and last[direction] >= time:
            continue
        for when in range(max(last[direction], 0), time):
            if isinstance(sublayers[when], Stages):
                return slot, when
    return None
