"""The picture of a bound: lines over an axis, the stretch in which it speaks, and a legend."""

import math

from capax.draw.shapes.sketch import Sketch
from capax.draw.shapes.text_width import width, wrap
from capax.limits.base.limit import Chart

WIDE, TALL = 560.0, 320.0
NARROW = 270.0
"""How wide the field is for a telephone; the legend is below it then."""
LETTERS, SMALL, TITLE = 12.0, 11.0, 14.0
COLOURS = (1, 2, 3, 5, 0)
"""Lines are told apart by these colours of the palette, and by dashes."""
TICKS = 9
"""About the most marks on an axis."""


def draw_chart(chart: Chart, *, theme: str = "auto", narrow: bool = False) -> str:
    """A chart as an SVG document; a narrow one has no title, and its legend below."""
    sketch = Sketch(chart.title)
    box = _PlotFrame(chart, NARROW if narrow else WIDE)
    sketch.box(0, 0, box.wide, TALL, "well")
    if chart.binds_from is not None and chart.binds_from < box.right:
        left = max(0.0, box.x(chart.binds_from))
        sketch.box(left, 0, box.wide - left, TALL, "shade1", title=chart.binds)
    _axes(sketch, chart, box)
    if chart.here is not None:
        x = box.x(chart.here)
        sketch.line((x, 0), (x, TALL), dashed=True)
        sketch.text(x, -6, "here", SMALL, "quiet")
    for number, line in enumerate(chart.lines):
        points = [(box.x(x), box.y(y)) for x, y in line.points]
        sketch.trail(points, _colour(number), dashed=line.dashed)
    if narrow:
        _notes(sketch, chart, NARROW, _legend(sketch, chart, (0.0, TALL + 66)))
    else:
        _legend(sketch, chart, (WIDE + 18, 8.0))
        _notes(sketch, chart, 4 * WIDE, TALL + 62)
        sketch.text(0, -38, chart.title, TITLE, "title", "start")
    return sketch.svg(theme=theme)


class _PlotFrame:
    """The ends of both axes, and the places of values between them."""

    def __init__(self, chart: Chart, wide: float) -> None:
        self.wide = wide
        xs = [x for line in chart.lines for x, _ in line.points] or [0.0, 1.0]
        ys = [y for line in chart.lines for _, y in line.points] or [0.0, 1.0]
        if chart.here is not None:
            xs += [chart.here - 0.15 if chart.here < min(xs) else chart.here]  # room beside the axis
        self.left, self.right = _apart(min(xs), max(xs))
        low, high = (min(ys), max(ys)) if chart.log_y else (0.0, max(*ys, 0.0))
        self.low, self.high = (
            _apart(low, high) if chart.log_y else (low, 1.0 if 0.5 < high <= 1 else high * 1.05 or 1.0)
        )

    def x(self, value: float) -> float:
        """The place of a value on the axis below."""
        return self.wide * (value - self.left) / (self.right - self.left)

    def y(self, value: float) -> float:
        """The place of a value on the axis at the left."""
        return TALL * (1 - (value - self.low) / (self.high - self.low))


def _apart(low: float, high: float) -> tuple[float, float]:
    """Two ends that are not the same."""
    return (low, high) if high - low > 1e-9 else (low - 0.5, high + 0.5)


def _axes(sketch: Sketch, chart: Chart, box: _PlotFrame) -> None:
    """Marks with their values, and what the axes are."""
    widest, end = 0.0, -math.inf
    for value, text in marks(box.left, box.right, logarithmic=chart.log_x):
        sketch.line((box.x(value), TALL), (box.x(value), TALL + 5))
        half = width(text, SMALL) / 2
        if box.x(value) - half >= end:
            sketch.text(box.x(value), TALL + 19, text, SMALL, "quiet")
            end = box.x(value) + half + 2
    for value, text in marks(box.low, box.high, logarithmic=chart.log_y):
        sketch.line((-5, box.y(value)), (0, box.y(value)))
        sketch.text(-9, box.y(value) + 4, text, SMALL, "quiet", "end")
        widest = max(widest, width(text, SMALL))
    sketch.text(box.wide / 2, TALL + 40, chart.x, LETTERS, "name")
    sketch.text(-9 - widest, -14, chart.y, LETTERS, "name", "start")


def marks(low: float, high: float, *, logarithmic: bool) -> list[tuple[float, str]]:
    """The marks of an axis with their texts; a logarithmic axis is given by logarithms to base 10."""
    span = high - low
    if logarithmic and span >= 2.5:
        step = max(1, math.ceil(span / TICKS))
        return [(float(k), power(k)) for k in range(math.ceil(low - 1e-9), math.floor(high + 1e-9) + 1, step)]
    if logarithmic:
        tens = range(math.floor(low), math.ceil(high) + 1)
        ticks = [
            (k + math.log10(digit), digit * 10.0**k)
            for k in tens
            for digit in ((1, 2, 5) if span > 1 else (1, 2, 3, 5, 7))
        ]
        return [
            (x, f"{value:,.6g}" if value < 1e6 else f"{value:.0e}")
            for x, value in ticks
            if low - 1e-9 <= x <= high + 1e-9
        ]
    raw = span / TICKS
    ten = 10 ** math.floor(math.log10(raw))
    step_ = next(factor * ten for factor in (1, 2, 5, 10) if factor * ten >= raw)
    first = math.ceil(low / step_ - 1e-9)
    count = math.floor(high / step_ + 1e-9)
    return [(k * step_, f"{k * step_:.6g}") for k in range(first, count + 1)]


def _colour(number: int) -> str:
    """The style of a line."""
    return f"wire w{COLOURS[number % len(COLOURS)]}"


def power(exponent: int) -> str:
    """A power of ten, written out while it is short."""
    return f"{10**exponent:,}" if 0 <= exponent <= 5 else f"10^{exponent}"


def _legend(sketch: Sketch, chart: Chart, at: tuple[float, float]) -> float:
    """The lines with their names, one below the other, and where the next would be."""
    x, y = at
    for number, line in enumerate(chart.lines):
        sketch.trail([(x, y), (x + 26, y)], _colour(number), dashed=line.dashed)
        sketch.text(x + 34, y + 4, line.name, SMALL, "name", "start")
        y += 20
    if chart.binds_from is not None:
        sketch.box(x, y - 6, 26, 12, "shade1")
        sketch.text(x + 34, y + 4, chart.binds, SMALL, "name", "start")
        y += 20
    return y + 4


def _notes(sketch: Sketch, chart: Chart, room: float, y: float) -> None:
    """The notes, in lines that have room."""
    for number, line in enumerate(row for note in chart.notes for row in wrap(note, room, SMALL, 4)):
        sketch.text(0, y + 16 * number, line, SMALL, "quiet", "start")
