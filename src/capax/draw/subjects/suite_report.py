"""The page of a suite's scores: methods by levels as a picture, ROC curves, and where each method fails and why."""

import math
from collections.abc import Sequence
from html import escape
from itertools import pairwise
from typing import Final

from capax.draw.ink.palette import DARK, LIGHT, Palette
from capax.draw.ink.style import one_line
from capax.draw.shapes.sketch import Sketch
from capax.draw.shapes.text_width import width
from capax.draw.subjects.chart import draw_chart
from capax.limits.base.limit import Chart, Line
from capax.suite.score.model_scores import EdgeScore
from capax.suite.score.score import LEAST_SHOWN, LOST, SuiteScores

CELL, TALL, LETTERS = 84.0, 30.0, 12.0
FAILS: Final = 0.95
"""A method fails on a model where its area is below this."""
SHOWN: Final = 4
"""How many failures of a method on a level are listed, the worst."""
WHOLE: Final = "td:first-child,.edge{white-space:nowrap}"
"""Names of programs and edges are not broken into lines."""
WHY: Final = {
    "plain": "Attention is hard here: the softmax is saturated, and gradients of queries and keys are 0 or nearly so.",
    "rotated": "As plain, with rounding in all directions; attention is as hard.",
    "soft": "Scores are as small as the answers allow, so that gradients are there.",
    "gelu-norm": "Units are smooth and norms stand before all parts; attention is softer than on plain models.",
    "decoy": "A second program with patterns and features of its own, which the answers do not read.",
    "cancelling": "Pairs of heads write opposite numbers: each matters alone, and both together do not.",
    "backup": "Two heads do the same: when one is ablated the other decides, and nothing is seen.",
    "voting": "Three heads vote: whatever one of them writes, no answer changes.",
    "superposed": "Many letters share few directions.",
    "imitated": "Trained to imitate the program: what is true of it was found by interchange, not written.",
}


def suite_report(scores: SuiteScores) -> str:
    """The page as HTML."""
    tables = "".join(_table(table) for table in scores.tables())
    levels = list(dict.fromkeys(s.level for s in scores.edges))
    picture = f'<div class="picture">{score_picture(scores)}</div>' if levels else ""
    made = dict.fromkeys(s.made_with for s in scores.edges if s.made_with)
    run_with = f"Run with {escape(', '.join(made))}." if made else ""
    sections = "".join(_section(scores, level) for level in levels)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>Scores of a suite</title><style>{_style()}{WHOLE}</style></head><body>{_links(levels)}<main>\n"
        '<h1 id="top">How well are known circuits found?</h1>'
        f"<p>{len(levels)} levels, {len(scores.edges)} scores of edges, "
        f"{len(scores.features)} of features. The area is that under the ROC curve, against the edges that matter for "
        f"words of one length; scores that may be rounding count as 0. {run_with}</p>{picture}\n{tables}{sections}"
        "</main></body></html>\n"
    )


def _style() -> str:
    return one_line("lab.css", light=_variables(LIGHT), dark=_variables(DARK))


def _variables(palette: Palette) -> str:
    return (
        f"--page:{palette.page};--panel:{palette.panel};--line:{palette.line};--text:{palette.text};"
        f"--quiet:{palette.quiet};--accent:{palette.accent};--good:{palette.layers[1]};--bad:{palette.other}"
    )


def _table(rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(cell)}</th>" for cell in rows[0])
    body = "".join("<tr>" + "".join(f"<td>{_cell(cell)}</td>" for cell in row) + "</tr>" for row in rows[1:])
    return f'<div class="wide"><table><tr>{head}</tr>{body}</table></div>\n'


def _cell(text: str) -> str:
    """A cell; one that is set in keeps that, and names of edges stay whole."""
    parts = [f'<span class="edge">{escape(p)}</span>' if "->" in p else escape(p) for p in text.strip().split(", ")]
    return "&emsp;" * text.startswith("  ") + ", ".join(parts)


def _links(levels: Sequence[str]) -> str:
    """Links to the levels, at the side of a wide page."""
    links = "".join(f'<a href="#{escape(level)}">{escape(level)}</a>' for level in levels)
    return f'<nav class="side" aria-label="levels"><a href="#top">all levels</a>{links}</nav>' if levels else ""


