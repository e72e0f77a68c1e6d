"""The page of the lab: every sweep with its question, plots, attention and verdict, in one file of HTML."""

import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from capax.draw.ink.palette import DARK, LIGHT, Palette
from capax.draw.ink.style import one_line
from capax.draw.ink.svg import svg
from capax.draw.subjects.heat import heat
from capax.draw.subjects.lab_plot import draw_plot
from capax.draw.subjects.lab_tables import figures, probe_table, settings_table, signs, verdict_table
from capax.draw.view.view import SideBySide
from capax.lab.experiment_verdict import ExperimentVerdict, judge
from capax.lab.fixed_bands import fixed_line
from capax.lab.plots import plot
from capax.lab.stored import StoredRun
from capax.lab.sweep_spec import Spec

NOT_LEARNED = (
    "Runs show what training found with these settings, seeds and numbers of steps. "
    "Failure to learn is not proof of impossibility."
)
TITLE = "Does training find what theory allows?"
SIGNS = {"yes": "✓", "no": "✗", "open": "?"}
PICTURES = 6
"""The most maps that are shown of a sweep."""
PALE = 0.03
"""Weights below this are left white: softmax leaves a little everywhere, and the palest shade would hide the rest."""
Part = tuple[Spec, str, Sequence[StoredRun]]
Judged = tuple[Spec, str, Sequence[StoredRun], ExperimentVerdict]


def lab_report(parts: Sequence[Part]) -> str:
    """The page of sweeps, each given as its spec, its preset and its runs."""
    judged = [(spec, preset, runs, judge(spec.rules, runs, spec.yes, spec.no)) for spec, preset, runs in parts]
    result = _headline([verdict for *_, verdict in judged])
    sections = "".join(_section(*part) for part in judged)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{TITLE} {result}</title><style>{_style()}</style></head><body>{_navigation(judged)}<main>\n"
        f'<h1>{TITLE} <span class="result">{result}</span></h1><p>{escape(NOT_LEARNED)}</p>'
        f"{_contents(judged)}\n{sections}</main></body></html>\n"
    )


def _contents(judged: Sequence[Judged]) -> str:
    """A row for each experiment."""
    rows = "".join(
        f'<tr><td><a href="#{_anchor(spec, preset)}">{escape(spec.title or spec.name)}</a></td>'
        f"<td>{_badge(verdict)}</td><td>{verdict.score}</td><td>{escape(preset)}</td>"
        f"<td>{_done(runs)}</td><td>{_minutes(runs)}</td></tr>"
        for spec, preset, runs, verdict in judged
    )
    names = ("experiment", "verdict", "figures as predicted", "preset", "runs", "CPU minutes")
    head = "".join(f"<th>{name}</th>" for name in names)
    return f'<div class="wide"><table class="contents"><tr>{head}</tr>{rows}</table></div>'


def _headline(verdicts: Sequence[ExperimentVerdict]) -> str:
    """How many experiments came out as predicted, and how many are open."""
    standings = [verdict.standing for verdict in verdicts]
    waiting = f", {standings.count('open')} open" if "open" in standings else ""
    return f"{standings.count('as predicted')} of {len(standings)} as predicted{waiting}"


def _navigation(judged: Sequence[Judged]) -> str:
    """Links to all sections, beside the page where there is room."""
    presets = {preset for _, preset, _, _ in judged}
    links = "".join(
        f'<a href="#{_anchor(spec, preset)}"><span class="{_kind(verdict)}">{SIGNS[_kind(verdict)]}</span> '
        f"{escape(spec.title or spec.name)}{f' ({escape(preset)})' if len(presets) > 1 else ''}</a>"
        for spec, preset, _, verdict in judged
    )
    return f'<nav class="side" aria-label="experiments">{links}</nav>'


def _anchor(spec: Spec, preset: str) -> str:
    return escape("".join(c if c.isalnum() else "-" for c in f"{spec.name}-{preset}"), quote=True)


