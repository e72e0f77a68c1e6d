"""The computed part of an experiment's page: everything that follows from its sweep and its stored runs."""

from collections.abc import Mapping, Sequence
from typing import Any

from capax.draw.subjects.lab_tables import LENGTHS, SMALL, arm_decides, digits_of, varied_settings
from capax.lab.experiment_verdict import judge
from capax.lab.fixed_bands import fixed_line
from capax.lab.plain_names import measure_name, setting_name
from capax.lab.seed_spread import spread_of
from capax.lab.settings import describe, settings_of
from capax.lab.stored import StoredRun, measured, setting
from capax.lab.sweep_spec import Spec

END = "<!-- what stands above is computed from the kept runs -->\n"
MEASURES = (
    *("token_accuracy", "longer_token_accuracy", "kl", "error", "agreement"),
    *("longest_agreement", *LENGTHS, "base_rate", "parameters", *SMALL),
)
"""The columns that the figures can have."""
SIGNS = {True: "✓ yes", False: "✗ no", None: "open"}


def page(spec: Spec, file: str, runs: Sequence[StoredRun], full: Sequence[StoredRun] = ()) -> str:
    """The computed part of the page, from the runs of both presets; without runs it says that nothing was run."""
    done = [run for run in runs if run.result is not None]
    parts = [
        f"# {spec.title}",
        f"**Question.** {_line(spec.question)}",
        f"**Prediction.** {_line(spec.prediction)}",
        f"**Source.** {_line(spec.source)}",
        *_settings(spec, file, done),
        *_time(spec, runs, done, full),
        *_verdict(spec, runs, done),
        f"**What it does not show.** {_line(spec.shows_not)}",
        *_figures(done, spec.paper("quick")),
        *_full_figures(spec, full),
    ]
    return "\n\n".join(parts) + f"\n\n{END}"


def _line(text: str) -> str:
    return " ".join(text.split())


def _settings(spec: Spec, file: str, done: Sequence[StoredRun]) -> list[str]:
    """The preset's note, what all runs share and what differs."""
    members = spec.members("quick")
    stand_in = [StoredRun(m.arm, m.settings.key(), m.settings.to_json(), None) for m in members]
    varied = [name.removeprefix("parameters.") for name in varied_settings(stand_in)]
    first = describe(settings_of(stand_in[0].settings))
    own = first.pop("parameters", {})
    shared = {name: value for name, value in (first | own).items() if name not in varied and name != "seed"}
    told = ", ".join(f"`{name} = {value}`" for name, value in shared.items())
    arms = ", ".join(f"*{arm}*" for arm in dict.fromkeys(m.arm for m in members))
    differs = ", ".join(f"`{name}`" for name in varied)
    return [
        f"**Settings.** `experiments/{file}`, preset quick: {spec.note('quick')}. All runs share {told}; "
        f"other settings are the defaults. The arms, which differ in {differs}: {arms}."
    ]


def _time(spec: Spec, runs: Sequence[StoredRun], done: Sequence[StoredRun], full: Sequence[StoredRun]) -> list[str]:
    seeds = ", ".join(map(str, sorted({m.settings.seed for m in spec.members("quick")})))
    started = f"**Seeds and time.** Seeds {seeds}. {_how_many(runs)}"
    return [started, f"**Preset full.** {_capital(spec.note('full'))}. {_how_many(full)}"]


def _how_many(runs: Sequence[StoredRun]) -> str:
    """How many of the runs are done, and the time that they took."""
    seconds = [run.seconds for run in runs if run.result is not None]
    if not seconds:
        return "It was not run."
    minutes = f"{sum(seconds) / 60:.1f} CPU minutes"
    return f"{len(seconds)} of {len(runs)} runs are done, in {minutes} (one thread of a loaded machine)."


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _verdict(spec: Spec, runs: Sequence[StoredRun], done: Sequence[StoredRun]) -> list[str]:
    """The expected band of every figure with what was found, and the verdict."""
    members = [StoredRun(m.arm, m.settings.key(), m.settings.to_json(), None) for m in spec.members("quick")]
    verdict = judge(spec.rules, runs if done else members, spec.yes, spec.no)
    head = "| held? | figure | runs | measured | predicted |\n| --- | --- | --- | --- | --- |"
    lines = "\n".join(
        f"| {SIGNS[one.holds]} | {one.figure} | {one.of} | {one.measured} | {one.predicted} |"
        for one in verdict.findings
    )
    score = f" ({verdict.score} figures)" if done else ""
    fixed = fixed_line(spec.fixed, runs)
    return [
        f"**Expected band, and what was found.**\n\n{head}\n{lines}",
        *([fixed] if fixed else []),
        f"**Verdict: {verdict.standing}{score}.** {verdict.text}",
    ]


def _figures(done: Sequence[StoredRun], paper: Mapping[str, float]) -> list[str]:
    """A row for the runs that differ in their seed alone: the median, and the least and the most; the paper's beside.

    The paper's figures are token accuracies, if the sweep names any.
    """
    if not done:
        return []
    varied = [name for name in varied_settings(done) if not arm_decides(name, done)]
    groups: dict[tuple[Any, ...], list[StoredRun]] = {}
    for run in done:
        groups.setdefault((run.arm, *(setting(run, name) for name in varied)), []).append(run)
    there = [name for name in MEASURES if any(measured(run, name) is not None for run in done)]
    tasks = {run.settings["task"] for run in done}
    head = [
        "arm",
        *(setting_name(name, tasks) for name in varied),
        "runs",
        *(["paper"] if paper else []),
        *map(measure_name, there),
    ]
    rows = [head, ["---"] * len(head)]
    for values, group in groups.items():
        own = [f"{paper[values[0]]:.3f}" if values[0] in paper else ""] if paper else []
        rows.append([*map(str, values), str(len(group)), *own, *(_cell(group, name) for name in there)])
    return ["\n".join("| " + " | ".join(row) + " |" for row in rows)]


def _cell(runs: Sequence[StoredRun], name: str) -> str:
    values = [value for run in runs if (value := measured(run, name)) is not None]
    if not values:
        return ""
    if name == "parameters":
        return ", ".join(f"{value:,.0f}" for value in sorted(set(values)))
    return spread_of(values).render(digits_of(name))


def _full_figures(spec: Spec, runs: Sequence[StoredRun]) -> list[str]:
    """The same table for the runs of the preset full, below a line that says so."""
    rows = _figures([run for run in runs if run.result is not None], spec.paper("full"))
    return ["The runs of preset full:", *rows] if rows else []
