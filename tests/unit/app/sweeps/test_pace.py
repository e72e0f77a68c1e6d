"""The time of a step, from when progress was told."""

import pytest

from capax.app.sweeps.pace import Pace


def test_the_median_of_stretches_without_a_check() -> None:
    """A stretch after a check, which has the check in it, does not count, nor does the one before the first report."""
    pace = Pace()
    for step, clock in ((20, 100.0), (40, 102.0), (60, 104.0), (80, 150.0), (100, 152.0), (120, 155.0)):
        pace.note(step, clock, clock / 2)
    times = pace.to_json(60)
    assert times["step_seconds"] == pytest.approx(0.1)
    assert times["step_cpu_seconds"] == pytest.approx(0.05)


def test_too_few_reports_are_no_time() -> None:
    pace = Pace()
    assert pace.to_json(10) == {"step_seconds": None, "step_cpu_seconds": None}
    pace.note(20, 1.0, 1.0)
    assert pace.to_json(1000)["step_seconds"] is None
