"""Every example runs in an empty folder and prints something."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.tree import ROOT, python_files

EXAMPLES = python_files(ROOT / "examples")


def test_there_are_examples() -> None:
    """So that the next test tests something."""
    assert EXAMPLES


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs(example: Path, tmp_path: Path) -> None:
    """Without warnings or errors."""
    done = subprocess.run(
        [sys.executable, "-W", "error", str(example)], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    assert not done.stderr
