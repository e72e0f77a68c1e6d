"""Positive results, one per file: statement, construction, check, sizes, and a way to break it.

A folder is a family of theorems. Its file `match_two.py` defines `THEOREM`, whose name is `match-two`; nothing else
registers it. `FAMILY/parts/` has what the theorems of a family are built from. All share `base/` (what a theorem is),
`checks.py` (a model against a task or a language) and `weights/` (weights written by the names of directions).
"""

from functools import cache
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Final

from capax.tasks.base.listing import listed, member, module_of

if TYPE_CHECKING:
    from capax.theorems.base.theorem import Theorem

FAMILIES: Final = ("composition", "languages", "matching", "ngram", "sparse_averaging", "turing")
"""The folders whose files are theorems."""


@cache
def _families() -> tuple[ModuleType, ...]:
    return tuple(import_module(f"{__name__}.{family}") for family in FAMILIES)


def names() -> tuple[str, ...]:
    """The names of all theorems, in order; none of them is imported."""
    return listed(*_families())


def theorem(name: str) -> "Theorem":
    """The theorem of a name."""
    entry: Theorem = member(name, "THEOREM", *_families())
    return entry


def theorem_module(name: str) -> ModuleType:
    """The module that defines the theorem of a name."""
    return module_of(name, *_families())
