"""Whether the bands of a prediction were fixed before its runs began."""

from datetime import UTC, datetime, timedelta

from capax.lab.fixed_bands import fixed_line
from capax.lab.stored import StoredRun

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)


def run(start: datetime | None) -> StoredRun:
    """A run that began at a time; one that nobody knows the start of if there is none."""
    return StoredRun("", "k", {}, {}, 1.0, None, 0.0 if start is None else start.timestamp())


def test_runs_before_the_bands_are_no_test_of_them() -> None:
    """Each case has a sentence of its own; runs that were not begun do not count."""
    before, after = run(NOON - timedelta(hours=1)), run(NOON + timedelta(hours=1))
    assert fixed_line(None, [before]) == ""
    assert fixed_line(NOON, [run(None)]) == "The bands were fixed on 2026-01-31 12:00 UTC; no run has begun."
    assert "before the first run began (2026-01-31 13:00 UTC)" in fixed_line(NOON, [after, run(None)])
    assert "after 1 of 2 runs had begun" in fixed_line(NOON, [after, before])
