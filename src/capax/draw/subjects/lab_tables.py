"""The tables of the lab's page: figures of groups of runs, and the settings."""

import json
import statistics
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from capax.lab.experiment_verdict import RuleFinding
from capax.lab.plain_names import choice_name, measure_name
from capax.lab.seed_spread import spread_of
from capax.lab.settings import describe, settings_of
from capax.lab.stored import StoredRun, measured

SMALL = ("step_seconds", "step_cpu_seconds", "gradients.start.ratio", "gradients.end.ratio", "gradients.start.norm")
"""Measures that may be far below 1: they are shown with two digits."""
LENGTHS = ("certified", "certified_until", "right_up_to")
"""Measures that are whole numbers, of which there are a few."""
MEASURES = (
    *("token_accuracy", "sequence_accuracy", "longer_token_accuracy", "kl", "error", "base_rate", "best_agreement"),
    *("longest_agreement", *LENGTHS),
    *("parameters", "quantised.enough", *SMALL),
)
"""The columns there can be; one that no run has is left out."""


def figures(runs: Sequence[StoredRun], paper: Mapping[str, float]) -> str:
    """A row for each group of runs that differ in their seed alone: the median, and the least and the most.

    `paper` has the paper's token accuracy of an arm, in a column of its own if there is any.
    """
    groups = _groups(runs)
    there = [name for name in MEASURES if any(measured(run, name) is not None for run in runs)]
    head = "".join(
        f"<th>{escape(measure_name(name))}</th>" for name in ["runs", "seeds", *["paper"][: len(paper)], *there]
    )
    rows = "".join(
        f"<tr><td>{escape(label)}</td><td>{len(group)}</td>{_paper(group, paper)}"
        f"{''.join(_cell(group, name) for name in there)}</tr>"
        for label, group in groups.items()
    )
    return f'<div class="wide"><table><tr>{head}</tr>{rows}</table></div>'


def _paper(group: Sequence[StoredRun], paper: Mapping[str, float]) -> str:
    arm = group[0].arm
    return f"<td>{f'{paper[arm]:.3f}' if arm in paper else ''}</td>" if paper else ""


def verdict_table(findings: Sequence[RuleFinding]) -> str:
    """A row for each predicted figure: whether it came out so, of which runs, what was measured and predicted."""
    if not findings:
        return ""
    head = "".join(f"<th>{name}</th>" for name in ("held?", "figure", "runs", "measured", "predicted"))
    rows = "".join(f"<tr>{_mark(one.holds)}{''.join(_verdict_cells(one))}</tr>" for one in findings)
    return f'<div class="wide"><table class="findings"><tr>{head}</tr>{rows}</table></div>'


def _mark(holds: bool | None) -> str:
    kind, sign, word = {
        True: ("yes", "✓", "yes"),
        False: ("no", "✗", "no"),
        None: ("open", "?", "open"),
    }[holds]
    return f'<td class="{kind}">{sign} {word}</td>'


def _verdict_cells(one: RuleFinding) -> list[str]:
    return [f"<td>{escape(text)}</td>" for text in (one.figure, one.of, one.measured, signs(one.predicted))]


def signs(text: str) -> str:
    """Comparisons as they are printed."""
    return text.replace(">=", "≥").replace("<=", "≤")


def _groups(runs: Sequence[StoredRun]) -> dict[str, list[StoredRun]]:
    """The finished runs that differ in their seed alone, by what tells them from others."""
    groups: dict[str, list[StoredRun]] = {}
    varied = [name for name in varied_settings(runs) if not arm_decides(name, runs)]
    if "max_length" in varied and all(run.settings["min_length"] == run.settings["max_length"] for run in runs):
        varied = [name for name in varied if name != "min_length"]
    for run in runs:
        if run.result is not None:
            groups.setdefault(_label(run, varied), []).append(run)
    return groups


