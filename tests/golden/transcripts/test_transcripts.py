"""`capax repl --classic` prints what the reference printed, byte for byte."""

import subprocess
import sys
from pathlib import Path

import pytest

MAIN = "from capax.app.cli import main; main()"
HERE = Path(__file__).parent
NAMES = sorted(path.stem for path in (HERE / "in").iterdir())


def test_inputs_and_outputs_belong_together() -> None:
    assert sorted(path.stem for path in (HERE / "expected").iterdir()) == NAMES
    assert len(NAMES) >= 7


@pytest.mark.parametrize("name", NAMES)
def test_transcript(name: str) -> None:
    with (HERE / "in" / f"{name}.txt").open("rb") as typed:
        done = subprocess.run(
            [sys.executable, "-c", MAIN, "repl", "--classic"], stdin=typed, capture_output=True, check=True
        )
    assert done.stderr == b""
    assert done.stdout + b"\n" == (HERE / "expected" / f"{name}.txt").read_bytes()
