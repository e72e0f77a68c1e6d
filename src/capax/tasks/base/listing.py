"""A catalogue: packages whose files are one entry each, found by listing the folders."""

import pkgutil
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

from capax.errors import CapaxError, nearest


@cache
def _modules(packages: tuple[ModuleType, ...]) -> dict[str, str]:
    """The dotted names of the packages' files, by entry name; folders and files that start with `_` are left out."""
    return {
        item.name.replace("_", "-"): f"{package.__name__}.{item.name}"
        for package in packages
        for item in pkgutil.iter_modules(package.__path__)
        if not item.ispkg and not item.name.startswith("_")
    }


def listed(*packages: ModuleType) -> tuple[str, ...]:
    """The names of the entries, with dashes for underscores, in order; no entry is imported."""
    return tuple(sorted(_modules(packages)))


def module_of(name: str, *packages: ModuleType) -> ModuleType:
    """The module of an entry that is listed."""
    return import_module(_modules(packages)[name])


def member(name: str, constant: str, *packages: ModuleType) -> Any:
    """The value of `constant` in the file of that name; an unknown name is an error."""
    known = listed(*packages)
    if name not in known:
        near = nearest(str(name), list(known))
        hint = f"did you mean {near}?" if near else f"known are {', '.join(known)}"
        code = "unknown-task" if constant == "TASK" else "unknown-theorem"
        raise CapaxError(code, f"there is no {constant.lower()} called {name!r:.60}", hint=hint, name=name)
    entry = getattr(module_of(name, *packages), constant)
    assert entry.name == name, f"the file of {name} defines {entry.name}"
    return entry
