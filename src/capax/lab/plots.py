"""Plots of stored runs: figures with their spread over seeds, as data; the drawing is done elsewhere."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from capax.errors import CapaxError, nearest
from capax.lab.plain_names import choice_name, is_share, measure_name, setting_name
from capax.lab.seed_spread import spread_of
from capax.lab.stored import StoredRun, check_settings, chosen, measured, setting

KINDS = ("bars", "lines", "lengths", "history")
KEYS = ("kind", "title", "measure", "x", "by", "of", "lines", "log_x", "log_y", "y", "note")


@dataclass(frozen=True, slots=True)
class PlotSpec:
    """What a plot shows: bars for each value of `by`; lines over a setting `x`, over lengths, or over steps.

    `lines` are further ones with a name and points, such as a bound or the paper's figure.
    """

    kind: str
    measure: str
    title: str = ""
    x: str = ""
    by: str = "arm"
    of: Mapping[str, Any] | None = None
    lines: tuple[tuple[str, tuple[tuple[float, float], ...]], ...] = ()
    log_x: bool = False
    log_y: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class Point:
    """The mean of a figure over seeds, its least and its most, and how many runs it is of."""

    x: float
    mean: float
    low: float
    high: float
    count: int


@dataclass(frozen=True, slots=True)
class Series:
    """The points of one line, or of one bar."""

    name: str
    points: tuple[Point, ...]
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class Plot:
    """A plot ready to be drawn: bars when `bars`, else lines. A `share` is between 0 and 1."""

    title: str
    x: str
    y: str
    series: tuple[Series, ...]
    bars: bool = False
    log_x: bool = False
    log_y: bool = False
    note: str = ""
    share: bool = False


def read_plot(table: Mapping[str, Any]) -> PlotSpec:
    """The plot of a table of a spec; one that means nothing is an error."""
    for key in table:
        if key not in KEYS:
            near = nearest(key, list(KEYS))
            hint = f"did you mean {near}?" if near else f"a plot has {', '.join(KEYS)}"
            raise CapaxError("bad-spec", f"a plot has a key {key!r:.60}, which means nothing", hint=hint)
    kind, measure = table.get("kind", "bars"), table.get("measure", "token_accuracy")
    texts = [table.get(key, "") for key in ("title", "x", "by", "note")]
    if kind not in KINDS or not all(isinstance(text, str) for text in (measure, *texts)):
        raise CapaxError("bad-spec", "a plot has a kind and names that are texts", hint=f"kinds are {', '.join(KINDS)}")
    if kind == "lines" and not table.get("x"):
        raise CapaxError("bad-spec", "a plot of lines has no x", hint='x = "layers", or another setting')
    of = table.get("of", {})
    if not isinstance(of, Mapping):
        raise CapaxError("bad-spec", "of of a plot is not a table", hint="of = {layers = 2}")
    check_settings([name for name in (*of, table.get("x"), table.get("by")) if name], "a plot")
    try:
        lines = tuple(
            (str(line["name"]), tuple((float(x), float(y)) for x, y in line["points"]))
            for line in table.get("lines", [])
        )
        if not all(math.isfinite(number) for _, points in lines for point in points for number in point):
            raise ValueError
    except (KeyError, TypeError, ValueError):
        hint = '{name = "bound", points = [[1, 0.5], [2, 0.4]]}'
        raise CapaxError(
            "bad-spec", "a line of a plot has a name and points, which are finite numbers", hint=hint
        ) from None
    return PlotSpec(
        kind,
        measure,
        table.get("title", ""),
        table.get("x", ""),
        table.get("by", "arm"),
        of,
        lines,
        bool(table.get("log_x", False)),
        bool(table.get("log_y", False)),
        table.get("note", ""),
    )


def plot(spec: PlotSpec, runs: Sequence[StoredRun]) -> Plot:
    """The plot of a spec over the runs that are finished."""
    there = [run for run in chosen(runs, spec.of or {}) if run.result is not None]
    tasks = {run.settings.get("task", "") for run in there}
    groups: dict[str, list[StoredRun]] = {}
    for run in there:
        groups.setdefault(_name(spec.by, setting(run, spec.by), tasks), []).append(run)
    series = [Series(name, _points(spec, group)) for name, group in groups.items()]
    more = [Series(name, tuple(Point(x, y, y, y, 0) for x, y in points), True) for name, points in spec.lines]
    x = {"bars": spec.by, "lines": spec.x, "lengths": "length of the word", "history": "steps"}[spec.kind]
    x, y = setting_name(x, tasks), measure_name(spec.measure)
    shown_series = tuple(one for one in (*series, *more) if one.points)
    share = is_share(spec.measure)
    return Plot(
        spec.title or f"{y} by {x}", x, y, shown_series, spec.kind == "bars", spec.log_x, spec.log_y, spec.note, share
    )


def _name(by: str, value: Any, tasks: Collection[str]) -> str:
    return "all runs" if value in ("", None) else choice_name(by, value, tasks)


def _points(spec: PlotSpec, runs: Sequence[StoredRun]) -> tuple[Point, ...]:
    pairs: list[tuple[float, float]] = []
    for run in runs:
        assert run.result is not None
        if spec.kind == "lengths":
            parts = run.result.get("by_length", {})
            pairs += [(float(n), part[spec.measure]) for n, part in parts.items() if spec.measure in part]
        elif spec.kind == "history":
            pairs += [(check["step"], check[spec.measure]) for check in run.result["history"] if spec.measure in check]
        else:
            y, x = measured(run, spec.measure), setting(run, spec.x) if spec.x else 0
            if y is not None and isinstance(x, (int, float)):
                pairs.append((float(x), y))
    return tuple(_gathered(pairs))


def _gathered(pairs: list[tuple[float, float]]) -> list[Point]:
    by_x: dict[float, list[float]] = {}
    for x, y in pairs:
        by_x.setdefault(x, []).append(y)
    spreads = [(x, spread_of(ys)) for x, ys in sorted(by_x.items())]
    return [Point(x, one.median, one.least, one.most, one.count) for x, one in spreads]
