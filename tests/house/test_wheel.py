"""The built wheel holds the whole package, and works when it is installed alone."""

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.house.tree import PACKAGE, SRC

PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
MUST_HAVE = {
    "capax/rasp/text/grammar.lark",
    "capax/py.typed",
    "capax/app/cli.py",
    "capax/app/web/static/js/app.js",
    "capax/atlas/data/papers.bib",
    "capax/source_statements/data/001.toml",
    "capax/draw/ink/static/picture.css",
}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the work tree with the build tools at hand."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [
        *PIP,
        "wheel",
        "--no-deps",
        "--no-index",
        "--no-build-isolation",
        "-w",
        str(folder),
        str(SRC.parent),
    ]
    done = subprocess.run(build, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (built,) = folder.glob("capax-*.whl")
    return built


def test_the_wheel_holds_the_package(wheel: Path) -> None:
    """Every file of the package is in the wheel, grammar and library among them, and nothing else is."""
    held = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    kept = {
        path.relative_to(SRC).as_posix()
        for path in PACKAGE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert held == kept
    assert held >= MUST_HAVE
    assert any(name.startswith("capax/rasp/library/") and name.endswith(".rasp") for name in held)


def test_the_wheel_works_alone(wheel: Path, tmp_path: Path) -> None:
    """Installed in a folder of its own, far from the sources, the command runs a library program."""
    site, empty = tmp_path / "site", tmp_path / "empty"
    empty.mkdir()
    subprocess.run([*PIP, "install", "--no-deps", "--no-index", "--target", str(site), str(wheel)], check=True)
    environment = {**os.environ, "PYTHONPATH": str(site), "PYTHONWARNINGS": "error"}

    def run(*arguments: str) -> str:
        done = subprocess.run([sys.executable, *arguments], cwd=empty, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert Path(run("-c", "import capax; print(capax.__file__)").strip()).is_relative_to(site)
    printed = run(str(site / "bin" / "capax"), "run", "reverse", "hello")
    assert re.search(r"\bo\W+l\W+l\W+e\W+h\b", printed), printed
    assert list(empty.iterdir()) == []