def _prose(text: str) -> str:
    """A text of a spec as HTML, where `names` between backticks are code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def _style() -> str:
    """The style sheet, light and dark."""
    return one_line("lab.css", light=_variables(LIGHT), dark=_variables(DARK))


def _variables(palette: Palette) -> str:
    return (
        f"--page:{palette.page};--panel:{palette.panel};--line:{palette.line};--text:{palette.text};"
        f"--quiet:{palette.quiet};--accent:{palette.accent};--good:{palette.layers[1]};--bad:{palette.other}"
    )


def _kind(verdict: ExperimentVerdict) -> str:
    return {"as predicted": "yes", "not as predicted": "no", "open": "open"}[verdict.standing]


def _badge(verdict: ExperimentVerdict, more: str = "") -> str:
    return f'<span class="badge {_kind(verdict)}">{verdict.standing}{more}</span>'


def _done(runs: Sequence[StoredRun]) -> str:
    return f"{sum(run.result is not None for run in runs)} of {len(runs)}"


def _minutes(runs: Sequence[StoredRun]) -> str:
    return f"{sum(run.seconds for run in runs) / 60:.1f}"


def _section(spec: Spec, preset: str, runs: Sequence[StoredRun], verdict: ExperimentVerdict) -> str:
    note = spec.note(preset)
    source = f' <span class="quiet">({_prose(spec.source)})</span>' if spec.source else ""
    pictures = "".join(f'<div class="picture">{draw_plot(plot(one, runs))}</div>' for one in spec.plots if _has(runs))
    badge = _badge(verdict, f": {verdict.score}" if verdict.findings else "")
    return (
        f'<section id="{_anchor(spec, preset)}"><h2>{escape(spec.title or spec.name)} {badge}</h2>'
        f'<p class="result">{_prose(verdict.text)}{_missed(verdict)}</p>'
        f"<p><b>Question.</b> {_prose(spec.question)}</p><p><b>Prediction.</b> {_prose(spec.prediction)}{source}</p>"
        f"{verdict_table(verdict.findings)}{_fixed(spec, runs)}{_limits(spec)}"
        f"{pictures}{_attention(runs)}<h3>Figures</h3>{figures(runs, spec.paper(preset))}{probe_table(runs)}"
        f"<h3>Settings</h3><p>Preset {escape(preset)}{f': {_prose(note)}' if note else ''}. {_done(runs)} runs are "
        f"finished, in {_minutes(runs)} CPU minutes. Seeds: {_seeds(runs)}.</p>{_failed(runs)}"
        f"{settings_table(runs)}</section>\n"
    )


def _missed(verdict: ExperimentVerdict) -> str:
    """The first figure that is not as predicted, and how many more there are."""
    lines = [signs(finding.line.removesuffix(": no")) for finding in verdict.findings if finding.holds is False]
    more = f"; and {len(lines) - 1} more" if len(lines) > 1 else ""
    return f' <span class="missed">Missed: {escape(lines[0])}{more}.</span>' if lines else ""


def _fixed(spec: Spec, runs: Sequence[StoredRun]) -> str:
    line = fixed_line(spec.fixed, runs)
    return f'<p class="quiet">{escape(line)}</p>' if line else ""


def _limits(spec: Spec) -> str:
    return f"<p><b>What it does not show.</b> {_prose(spec.shows_not)}</p>" if spec.shows_not else ""


def _has(runs: Sequence[StoredRun]) -> bool:
    return any(run.result is not None for run in runs)


def _seeds(runs: Sequence[StoredRun]) -> str:
    return ", ".join(map(str, sorted({run.settings["seed"] for run in runs})))


def _failed(runs: Sequence[StoredRun]) -> str:
    lines = [
        f"<li>{escape(run.arm)} {run.key}: {escape(run.error)}</li>" for run in runs if run.error and not run.result
    ]
    return f"<p>Failed runs:</p><ul>{''.join(lines)}</ul>" if lines else ""


def _attention(runs: Sequence[StoredRun]) -> str:
    """The program's heads beside the nearest learned ones, for the first finished run of each arm."""
    pictures: list[str] = []
    seen: set[str] = set()
    for run in runs:
        if run.result is None or run.arm in seen:
            continue
        seen.add(run.arm)
        pictures += [_pair(run, head) for head in run.result.get("heads", [])]
    if not pictures:
        return ""
    left = len(pictures) - PICTURES
    more = f'<p class="quiet">{left} more maps are in the file of results.</p>' if left > 0 else ""
    pale = (
        f'<p class="quiet">Weights below {PALE:g} are left white; the differences count them. Rows of marks, § and $, '
        "do not count for the agreement.</p>"
    )
    return f"<h3>Attention beside the program's selectors</h3>{pale}{''.join(pictures[:PICTURES])}{more}"


def _pair(run: StoredRun, head: Mapping[str, Any]) -> str:
    layer, number = head["best"]
    program_map, learned = head["program_map"], head["learned_map"]
    left = heat(_within(program_map), head["word"], name=f"program: {head['name']}")
    right = heat(_within(learned), head["word"], name=f"learned: layer {layer}, head {number}")
    gaps = tuple(
        sum(abs(a - b) for a, b in zip(one, two, strict=True)) / 2
        for one, two in zip(program_map, learned, strict=True)
    )
    title = f"{run.arm or run.settings['task']}, seed {run.settings['seed']}: agreement {head['best_agreement']:.3f}"
    return f'<div class="picture">{svg(SideBySide(title, left, right, gaps), tips=False)}</div>'


def _within(rows: list[list[float]]) -> list[list[float]]:
    """Weights from 0 to 1, which rounding may have left; pale ones are 0."""
    return [[min(1.0, weight) if weight >= PALE else 0.0 for weight in row] for row in rows]
