"""The MLP of one layer while it is being built: ReLU units in stages, and the directions it writes.

A unit's stage is one more than the last stage that it reads. What a later stage needs of an earlier one is carried by
units that copy it: a number with the lower bound l is carried as the positive part of x - l, which is x - l.
"""

from collections import Counter
from dataclasses import dataclass, field, replace

from capax.compiler.encode.signals import Direction, Signal, SignalGroup, SignalSum, Unit
from capax.compiler.layout.layered_mlp import LayeredMlp


@dataclass(slots=True)
class MlpBuilder:
    """An MLP under construction; new units are made for what stands at `location` in the source."""

    layer: int
    location: str | None = None
    writes: dict[Direction, SignalSum] = field(default_factory=dict)
    _units: dict[tuple[object, ...], Unit] = field(default_factory=dict)
    _groups: dict[tuple[object, ...], SignalGroup] = field(default_factory=dict)
    _carried: dict[tuple[Signal, int], Unit] = field(default_factory=dict)

    def at(self, location: str | None) -> "MlpBuilder":
        """The same MLP, whose next units are made for another location of the source."""
        return replace(self, location=location)

    def relu(self, reads: SignalSum, name: str) -> SignalSum:
        """The positive part of a sum."""
        if not reads.terms:
            return SignalSum(constant=max(reads.constant, 0.0))
        return reads if reads.low >= 0 and len(reads.terms) == 1 else self.unit(reads, name)

    def unit(self, reads: SignalSum, name: str) -> SignalSum:
        """The positive part of a sum as a unit of its own, which later stages read in place of all that it reads."""
        key = reads.key()
        if key not in self._units:
            self._units[key] = Unit(name, max(reads.high, 0.0), reads.level + 1, reads, self.location)
        return SignalSum.of(self._units[key])

    def group(self, inner: SignalSum, name: str, low: float, high: float, *, noisy: bool = False) -> SignalSum:
        """The sum as one number within bounds; `noisy` where steps have taken no noise from it."""
        if len(inner.terms) <= 1:
            return inner
        key = (low, high, *inner.key())
        if key not in self._groups:
            self._groups[key] = SignalGroup(name, low, high, inner, noisy=noisy)
        return SignalSum.of(self._groups[key])

    def write(self, value: SignalSum, direction: Direction) -> SignalSum:
        """The direction, which this MLP sets to a sum."""
        self.writes[direction] = value
        return SignalSum.of(direction)

    def least_weights(self) -> int:
        """A lower bound of the weights between the stages, which `finish` takes long to make where they are many."""
        seen: set[Signal] = set()
        waiting = [signal for value in self.writes.values() for signal in value.terms]
        sizes: Counter[int] = Counter()
        while waiting:
            signal = waiting.pop()
            if signal in seen or not isinstance(signal, (Unit, SignalGroup)):
                continue
            seen.add(signal)
            if isinstance(signal, Unit):
                sizes[signal.level] += 1
            waiting += (signal.reads if isinstance(signal, Unit) else signal.inner).terms
        return sum(size * sizes[level + 1] for level, size in sizes.items())

    def finish(self) -> LayeredMlp | None:
        """The stages of all units that the written directions need; None when there is nothing to write."""
        if not self.writes:
            return None
        depth = max(1, max(s.level for s in self.writes.values()))
        reads: dict[Unit, SignalSum] = {}
        waiting: list[Unit] = []

        def settle(value: SignalSum, stage: int) -> SignalSum:
            settled = self._at(value, stage)
            waiting.extend(w for w in settled.terms if isinstance(w, Unit) and w not in reads)
            return settled

        writes = {d: settle(s, depth + 1) for d, s in self.writes.items()}
        while waiting:
            unit = waiting.pop()
            if unit not in reads:
                reads[unit] = settle(unit.reads, unit.level)
        stages = tuple(tuple(u for u in reads if u.level == level) for level in range(1, depth + 1))
        return LayeredMlp(stages, tuple(tuple(reads[u] for u in stage) for stage in stages), writes)

    def _at(self, value: SignalSum, stage: int) -> SignalSum:
        """The sum over what stage `stage` can read: directions for the first, units of the stage before for others."""
        if stage > 1 and all(isinstance(s, Unit) and s.level == stage - 1 for s in value.terms):
            return value  # as most sums
        terms: dict[Signal, float] = {}
        constant = value.constant
        for signal, coefficient in value.terms.items():
            if (stage == 1 and isinstance(signal, Direction)) or (
                isinstance(signal, Unit) and signal.level == stage - 1
            ):
                terms[signal] = terms.get(signal, 0.0) + coefficient
            elif isinstance(signal, SignalGroup) and (signal.level == stage - 1 or stage == 1):
                inner = self._at(signal.inner, stage)
                constant += inner.constant * coefficient
                for part, factor in inner.terms.items():
                    terms[part] = terms.get(part, 0.0) + factor * coefficient
            else:
                carried = self._carry(signal, stage - 1)
                constant += signal.low * coefficient
                terms[carried] = terms.get(carried, 0.0) + coefficient
        return SignalSum({w: c for w, c in terms.items() if c}, constant)

    def _carry(self, signal: Signal, level: int) -> Unit:
        """The unit of a stage that holds signal - low."""
        key = signal, level
        if key not in self._carried:
            before = (
                0 if isinstance(signal, Direction) else signal.level if isinstance(signal, (Unit, SignalGroup)) else 0
            )
            reads = (
                SignalSum.of(signal) - signal.low
                if before == level - 1
                else SignalSum.of(self._carry(signal, level - 1))
            )
            self._carried[key] = Unit(f"{signal.name} (carried)", signal.high - signal.low, level, reads)
        return self._carried[key]
