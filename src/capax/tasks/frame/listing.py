"""Finding the members of a package by listing its folder: each file is one member, and folders are none."""

import pkgutil
from importlib import import_module
from types import ModuleType
from typing import Any

from capax.errors import CapaxError, nearest


def listed(package: ModuleType) -> tuple[str, ...]:
    """The names of a package's files, with dashes for underscores, in order; nothing is imported."""
    found = (item.name for item in pkgutil.iter_modules(package.__path__) if not item.ispkg)
    return tuple(sorted(name.replace("_", "-") for name in found))


def member(package: ModuleType, name: str, constant: str) -> Any:
    """The value of `constant` in the file of that name; a name that no file has is an error."""
    known = listed(package)
    if name not in known:
        near = nearest(str(name), list(known))
        what = "task" if constant == "LESSON" else constant.lower()
        hint = f"did you mean {near}?" if near else f"known are {', '.join(known)}"
        raise CapaxError("unknown-theorem", f"there is no {what} called {name!r:.60}", hint=hint, name=name)
    found = getattr(import_module(f"{package.__name__}.{name.replace('-', '_')}"), constant)
    assert found.name == name, f"the file of {name} defines {found.name}"
    return found
