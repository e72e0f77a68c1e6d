"""The targets there are: every module of this folder that defines `TARGET`."""

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
    modules = [info.name for info in pkgutil.iter_modules(folder.__path__) if not info.ispkg]
    found = [getattr(import_module(f"{folder.__name__}.{name}"), "TARGET", None) for name in modules]
    return {t.name: t for t in sorted((t for t in found if t is not None), key=lambda t: t.name)}


def target(name: str) -> Target:
    """The target of a name; a name that names none is an error."""
    known = targets()
    if name not in known:
        near = nearest(name, list(known))
        hint = f"did you mean {near}?" if near else f"known are {', '.join(known)}"
        raise CapaxError("bad-option", f"there is no export to {name!r:.60}", hint=hint)
    return known[name]


def need(extra: str, packages: tuple[str, ...]) -> None:
    """Raises an error that names the extra when one of its packages is not installed."""
    for package in packages:
        if find_spec(package) is None:
            raise CapaxError(
                "missing-extra",
                f"this needs the package {package}, which the extra `{extra}` brings",
                hint=f"pip install 'capax[{extra}]'",
                extra=extra,
            )


def refuse(model: object, wanted: Target, reason: str) -> CapaxError:
    """The error for a model that a target cannot hold."""
    return CapaxError(
        "not-exportable",
        f"the export to {wanted.name} cannot hold this model: {reason}",
        hint="the export to torch holds most models" if wanted.name != "torch" else None,
        target=wanted.name,
    )
