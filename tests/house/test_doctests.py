"""The examples in the docstrings of every module are true."""

import doctest
from importlib import import_module
from pkgutil import walk_packages

import pytest

import capax

MODULES = ["capax", *(m.name for m in walk_packages(capax.__path__, "capax.") if not m.name.endswith("__main__"))]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    """No example fails."""
    assert doctest.testmod(import_module(name)).failed == 0


def test_there_are_examples() -> None:
    """The doors of the package have some."""
    for name in ("capax.rasp.python.embed", "capax.rasp.python.program", "capax.rasp.meaning.sequence"):
        assert doctest.testmod(import_module(name)).attempted >= 3
