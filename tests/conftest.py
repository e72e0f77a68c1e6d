"""Settings for every test: how hypothesis searches, and the figures printed at the end of a run.

`default` gives the same examples on every run and on every machine; `make deep` takes `deep`, which searches
longer and elsewhere each time.
"""

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "default", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.register_profile("deep", parent=settings.get_profile("default"), derandomize=False, max_examples=2000)
settings.load_profile("default")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what tests handed to `record_property`: figures that are shown and not judged."""
    for report in terminalreporter.getreports("passed"):
        for name, value in report.user_properties:
            terminalreporter.write_line(f"{name}: {value}")
