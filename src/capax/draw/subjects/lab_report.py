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
from capax.draw.subjects.lab_tables import figures, probe_table, settings_table
from capax.draw.view.view import SideBySide
from capax.lab.experiment_verdict import ExperimentVerdict, judge
from capax.lab.plots import plot
from capax.lab.spec import Spec
from capax.lab.stored import StoredRun

NOT_LEARNED = (
    "Runs show what was learned with these settings and seeds, in this many steps. What was not learned here may be "
    "learned otherwise: not learned never means cannot."
)
PICTURES = 6
"""The most maps that are shown of a sweep."""
PALE = 0.03
"""Weights below this are left white: softmax leaves a little everywhere, and the palest shade would hide the rest."""
Part = tuple[Spec, str, Sequence[StoredRun]]


def lab_report(parts: Sequence[Part]) -> str:
    """The page of sweeps, each given as its spec, its preset and its runs."""
    judged = [(spec, preset, runs, judge(spec.rules, runs, spec.yes, spec.no)) for spec, preset, runs in parts]
    rows = "".join(
        f'<tr><td><a href="#{_anchor(spec, preset)}">{escape(spec.title or spec.name)}</a></td>'
        f"<td>{escape(preset)}</td><td>{_badge(verdict)}</td><td>{_done(runs)}</td><td>{_minutes(runs)}</td></tr>"
        for spec, preset, runs, verdict in judged
    )
    head = "<tr><th>experiment</th><th>preset</th><th>verdict</th><th>runs</th><th>CPU minutes</th></tr>"
    sections = "".join(_section(*part) for part in judged)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>Is what is possible also learned?</title><style>{_style()}</style></head><body><main>\n"
        f"<h1>Is what is possible also learned?</h1><p>{escape(NOT_LEARNED)}</p>"
        f'<div class="wide"><table class="contents">{head}{rows}</table></div>\n{sections}</main></body></html>\n'
    )


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


def _badge(verdict: ExperimentVerdict) -> str:
    kind = {"as predicted": "yes", "not as predicted": "no", "open": "open"}[verdict.standing]
    return f'<span class="badge {kind}">{verdict.standing}</span>'


def _done(runs: Sequence[StoredRun]) -> str:
    return f"{sum(run.result is not None for run in runs)} of {len(runs)}"


def _minutes(runs: Sequence[StoredRun]) -> str:
    return f"{sum(run.seconds for run in runs) / 60:.1f}"


def _section(spec: Spec, preset: str, runs: Sequence[StoredRun], verdict: ExperimentVerdict) -> str:
    note = spec.note(preset)
    findings = "".join(
        f'<li class="{ {True: "yes", False: "no", None: "open"}[finding.holds] }">{escape(finding.line)}</li>'
        for finding in verdict.findings
    )
    source = f' <span class="quiet">({_prose(spec.source)})</span>' if spec.source else ""
    pictures = "".join(f'<div class="picture">{draw_plot(plot(one, runs))}</div>' for one in spec.plots if _has(runs))
    return (
        f'<section id="{_anchor(spec, preset)}"><h2>{escape(spec.title or spec.name)}</h2>'
        f"<p><b>Question.</b> {_prose(spec.question)}</p><p><b>Prediction.</b> {_prose(spec.prediction)}{source}</p>"
        f"<p><b>Verdict.</b> {_badge(verdict)} {escape(verdict.text)}</p><ul>{findings}</ul>"
        f"<p><b>What it does not show.</b> {_prose(spec.shows_not)} {escape(NOT_LEARNED)}</p>"
        f"{pictures}{_attention(runs)}<h3>Figures</h3>{figures(runs)}{probe_table(runs)}<h3>Settings</h3>"
        f"<p>Preset {escape(preset)}{f': {escape(note)}' if note else ''}. {_done(runs)} runs are finished, in "
        f"{_minutes(runs)} CPU minutes. Seeds: {_seeds(runs)}.</p>{_failed(runs)}{settings_table(runs)}</section>\n"
    )


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
