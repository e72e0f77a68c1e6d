"""Every module can be imported, and the examples in its docstrings are true."""

import doctest
from importlib import import_module

import pytest

from tests.house.tree import PACKAGE, SRC, module_name, python_files

FILES = [path for path in python_files(PACKAGE) if path.name != "__main__.py"]
EXAMPLES = [module_name(path, SRC) for path in FILES if ">>>" in path.read_text(encoding="utf-8")]
"""A file without the prompt has no example, and doctest would look through all that it defines for nothing."""


def test_every_module_can_be_imported() -> None:
    """Those too that only some commands need."""
    assert all(import_module(name).__name__ == name for name in (module_name(path, SRC) for path in FILES))


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(name: str) -> None:
    """No example fails, and there is one."""
    done = doctest.testmod(import_module(name))
    assert (done.failed, done.attempted > 0) == (0, True)


def test_there_are_examples() -> None:
    """The doors of the package have some."""
    for name in ("capax.rasp.python.embed", "capax.rasp.python.program", "capax.rasp.meaning.sequence"):
        assert doctest.testmod(import_module(name)).attempted >= 3
