"""`capax repl --classic` prints what the reference printed, byte for byte."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.fork_server import folder_of_capax

pytestmark = pytest.mark.xdist_group("libraries")  # one process loads transformers and the like

MAIN = "from capax.app.cli import main; main()"
HERE = Path(__file__).parent
NAMES = sorted(path.stem for path in (HERE / "in").iterdir())


def test_inputs_and_outputs_belong_together() -> None:
    assert sorted(path.stem for path in (HERE / "expected").iterdir()) == NAMES
    assert len(NAMES) >= 7


def held(name: str, *command: str) -> bool:
    """Whether a command prints a transcript, and nothing else."""
    with (HERE / "in" / f"{name}.txt").open("rb") as typed:
        done = subprocess.run([*command, "repl", "--classic"], stdin=typed, capture_output=True, check=True)
    assert done.stderr == b""
    return done.stdout + b"\n" == (HERE / "expected" / f"{name}.txt").read_bytes()


@pytest.mark.parametrize("name", NAMES)
def test_transcript(name: str) -> None:
    assert held(name, str(folder_of_capax() / "capax"))


def test_a_transcript_in_a_process_of_its_own() -> None:
    assert held(NAMES[-1], sys.executable, "-c", MAIN)
