"""Settings for every test: how hypothesis searches, and the figures printed at the end of a run.

`default` gives the same examples on every run and on every machine; `make deep` takes `deep`, which searches
longer and elsewhere each time.

Ten thousand tests and the libraries that they load are a million objects that stay. The garbage collector leaves them
alone: it is off while tests are collected, and then they are frozen. What a test makes is collected as always.

Hypothesis does not seed numpy's global generator: nothing uses it, which `ruff` sees to (NPY002).

Matrix products take one thread, as in the commands of capax (`app/process/main.py`): the matrices of tests are small,
and threads that wait for each other take several times the processor time of the product.
"""

import gc
import os
from random import Random
from typing import Any

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import HealthCheck, settings
from hypothesis.internal import entropy

for _threads in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_threads, "1")  # numpy reads it when it is loaded, so it is for the processes of `-n`

settings.register_profile(
    "default", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.register_profile("deep", parent=settings.get_profile("default"), derandomize=False, max_examples=2000)
settings.load_profile("default")
entropy.NP_RANDOM = Random(0)  # in place of numpy's: seeding that and putting it back takes 0.1 ms for each example
gc.disable()


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Starts the garbage collector, without what was loaded up to here."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """In a process of `-n`, a test sends what it does, and its set-up and end only if they fail or take long.

    Packing, sending and reading three reports for each of ten thousand tests takes more time than most tests do.
    """
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed or report.duration > 0.005:
            item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """With `--dist loadgroup`, the tests of a file stay together."""
    if config.getvalue("dist") != "loadgroup":
        return None
    from tests.support.scheduler import FileScheduling

    return FileScheduling(config, log)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what tests handed to `record_property`: figures that are shown and not judged."""
    for report in terminalreporter.getreports("passed"):
        for name, value in report.user_properties:
            terminalreporter.write_line(f"{name}: {value}")
