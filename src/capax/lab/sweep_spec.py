"""A sweep as a text in TOML: a question, the runs that answer it, and how the verdict follows from them."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import product
from typing import Any

from capax.errors import CapaxError, nearest
from capax.lab.experiment_verdict import PredictionRule, read_rule
from capax.lab.plots import PlotSpec, read_plot
from capax.lab.settings import Settings, settings_of

KEYS = (
    *("name", "title", "question", "prediction", "source", "shows_not", "settings", "arms", "grid", "seeds"),
    *("presets", "plots", "verdict"),
)
PRESET_KEYS = ("settings", "arms", "grid", "seeds", "note")
MOST_RUNS = 20_000


@dataclass(frozen=True, slots=True)
class Member:
    """One run of a sweep: the arm that it belongs to, and its settings."""

    arm: str
    settings: Settings


@dataclass(frozen=True, slots=True)
class Spec:
    """A sweep: what it asks, what is predicted and on whose word, and what its runs cannot show.

    `yes` and `no` say what the verdict is when all rules hold, and when one does not.
    """

    name: str
    title: str
    question: str
    prediction: str
    source: str
    shows_not: str
    presets: Mapping[str, Mapping[str, Any]]
    base: Mapping[str, Any]
    plots: tuple[PlotSpec, ...]
    rules: tuple[PredictionRule, ...]
    yes: str
    no: str
    text: str
    fixed: datetime | None = None
    """When the rules were fixed, if that is written down."""

    def members(self, preset: str) -> tuple[Member, ...]:
        """The runs of a preset: every arm with every point of the grid and every seed."""
        return tuple(_members(self, preset))

    def paper(self, preset: str) -> Mapping[str, float]:
        """The paper's figure for each arm that has one."""
        arms = self.presets[preset].get("arms", self.base.get("arms", ()))
        return {arm["name"]: float(arm["paper"]) for arm in arms if "paper" in arm}

    def note(self, preset: str) -> str:
        """What the preset says of itself, such as the time that it takes."""
        return str(self.presets[preset].get("note", ""))


def read_spec(text: str, file: str) -> Spec:
    """The sweep of a TOML text; everything in it is checked, and every run of every preset is made."""
    try:
        table = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise CapaxError("bad-spec", f"{file} is not TOML: {error}", hint="see docs/reference/lab.md") from None
    _known(table, KEYS, file)
    for key in ("name", "question", "prediction", "settings"):
        if key not in table:
            raise CapaxError("bad-spec", f"{file} has no {key}", hint="see docs/reference/lab.md")
    if table["name"] == "":
        raise CapaxError("bad-spec", f"{file} has an empty name", hint="its results are known by its name")
    presets = _table(table.get("presets", {}), "presets") or {"quick": {}}
    for name, preset in presets.items():
        _known(_table(preset, f"the preset {name}"), PRESET_KEYS, f"the preset {name}")
    verdict = _table(table.get("verdict", {}), "verdict")
    _known(verdict, ("rules", "yes", "no", "fixed"), "verdict")
    spec = Spec(
        _text(table, "name"),
        _text(table, "title"),
        _text(table, "question"),
        _text(table, "prediction"),
        _text(table, "source"),
        _text(table, "shows_not"),
        presets,
        {key: table[key] for key in ("settings", "arms", "grid", "seeds") if key in table},
        tuple(read_plot(plot) for plot in _tables(table.get("plots", []), "plots")),
        tuple(read_rule(rule) for rule in _tables(verdict.get("rules", []), "verdict.rules")),
        _text(verdict, "yes", "As predicted."),
        _text(verdict, "no", "Not as predicted."),
        text,
        _time(verdict.get("fixed")),
    )
    for name in presets:
        spec.members(name)
    return spec


