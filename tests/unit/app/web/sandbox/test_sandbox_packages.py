"""What can still be imported inside the sandbox."""

import os
import subprocess
import sys
from pathlib import Path

LATE = """
import sys
from capax.app.web.sandbox.request_budget import QUICK
from capax.app.web.sandbox.sandbox import enter
sys.path.append(sys.argv[1])
enter(QUICK, None)
import late_part
print(late_part.VALUE)
try:
    open(sys.argv[2])
except PermissionError as error:
    print(error)
"""


def test_packages_of_a_user_are_loaded_late(tmp_path: Path) -> None:
    """A library may load a part of itself when it is first needed; other files stay closed."""
    packages = tmp_path / "site-packages"
    packages.mkdir()
    (packages / "late_part.py").write_text("VALUE = 7\n")
    (tmp_path / "diary.txt").write_text("mine")
    command = [sys.executable, "-c", LATE, str(packages), str(tmp_path / "diary.txt")]
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.stdout == "7\nfiles cannot be opened here\n", done.stderr
