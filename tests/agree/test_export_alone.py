"""Exports in an environment that has the target's library alone: they load, run and answer as the model does."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from capax.app.export_command import export
from capax.model.export.registry import targets
from tests.exported import model
from tests.fresh import installed, linked, run

NAMES = ("reverse", "sort", "dyck2", "causal induction")
CODE = {
    "torch": "from model import load",
    "onnx": "from run import load",
}
"""How the page of an export says that it is loaded."""
LIBRARIES = {"torch": ("torch",), "onnx": ("onnxruntime", "numpy")}


def ask(to: str, words: list[str]) -> str:
    """Lines that print the answers, and that capax is not there."""
    return f"""
import json
from importlib.util import find_spec
assert find_spec("capax") is None and find_spec("pytest") is None
{CODE[to]}
print(json.dumps(load(".").batch({words!r})))
"""


def alone(to: str, tmp_path: Path, make: Callable[..., Path]) -> None:
    """Exports every model, and asks it in an environment made for it."""
    python = make(tmp_path / "env", *LIBRARIES[to])
    for name in NAMES:
        before = model(name)
        tokens = before.facts["domain"]["alphabet"]
        words = ["".join(tokens[(3 * i + n) % len(tokens)] for i in range(n)) for n in (1, 3, 8, 5)]
        export(before, str(tmp_path / name), targets()[to], words=20)
        assert json.loads(run(python, ask(to, words), tmp_path / name)) == before.batch(words)


@pytest.mark.parametrize("to", LIBRARIES)
def test_with_the_library_alone(to: str, tmp_path: Path) -> None:
    """The library of this environment, linked into an empty one."""
    alone(to, tmp_path, linked)


@pytest.mark.deep
@pytest.mark.parametrize("to", LIBRARIES)
def test_with_the_library_installed(to: str, tmp_path: Path) -> None:
    """The library as it is installed."""
    alone(to, tmp_path, installed)