def score_picture(scores: SuiteScores) -> str:
    """Methods by levels, the area in each cell; a bar shows how far it is above one half."""
    levels = list(dict.fromkeys(s.level for s in scores.edges))
    methods = list(dict.fromkeys(s.method for s in scores.edges))
    sketch = Sketch("mean area under the ROC curve")
    left = max(width(level, LETTERS) for level in levels) + 14
    for column, method in enumerate(methods):
        sketch.text(left + (column + 0.5) * CELL, -10, method, LETTERS, "name")
    for row, level in enumerate(levels):
        y = row * TALL
        sketch.text(left - 8, y + TALL / 2 + 4, level, LETTERS, "text", "end")
        for column, method in enumerate(methods):
            value, x = scores.mean(method, level), left + column * CELL
            sketch.box(x + 2, y + 2, CELL - 4, TALL - 4, "well", title=f"{method} on {level}: {value:.3f}")
            if not math.isnan(value):
                sketch.box(x + 2, y + TALL - 7, max(0.0, (CELL - 4) * (value - 0.5) * 2), 5, "shade3")
                sketch.text(
                    x + CELL / 2, y + TALL / 2 + 3, f"{value:.3f}", LETTERS, "result" if value > FAILS else "text"
                )
    return sketch.svg()


def _section(scores: SuiteScores, level: str) -> str:
    """What a level is, its ROC curves, and the models on which methods fail."""
    own = [s for s in scores.edges if s.level == level]
    rows = [["program", "method", "area", "lost to", "true edges that other edges hide"]]
    below = []
    for method in dict.fromkeys(s.method for s in own):
        failing = sorted((s for s in own if s.method == method and s.ranking.auroc < FAILS), key=_area)
        below.append(f"{method} on {len(failing)}")
        rows += [
            [s.case, s.method, f"{_area(s):.3f}", lost_to(s), ", ".join(s.missed[:SHOWN])] for s in failing[:SHOWN]
        ]
    models = len({s.case for s in own})
    counts = f"Below {FAILS}: {', '.join(below)} of {models} models; the worst of each method are listed."
    table = _table(rows) + f"<p>{escape(counts)}</p>" if len(rows) > 1 else f"<p>No area is below {FAILS}.</p>"
    why = escape(WHY.get(level, ""))
    picture = f'<div class="picture">{_curves(level, own)}</div>'
    head = f'<section id="{escape(level)}"><h2>{escape(level)}</h2>'
    return f"{head}<p>{why}</p>{picture}{table}</section>\n"


def _area(score: EdgeScore) -> float:
    return score.ranking.auroc


def lost_to(score: EdgeScore) -> str:
    """What the area lacks to 1, by the reason, the greatest first."""
    parts = sorted(((value, LOST[name]) for name, value in score.ranking.lost._asdict().items()), reverse=True)
    return "; ".join(f"{label}: {value:.3f}" for value, label in parts if value >= LEAST_SHOWN)


def _curves(level: str, scores: Sequence[EdgeScore]) -> str:
    """The mean ROC curve of each method on a level."""
    grid = [k / 50 for k in range(51)]
    lines = []
    for method in dict.fromkeys(s.method for s in scores):
        curves = [s.ranking.curve for s in scores if s.method == method and s.ranking.curve]
        points = [(x, sum(_at(curve, x) for curve in curves) / len(curves)) for x in grid] if curves else []
        lines.append(Line(method, tuple(points)))
    chart = Chart(
        f"{level}: mean ROC curve",
        "share of other edges above the bound",
        "share of true edges",
        tuple(lines),
        log_x=False,
    )
    return draw_chart(chart)


def _at(curve: Sequence[tuple[float, float]], x: float) -> float:
    """The height of a curve, linear between its points; where it is steep, its upper end."""
    heights = [
        y1 if x1 == x0 else y0 + (y1 - y0) * (x - x0) / (x1 - x0)
        for (x0, y0), (x1, y1) in pairwise(curve)
        if x0 <= x <= x1
    ]
    return max(heights, default=curve[-1][1])
