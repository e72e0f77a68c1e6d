"""The MLP of one layer while it is being built: ReLU units in stages, and the directions it writes.

A unit's stage is one more than the last stage that it reads. What a later stage needs of an earlier one is carried by
units that copy it: a number with the lower bound l is carried as the positive part of x - l, which is x - l.
"""

from collections import Counter
from dataclasses import dataclass, field

from capax.compiler.encode.signals import Bundle, Direction, Sum, Unit, Wire, one, total
from capax.compiler.layout.layered_mlp import Stages


@dataclass(slots=True)
class Circuit:
    """An MLP under construction."""

    layer: int
    place: list[str | None] = field(default_factory=lambda: [None])
    writes: dict[Direction, Sum] = field(default_factory=dict)
    _units: dict[tuple[object, ...], Unit] = field(default_factory=dict)
    _carried: dict[tuple[Wire, int], Unit] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """The number of units so far."""
        return len(self._units)

    def relu(self, reads: Sum, name: str) -> Sum:
        """The positive part of a sum."""
        if not reads.terms:
            return Sum(constant=max(reads.constant, 0.0))
        if reads.low >= 0 and len(reads.terms) == 1:
            return reads
        key = reads.key()
        if key not in self._units:
            self._units[key] = Unit(name, max(reads.high, 0.0), reads.level + 1, reads, self.place[0])
        return one(self._units[key])

    def bundle(self, inner: Sum, name: str, low: float, high: float) -> Sum:
        """The sum as one number within bounds."""
        if len(inner.terms) <= 1:
            return inner
        return one(Bundle(name, low, high, inner))

    def write(self, value: Sum, direction: Direction) -> Sum:
        """The direction, which this MLP sets to a sum."""
        self.writes[direction] = value
        return one(direction)

    def least_weights(self) -> int:
        """A lower bound of the weights between the stages, which `finish` takes long to make where they are many."""
        seen: set[Wire] = set()
        waiting = [wire for value in self.writes.values() for wire in value.terms]
        sizes: Counter[int] = Counter()
        while waiting:
            wire = waiting.pop()
            if wire in seen or not isinstance(wire, (Unit, Bundle)):
                continue
            seen.add(wire)
            if isinstance(wire, Unit):
                sizes[wire.level] += 1
            waiting += (wire.reads if isinstance(wire, Unit) else wire.inner).terms
        return sum(size * sizes[level + 1] for level, size in sizes.items())

    def finish(self) -> Stages | None:
        """The stages of all units that the written directions need; None when there is nothing to write."""
        if not self.writes:
            return None
        depth = max(1, max(s.level for s in self.writes.values()))
        kept: dict[Unit, Sum] = {}
        waiting: list[Unit] = []

        def settle(value: Sum, stage: int) -> Sum:
            settled = self._at(value, stage)
            waiting.extend(w for w in settled.terms if isinstance(w, Unit) and w not in kept)
            return settled

        writes = {d: settle(s, depth + 1) for d, s in self.writes.items()}
        while waiting:
            unit = waiting.pop()
            if unit not in kept:
                kept[unit] = settle(unit.reads, unit.level)
        stages = tuple(tuple(u for u in kept if u.level == level) for level in range(1, depth + 1))
        return Stages(stages, tuple(tuple(kept[u] for u in stage) for stage in stages), writes)

    def _at(self, value: Sum, stage: int) -> Sum:
        """The sum over what stage `stage` can read: directions for the first, units of the stage before for others."""
        parts: list[Sum] = [Sum(constant=value.constant)]
        for wire, coefficient in value.terms.items():
            if (stage == 1 and isinstance(wire, Direction)) or (isinstance(wire, Unit) and wire.level == stage - 1):
                parts.append(Sum({wire: coefficient}))
            elif isinstance(wire, Bundle) and (wire.level == stage - 1 or stage == 1):
                parts.append(self._at(wire.inner, stage) * coefficient)
            else:
                parts.append((one(self._carry(wire, stage - 1)) + wire.low) * coefficient)
        return total(parts)

    def _carry(self, wire: Wire, level: int) -> Unit:
        """The unit of a stage that holds wire - low."""
        key = wire, level
        if key not in self._carried:
            before = 0 if isinstance(wire, Direction) else wire.level if isinstance(wire, (Unit, Bundle)) else 0
            reads = one(wire) - wire.low if before == level - 1 else one(self._carry(wire, level - 1))
            self._carried[key] = Unit(f"{wire.name} (carried)", wire.high - wire.low, level, reads)
        return self._carried[key]
