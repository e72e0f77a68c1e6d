"""Which tests run in which process of `-n ... --dist loadgroup`."""

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import LoadGroupScheduling

ROOT = Path(__file__).parents[2]
GROUP = re.compile(r'^pytestmark = pytest\.mark\.xdist_group\("(\w+)"\)', re.M)


@cache
def scope(file: str) -> str:
    """The group that a file of tests names, or else the file itself.

    The group is read from the text of the file: pytest-xdist 3.8 writes it to a field of the test that pytest 9.2 does
    not send to the scheduler.
    """
    path = ROOT / file
    group = GROUP.search(path.read_text(encoding="utf-8")) if path.is_file() else None
    return group[1] if group else file


class FileScheduling(LoadGroupScheduling):
    """The tests of a file, or of all files of an `xdist_group`, run in one process, one after the other.

    So what a file computes once for its tests is computed once, and the scheduler keeps account of some hundred files,
    not of ten thousand tests.
    """

    def __init__(self, config: pytest.Config, log: Any = None) -> None:
        super().__init__(config, log)
        self._numbers: dict[Any, dict[str, int]] = {}

    def _split_scope(self, nodeid: str) -> str:
        """The group of a test, or else its file."""
        return scope(nodeid.split("::")[0])

    def _assign_work_unit(self, node: Any) -> None:
        """The next file for a process; where its tests stand in the list of all is looked up, not searched for."""
        name, tests = self.workqueue.popitem(last=False)
        self.assigned_work.setdefault(node, {})[name] = tests
        if node not in self._numbers:
            self._numbers[node] = {test: number for number, test in enumerate(self.registered_collections[node])}
        node.send_runtest_some([self._numbers[node][test] for test, done in tests.items() if not done])

    def _pending_of(self, workload: dict[str, dict[str, bool]]) -> int:
        """The number of tests that a process has yet to run; files that are done are forgotten, or each test would
        cost as much time as all tests before it."""
        for done in [name for name, tests in workload.items() if all(tests.values())]:
            del workload[done]
        return super()._pending_of(workload)
