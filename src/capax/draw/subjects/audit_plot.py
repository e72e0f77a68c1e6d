"""The plot of an audit: for each length the least margin seen, coloured by the verdict, and the proved bound."""

from typing import Final

from capax.auditor.verdict import Audit, AuditedLength, Outcome, answer_json, word_text
from capax.draw.shapes.sketch import Sketch
from capax.draw.shapes.text_width import width
from capax.draw.subjects.chart import LETTERS, SMALL, TALL, TITLE, marks

WIDE: Final = 560.0
NARROW: Final = 250.0
"""How wide the field is for a telephone; the legend is below it then."""
COLOURS: Final[dict[Outcome, int]] = {"proved": 1, "wrong": 5, "unknown": 2}
"""The colour of the palette for each verdict."""
SHORT: Final = 13
"""Characters of a specification's name over a narrow plot."""
BELOW: Final = 1.5
"""Bounds that are lower than this share of the greatest margin below zero are not drawn: they say nothing."""


def draw_audit(audit: Audit, *, theme: str = "auto", narrow: bool = False) -> str:
    """An audit as an SVG document: a mark for each length, a dashed line of bounds, and a legend."""
    sketch = Sketch(f"Margins against {audit.question.spec.name}")
    scale = _MarginScale(audit, NARROW if narrow else WIDE)
    sketch.box(0, 0, scale.wide, TALL, "well")
    _axes(sketch, scale)
    sketch.line((0, scale.y(0)), (scale.wide, scale.y(0)))
    for run in _bound_runs(audit, scale.low):
        sketch.trail([(scale.x(v.length), scale.y(_number(v.bound))) for v in run], "wire w3", dashed=True)
    for verdict in audit.lengths:
        if verdict.margin is not None and verdict.outcome in COLOURS:
            style = f"bar layer{COLOURS[verdict.outcome]}"
            y = scale.y(max(verdict.margin, scale.low))
            sketch.circle(scale.x(verdict.length), y, 3.6, style, _title(verdict))
    _legend(sketch, audit, (0.0, TALL + 66) if narrow else (WIDE + 18, 8.0))
    name = audit.question.spec.name
    short = name if len(name) <= SHORT else f"{name[: SHORT - 1]}…"
    sketch.text(0, -38, f"against {short}" if narrow else f"Margins against {name:.50}", TITLE, "title", "start")
    return sketch.svg(theme=theme)


class _MarginScale:
    """The ends of both axes."""

    def __init__(self, audit: Audit, wide: float) -> None:
        self.wide = wide
        lengths = [v.length for v in audit.lengths]
        seen = [v.margin for v in audit.lengths if v.margin is not None and abs(v.margin) < 1e9] or [1.0]
        size = max(map(abs, seen))
        bounds = [v.bound for v in audit.lengths if v.bound is not None and v.bound > -BELOW * size]
        self.left, self.right = min(lengths) - 0.5, max(lengths) + 0.5
        self.low = min(*seen, *bounds, 0.0)
        self.low = self.low * 1.05
        self.high = max(*seen, *bounds, 0.0) * 1.05 or 1.0

    def x(self, length: float) -> float:
        """Where a length is on the axis below."""
        return self.wide * (length - self.left) / (self.right - self.left)

    def y(self, margin: float) -> float:
        """Where a margin is on the axis at the left."""
        return TALL * (1 - (margin - self.low) / (self.high - self.low))


def _number(value: float | None) -> float:
    assert value is not None
    return value


def _bound_runs(audit: Audit, low: float) -> list[list[AuditedLength]]:
    """The stretches of lengths that have a bound which is not too low to be drawn."""
    runs: list[list[AuditedLength]] = [[]]
    for verdict in audit.lengths:
        if verdict.bound is not None and verdict.bound >= low:
            runs[-1].append(verdict)
        elif runs[-1]:
            runs.append([])
    return [run for run in runs if run]


def _axes(sketch: Sketch, scale: _MarginScale) -> None:
    widest = 0.0
    for value, text in marks(scale.left, scale.right, logarithmic=False):
        if value == round(value):
            sketch.line((scale.x(value), TALL), (scale.x(value), TALL + 5))
            sketch.text(scale.x(value), TALL + 19, text, SMALL, "quiet")
    for value, text in marks(scale.low, scale.high, logarithmic=False):
        sketch.line((-5, scale.y(value)), (0, scale.y(value)))
        sketch.text(-9, scale.y(value) + 4, text, SMALL, "quiet", "end")
        widest = max(widest, width(text, SMALL))
    sketch.text(scale.wide / 2, TALL + 40, "length of the word", LETTERS, "name")
    sketch.text(-9 - widest, -14, "margin of the right answer", LETTERS, "name", "start")


def _title(verdict: AuditedLength) -> str:
    """What a mark says when the pointer is on it."""
    text = f"length {verdict.length}: {verdict.outcome}, least margin {verdict.margin:.3g}"
    if verdict.counterexample is not None:
        wrong = verdict.counterexample
        return f"{text}; {word_text(wrong.word)}: {answer_json(wrong.answer)} instead of {answer_json(wrong.expected)}"
    return text if verdict.word is None else f"{text}, at {word_text(verdict.word)}"


def _legend(sketch: Sketch, audit: Audit, at: tuple[float, float]) -> None:
    x, y = at
    for outcome, colour in COLOURS.items():
        many = len(audit.with_outcome(outcome))
        if many:
            sketch.circle(x + 13, y, 3.6, f"bar layer{colour}", outcome)
            sketch.text(x + 34, y + 4, f"{outcome}: {many} length{'s' * (many != 1)}", SMALL, "name", "start")
            y += 20
    if any(verdict.bound is not None for verdict in audit.lengths):
        sketch.trail([(x, y), (x + 26, y)], "wire w3", dashed=True)
        sketch.text(x + 34, y + 4, "proved bound", SMALL, "name", "start")
