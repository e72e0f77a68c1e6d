"""When the bands of a prediction were fixed, against when its runs began."""

from collections.abc import Sequence
from datetime import UTC, datetime

from capax.lab.stored import StoredRun


def fixed_line(fixed: datetime | None, runs: Sequence[StoredRun]) -> str:
    """A sentence on whether the bands were fixed before the runs; empty where no time is written down.

    The times are those of the clocks of the machines that wrote them: nobody else vouches for them.
    """
    if fixed is None:
        return ""
    at = f"The bands were fixed on {_minute(fixed)}"
    begun = sorted(datetime.fromtimestamp(run.started_at, UTC) for run in runs if run.started_at > 0)
    if not begun:
        return f"{at}; no run has begun."
    late = sum(time < fixed for time in begun)
    if late:
        return f"{at}, after {late} of {len(begun)} runs had begun: of those they are no prediction."
    return f"{at}, before the first run began ({_minute(begun[0])})."


def _minute(time: datetime) -> str:
    return f"{time.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