def _members(spec: Spec, preset: str) -> Iterator[Member]:
    if preset not in spec.presets:
        hint = f"the presets of {spec.name} are {', '.join(spec.presets)}"
        raise CapaxError("bad-spec", f"there is no preset {preset!r:.60}", hint=hint)
    chosen = spec.presets[preset]
    shared = merged(_table(spec.base["settings"], "settings"), _table(chosen.get("settings", {}), "settings"))
    grid = _table(chosen.get("grid", spec.base.get("grid", {})), "grid")
    arms = _tables(chosen.get("arms", spec.base.get("arms", [{"name": ""}])), "arms")
    seeds = chosen.get("seeds", spec.base.get("seeds", [0]))
    if not isinstance(seeds, list) or not seeds:
        raise CapaxError("bad-spec", "the seeds are not a list of numbers", hint="seeds = [0, 1, 2]")
    if not arms:
        raise CapaxError("bad-spec", f"the preset {preset} has no arms", hint="[[arms]], or no arms at all for one")
    seen: set[tuple[str, str]] = set()
    for arm in arms:
        name = _text(arm, "name")
        if not isinstance(arm.get("paper", 0), (int, float)):
            raise CapaxError("bad-spec", f"the paper's figure for {name!r:.60} is no number", hint="paper = 0.99")
        own = {key: value for key, value in arm.items() if key not in ("name", "grid", "paper")}
        points = list(_points(merged(grid, _table(arm.get("grid", {}), "grid"))))
        if len(seen) + len(points) * len(seeds) > MOST_RUNS:
            raise CapaxError("bad-spec", f"{spec.name} has more than {MOST_RUNS:,} runs in the preset {preset}")
        if any("seed" in part for part in (shared, own, points[0])):
            raise CapaxError("bad-spec", "the seed of a run is one of the seeds, no setting", hint="seeds = [0, 1, 2]")
        for point, seed in product(points, seeds):
            settings = settings_of(merged(merged(merged(shared, own), point), {"seed": seed}))
            run = (name, settings.key())
            if run not in seen:
                seen.add(run)
                yield Member(name, settings)


def merged(one: Mapping[str, Any], two: Mapping[str, Any]) -> dict[str, object]:
    """Both tables, where those inside them are joined too and the second has the last word."""
    both: dict[str, object] = dict(one)
    for key, value in two.items():
        inner = both.get(key)
        both[key] = merged(inner, value) if isinstance(inner, Mapping) and isinstance(value, Mapping) else value
    return both


def _points(grid: Mapping[str, Any]) -> Iterator[Mapping[str, object]]:
    """Every choice of one value from each list; a table has lists of its own."""
    flat = list(_lists(grid, ()))
    for values in product(*(items for _, items in flat)):
        point: dict[str, object] = {}
        for (path, _), value in zip(flat, values, strict=True):
            inner: Any = point
            for key in path[:-1]:
                inner = inner.setdefault(key, {})
            inner[path[-1]] = value
        yield point


def _lists(grid: Mapping[str, Any], above: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], list[Any]]]:
    for key, value in grid.items():
        if isinstance(value, Mapping):
            yield from _lists(value, (*above, key))
        elif isinstance(value, list) and value:
            yield (*above, key), value
        else:
            name = ".".join((*above, key))
            raise CapaxError("bad-spec", f"the grid has no list of values for {name}", hint=f"{name} = [1, 2]")


def _known(table: Mapping[str, Any], keys: tuple[str, ...], where: str) -> None:
    for key in table:
        if key not in keys:
            near = nearest(key, list(keys))
            hint = f"did you mean {near}?" if near else f"it may have {', '.join(keys)}"
            raise CapaxError("bad-spec", f"{where} has a key {key!r:.60}, which means nothing", hint=hint)


def _text(table: Mapping[str, Any], key: str, default: str = "") -> str:
    value = table.get(key, default)
    if not isinstance(value, str):
        raise CapaxError("bad-spec", f"{key} is not a text", hint=f'{key} = "..."')
    return value.strip()


def _time(value: Any) -> datetime | None:
    if value is None:
        return None
    if isinstance(value, datetime) and value.tzinfo is not None:
        return value
    raise CapaxError("bad-spec", "fixed is not a time with its zone", hint="fixed = 2026-01-31T12:00:00Z")


def _table(value: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise CapaxError("bad-spec", f"{what} is not a table", hint="see docs/reference/lab.md")
    return value


def _tables(value: Any, what: str) -> list[Mapping[str, Any]]:
    if not isinstance(value, list) or not all(isinstance(item, Mapping) for item in value):
        raise CapaxError("bad-spec", f"{what} is not a list of tables", hint=f"[[{what}]]")
    return value
