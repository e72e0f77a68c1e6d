"""Finished runs as they are stored, and how to find what they hold."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from capax.errors import CapaxError, nearest
from capax.lab.settings import Settings


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run of a sweep: its arm and settings, and its result (None when it is not finished, or failed)."""

    arm: str
    key: str
    settings: Mapping[str, Any]
    result: Mapping[str, Any] | None
    seconds: float = 0.0
    error: str | None = None
    started_at: float = 0.0
    """When it began, in seconds since 1970; 0 where that is not known."""


def setting(run: StoredRun, name: str) -> Any:
    """A setting of a run by name; `arm` is its arm, `parameters.q` a parameter of its task."""
    if name == "arm":
        return run.arm
    value: Any = run.settings
    for part in name.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def check_settings(names: Iterable[str], where: str) -> None:
    """Raises an error for a name that no run has a setting of: a rule or a plot with it would select no runs."""
    known = ["arm", *(item.name for item in fields(Settings) if item.name != "parameters")]
    for name in names:
        if name not in known and not (name.startswith("parameters.") and len(name) > len("parameters.")):
            near = nearest(name, known)
            hint = f"did you mean {near}?" if near else "arm, a setting, or parameters.NAME"
            raise CapaxError("bad-spec", f"{where} names {name!r:.60}, which is not a setting", hint=hint)


def measured(run: StoredRun, name: str) -> float | None:
    """A measure of a finished run by name, such as `by_length.12.token_accuracy`; None when it has none."""
    value: Any = run.result
    for part in name.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def chosen(runs: Iterable[StoredRun], of: Mapping[str, Any]) -> list[StoredRun]:
    """The runs with these settings; a list of values allows each of them."""
    return [run for run in runs if all(_fits(setting(run, name), value) for name, value in of.items())]


def _fits(value: Any, allowed: Any) -> bool:
    return value in allowed if isinstance(allowed, list) else bool(value == allowed)
