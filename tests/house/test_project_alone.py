"""The repository speaks of the project alone: no one's machine, no notes to ourselves."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.house.tree import ROOT

# Written in pieces, so that this file passes its own test.
PATHS = "(?<![\\w./~-])/(?:" + "|".join(("work", "root", "farm", "home", "Users")) + ")\\b"
BESIDE = "\\.\\./" + "shared"
NOTES = "\\b(?:" + "|".join(("TO" + "DO", "FIX" + "ME", "X" + "XX", "HA" + "CK")) + ")\\b"
FOREIGN = re.compile("|".join((PATHS, BESIDE, NOTES)))


def project_files(root: Path) -> list[Path]:
    """The files that git tracks, or would track if they were added."""
    done = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    )
    return sorted({root / name for name in done.stdout.split("\0") if name and (root / name).is_file()})


def breaches(files: list[Path]) -> list[str]:
    """Each line of the text files that names a foreign thing; a file that is not text is passed over."""
    found = []
    for path in files:
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:
            continue
        found += [f"{path}:{at}: {hit[0]}" for at, line in enumerate(lines, 1) if (hit := FOREIGN.search(line))]
    return found


def test_the_project_speaks_of_itself_alone() -> None:
    """No file of the project names a foreign thing, and the files are really read."""
    files = project_files(ROOT)
    assert {ROOT / "pyproject.toml", Path(__file__).resolve()} <= set(files)
    assert breaches(files) == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("cd /wo" + "rk/main", 1),
        ("'/ro" + "ot/.cache'", 1),
        ("see ../sha" + "red/facts", 1),
        ("# TO" + "DO: later", 1),
        ("x = 1  # FIX" + "ME", 1),
        ("hard work/root and ./work/ok, at mastodon, hacks", 0),
    ],
)
def test_a_breach_is_seen(tmp_path: Path, text: str, count: int) -> None:
    """Each foreign thing is found, and words that only look like one are not."""
    path = tmp_path / "file.txt"
    path.write_text(f"first line\n{text}\n")
    assert len(breaches([path])) == count
