"""How long a step of training takes: from when progress was told, without the checks in between."""

import statistics
import time

from capax.lab.training_run import Progress, Watch


class Pace:
    """The steps at which progress was told, with the clock's and the processor's time."""

    __slots__ = ("_told",)

    def __init__(self) -> None:
        self._told: list[tuple[int, float, float]] = []

    def watching(self, watch: Watch) -> Watch:
        """A function that takes down when progress was told, and tells it on."""

        def told(progress: Progress) -> None:
            self.note(progress.step, time.monotonic(), time.process_time())
            watch(progress)

        return told

    def note(self, step: int, clock: float, processor: float) -> None:
        """Takes down when a step was done."""
        self._told.append((step, clock, processor))

    def to_json(self, check_every: int) -> dict[str, float | None]:
        """The median seconds of a step, of the clock and of the processor; None where too few were told.

        Stretches with a check in them, which comes after each `check_every` steps, are left out.
        """
        clock, processor = [], []
        for (first, began, cpu), (last, ended, cpu_end) in zip(self._told, self._told[1:], strict=False):
            if last > first and first // check_every == (last - 1) // check_every and first % check_every:
                clock.append((ended - began) / (last - first))
                processor.append((cpu_end - cpu) / (last - first))
        if not clock:
            return {"step_seconds": None, "step_cpu_seconds": None}
        return {"step_seconds": statistics.median(clock), "step_cpu_seconds": statistics.median(processor)}
