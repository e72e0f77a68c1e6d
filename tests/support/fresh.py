"""Python environments that have a library and what it requires, and nothing else: no capax, no tools of the tests."""

import re
import subprocess
import venv
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def linked(folder: Path, *names: str) -> Path:
    """The Python of a new environment in which distributions of this one, and what they require, are linked."""
    venv.create(folder, with_pip=False)
    (site,) = folder.glob("lib/python*/site-packages")
    for name in closure(names):
        for top in tops(name):
            (site / top.name).symlink_to(top)
    return folder / "bin" / "python"


def installed(folder: Path, *names: str, unpinned: str | None = None) -> Path:
    """The Python of a new environment in which distributions were installed, of the versions that the tests pin.

    The one that is named `unpinned` is there in another version.
    """
    venv.create(folder, with_pip=True)
    pins = (ROOT / "constraints.txt").read_text().splitlines()
    constraints = folder / "constraints.txt"
    constraints.write_text("\n".join(pin for pin in pins if pin.split("==")[0] != unpinned) + "\n")
    python = folder / "bin" / "python"
    pip = [str(python), "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
    subprocess.run([*pip, "-c", str(constraints), *names], check=True)
    return python


def closure(names: tuple[str, ...]) -> set[str]:
    """The distributions with all that they require, extras left out."""
    found: set[str] = set()
    left = list(names)
    while left:
        name = re.sub(r"[-_.]+", "-", left.pop()).lower()
        if name in found:
            continue
        try:
            requires = distribution(name).requires or []
        except PackageNotFoundError:  # for another platform or another Python
            continue
        found.add(name)
        left += [re.split(r"[^\w.-]", want)[0] for want in requires if "extra ==" not in want]
    return found


def tops(name: str) -> set[Path]:
    """The files and folders of a distribution that lie directly in the folder of packages."""
    files = distribution(name).files or []
    first = {file.parts[0] for file in files if file.parts[0] not in ("..", "__pycache__")}
    return {Path(str(distribution(name).locate_file(part))) for part in first}


def run(python: Path, code: str, folder: Path) -> str:
    """What a line of Python prints in an environment of its own, in a folder."""
    command = [str(python), "-I", "-c", f"import sys; sys.path.insert(0, '.'); sys.dont_write_bytecode = True\n{code}"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
