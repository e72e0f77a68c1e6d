"""One mutant in a process of its own: `python -m tests.mutation.anew FILE` with what `forks` has written."""

import json
import os
import sys
from pathlib import Path

import pytest

from tests.mutation.forks import module_name, source_of
from tests.mutation.swap import load_instead


class Only:
    """A plugin that leaves some tests, in their order."""

    def __init__(self, names: list[str]) -> None:
        self.names = names

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave those tests."""
        by_name = {item.nodeid: item for item in items}
        if set(self.names) <= by_name.keys():
            items[:] = [by_name[name] for name in self.names]


def main(file: str) -> int:
    """0 if all tests pass with the mutant."""
    job = json.loads(Path(file).read_text())
    os.unlink(file)
    load_instead(module_name(job["module"]), str(source_of(job["module"])), job["source"])
    files = sorted({name.split("::")[0] for name in job["tests"]})
    return int(pytest.main([*OPTIONS, "-x", *files], plugins=[Only(job["tests"])]))


OPTIONS = ["-q", "-s", "-p", "no:cacheprovider", "-p", "no:xdist"]

if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