def probe_table(runs: Sequence[StoredRun]) -> str:
    """What linear probes read of the program's values: the mean over seeds, after the embedding and each sublayer.

    A value that is the same everywhere is left out, as there is nothing to read.
    """
    rows = []
    for label, group in _groups(runs).items():
        by_name: dict[str, list[Mapping[str, Any]]] = {}
        for run in group:
            for probe in (run.result or {}).get("probes", []):
                if probe["base"] < 1:
                    by_name.setdefault(probe["name"], []).append(probe)
        for name, several in by_name.items():
            means = [statistics.fmean(part) for part in zip(*(one["layers"] for one in several), strict=True)]
            cells = [f"{statistics.fmean(one['base'] for one in several):.3f}", " ".join(f"{m:.3f}" for m in means)]
            rows.append([label, name, *cells])
    if not rows:
        return ""
    names = ("runs", "value", "commonest value", "read after the embedding and each sublayer")
    head = "".join(f"<th>{name}</th>" for name in names)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    note = '<p class="quiet">That a value can be read does not show that it is used.</p>'
    title = "<h3>Values of the program, by linear probes</h3>"
    return f'{title}<div class="wide"><table><tr>{head}</tr>{body}</table></div>{note}'


def digits_of(name: str) -> str:
    """The format of a measure in tables."""
    return ".2g" if name in SMALL else ".4g" if name in LENGTHS else ".3f"


def _cell(runs: Sequence[StoredRun], name: str) -> str:
    values = [value for run in runs if (value := measured(run, name)) is not None]
    if not values:
        return "<td></td>"
    if name not in LENGTHS and all(value == int(value) for value in values) and max(values) > 1:
        return f"<td>{', '.join(f'{int(value):,}' for value in sorted(set(values)))}</td>"
    digits = digits_of(name)
    spread = spread_of(values)
    low, high = (format(value, digits) for value in (spread.least, spread.most))
    interval = f' <span class="quiet">{low}{" to " if name in SMALL else "-"}{high}</span>' if spread.count > 1 else ""
    return f"<td>{spread.median:{digits}}{interval}</td>"


def varied_settings(runs: Sequence[StoredRun]) -> list[str]:
    """The settings, parameters among them, that differ between runs, besides the seed."""
    flat = [_flat(run) for run in runs]
    names = {name for one in flat for name in one if name != "seed"}
    return [name for name in sorted(names) if len({json.dumps(one.get(name)) for one in flat}) > 1]


def arm_decides(name: str, runs: Sequence[StoredRun]) -> bool:
    """Whether all runs of an arm have one value of a setting, so that the arm's name tells it."""
    seen: dict[str, object] = {}
    return all(seen.setdefault(run.arm, _flat(run).get(name)) == _flat(run).get(name) for run in runs)


def _flat(run: StoredRun) -> dict[str, object]:
    own = {f"parameters.{name}": value for name, value in run.settings["parameters"].items()}
    return {name: value for name, value in run.settings.items() if name != "parameters"} | own


def _label(run: StoredRun, varied: Sequence[str]) -> str:
    flat = _flat(run)
    tasks = {str(flat.get("task", ""))}
    values = ", ".join(choice_name(name, flat[name], tasks) for name in varied if name in flat)
    return f"{run.arm}: {values}" if run.arm and values else run.arm or values or "all runs"


def settings_table(runs: Sequence[StoredRun]) -> str:
    """What all runs share, without the defaults, and the values of what differs."""
    if not runs:
        return ""
    varied = varied_settings(runs)
    shared = {
        name: value
        for name, value in describe(settings_of(runs[0].settings)).items()
        if name not in ("seed", "parameters") and name not in varied
    }
    parameters = {
        name: value for name, value in runs[0].settings["parameters"].items() if f"parameters.{name}" not in varied
    }
    rows = [*shared.items(), *parameters.items()]
    for name in varied:
        flat = [_flat(run) for run in runs]
        values = list(dict.fromkeys(json.dumps(one[name]) for one in flat if name in one))  # tasks have their own
        rows.append((name.removeprefix("parameters."), ", ".join(value.strip('"') or "default" for value in values)))
    body = "".join(f"<tr><td>{escape(str(name))}</td><td>{escape(str(value))}</td></tr>" for name, value in rows)
    return f'<div class="wide"><table>{body}</table></div><p class="quiet">Other settings are the defaults.</p>'
