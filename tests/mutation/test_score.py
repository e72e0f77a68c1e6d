"""Every part of the trust core has its least score."""

import subprocess
import sys

import pytest

from tests.house.tree import ROOT


@pytest.mark.deep
def test_the_trust_core_has_its_score() -> None:
    """As `make mutants` says: at least 95 % of the mutants that are not equivalent are killed, in each part."""
    pytest.importorskip("cosmic_ray", reason="install the extra `mutation`")
    done = subprocess.run(
        [sys.executable, "-m", "tests.mutation"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    print(done.stdout, done.stderr)
    assert done.returncode == 0, done.stdout[-4000:]
