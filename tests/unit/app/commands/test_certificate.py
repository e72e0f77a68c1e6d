"""`capax certificate`: what it writes and says, and what it refuses."""

import json
from pathlib import Path

import pytest

from tests.support.coq_models import REVERSE, compiled
from tests.unit.app.outcome import Capax

FILE = "reverse.safetensors"


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A model file in the working folder of the command."""
    compiled(REVERSE, "ab", 5).save(tmp_path / FILE)
    return tmp_path


def test_certificate_is_written_and_explained(capax: Capax, saved: Path) -> None:
    """The theorem in words, the method, and the command that checks it."""
    done = capax("certificate", FILE, "--coq", "-o", "reverse.v")
    assert done.code == 0
    assert "for every word of 1 to 5 of 2 tokens" in done.out
    assert "coqc -Q proofs Capax reverse.v" in done.out
    assert (saved / "reverse.v").read_text().startswith("(* Written by `capax certificate --coq`.")


def test_certificate_as_data(capax: Capax, saved: Path) -> None:
    """With the method that was asked for."""
    done = capax("certificate", FILE, "--coq", "--by", "words", "-o", "reverse.v", "--json")
    data = json.loads(done.out)
    assert (data["tokens"], data["length"], data["method"]) == (2, 5, "all 62 words, one by one")
    assert (saved / "reverse.v").exists()


@pytest.mark.usefixtures("saved")
@pytest.mark.parametrize(
    "options", [["-o", "reverse.v"], ["--coq", "-o", "reverse.txt"], ["--coq", "--by", "luck", "-o", "reverse.v"]]
)
def test_wrong_options_are_refused(capax: Capax, options: list[str]) -> None:
    """Without --coq, with another ending, by another method."""
    done = capax("certificate", FILE, *options)
    assert (done.code, done.out) == (2, "")
    assert "error[bad-option]" in done.err
