"""The export targets: every folder beside this file whose `target.py` defines `TARGET`."""

import pkgutil
from functools import cache
from importlib import import_module
from importlib.util import find_spec

import capax.model.export as folder
from capax.errors import CapaxError, nearest
from capax.model.export.target import Target


@cache
def targets() -> dict[str, Target]:
    """The targets by name, in the order of their names."""
    packages = [f"{folder.__name__}.{info.name}" for info in pkgutil.iter_modules(folder.__path__) if info.ispkg]
    modules = [import_module(f"{name}.target") for name in packages if find_spec(f"{name}.target") is not None]
    return {target.name: target for target in sorted((module.TARGET for module in modules), key=lambda t: t.name)}


def target(name: str) -> Target:
    """The target of a name; a name that names none is an error."""
    known = targets()
    if name not in known:
        near = nearest(name, list(known))
        hint = f"did you mean {near}?" if near else f"known are {', '.join(known)}"
        raise CapaxError("bad-option", f"unknown export target {name!r:.60}", hint=hint)
    return known[name]


def need(extra: str, packages: tuple[str, ...]) -> None:
    """Raises an error that names the extra when one of its packages is not installed."""
    for package in packages:
        if find_spec(package) is None:
            raise CapaxError(
                "missing-extra",
                f"this needs the package {package}, which the extra `{extra}` installs",
                hint=f"pip install 'capax[{extra}]'",
                extra=extra,
            )


def refuse(model: object, target: Target, reason: str) -> CapaxError:
    """The error for a model that a target cannot hold."""
    return CapaxError(
        "not-exportable",
        f"the export to {target.name} cannot hold this model: {reason}",
        hint="the export to torch holds most models" if target.name != "torch" else None,
        target=target.name,
    )
