"""`capax layers` of a program with a loop: the layers before it, of its body and after it, and its states by round."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from capax.app.options import count
from capax.errors import CapaxError
from capax.rasp.analysis.loop_schedule import LoopSchedule, StateTrace, loop_schedule, states_by_round
from capax.rasp.analysis.schedule import Layer
from capax.rasp.meaning.sequence import format_value

if TYPE_CHECKING:
    from capax.app.resolve import Resolved

MOST_ROUNDS = 16
"""So many rounds are shown; of more, the first and the last."""
LENGTHS = (8, 64, 1024)
"""The lengths at which the depth is named."""


@dataclass(frozen=True, slots=True)
class LoopCost:
    """The layers of a program with a loop, and the values of its states on an input, round by round."""

    program: str
    schedule: LoopSchedule
    trace: StateTrace | None

    def to_json(self) -> dict[str, Any]:
        """All of it as plain data."""
        before, each, after = self.schedule.layers
        return {
            "program": self.program,
            "layers": {"before": before, "loop": each, "after": after, "rounds": self.schedule.rounds},
            "depth": {str(n): self.schedule.depth(n) for n in LENGTHS},
            "states": list(self.schedule.states),
            "kept": list(self.schedule.kept),
            "heads": [self._heads_json(part) for part in self._parts()],
            "rounds": None if self.trace is None else self.trace.to_json(),
            **({"rounds_left_out": self.trace.left_out} if self.trace is not None and self.trace.left_out else {}),
        }

    def render(self) -> str:
        """The parts, layer by layer; then the states on the input."""
        schedule = self.schedule
        at = ", ".join(f"{schedule.depth(n)} at length {n:,}" for n in LENGTHS)
        lines = [f"{self.program}: {schedule.formula} layers ({at})"]
        lines.append(f"  states {', '.join(schedule.states)}")
        if schedule.kept:
            lines.append(f"  kept   {', '.join(schedule.kept)} (computed before the loop)")
        for title, part in zip(("before the loop", "the loop", "after the loop"), self._parts(), strict=True):
            if len(part) > 1 or part[0].feed_forward:
                lines.append(title)
                lines += self._layers(part)
        return "\n".join([*lines, *self._rounds()])

    def _parts(self) -> tuple[tuple[Layer, ...], ...]:
        return self.schedule.prelude, self.schedule.body, self.schedule.coda

    def _layers(self, part: tuple[Layer, ...]) -> list[str]:
        title, lines = self.schedule.title, []
        for layer in part:
            if layer.number:
                lines.append(f"  layer {layer.number}: {count(len(layer.heads), 'head')}")
            for head in layer.heads:
                what = "counts" if head.counts else f"averages {', '.join(title(v) for v in head.values)}"
                lines.append(f"    {title(head.selector)}: {what}")
            if layer.feed_forward:
                before = "    then" if layer.number else "  before attention:"
                lines.append(f"{before} {count(len(layer.feed_forward), 'element-wise step')}")
        return lines

    def _heads_json(self, part: tuple[Layer, ...]) -> list[list[str]]:
        return [[self.schedule.title(head.selector) for head in layer.heads] for layer in part[1:]]

    def _rounds(self) -> list[str]:
        """The states round by round; in the middle of many rounds some are left out."""
        if self.trace is None:
            return []
        numbers = list(range(len(self.trace.rounds)))
        if len(numbers) > MOST_ROUNDS + 1:
            numbers = [*numbers[: MOST_ROUNDS // 2], *numbers[-MOST_ROUNDS // 2 :]]
        left_out = self.trace.left_out
        lines = [f"rounds ({len(self.trace.rounds) - 1 + left_out:,})"]
        wide, digits = max(map(len, self.trace.names)), max(3, len(str(numbers[-1])))
        for before, number in zip([-1, *numbers], numbers, strict=False):
            if number > before + 1:
                lines.append("  ...")
            for name, values in zip(self.trace.names, self.trace.rounds[number], strict=True):
                lines.append(f"  {number:>{digits}}  {name.ljust(wide)}  {' '.join(format_value(v) for v in values)}")
        return lines + ([f"  ... ({left_out:,} more rounds, which were not evaluated)"] if left_out else [])


def loop_layers(resolved: "Resolved", tokens: Any) -> LoopCost:
    """The layers of a program with a loop; its states are shown on an input, unless it fails there."""
    try:
        trace = states_by_round(resolved.program, tokens)
    except CapaxError:
        trace = None
    return LoopCost(resolved.name, loop_schedule(resolved.program), trace)
