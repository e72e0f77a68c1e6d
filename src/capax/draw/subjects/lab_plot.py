"""Plots of the lab: bars and lines with their spread over seeds."""

import math
from collections.abc import Sequence

from capax.draw.shapes.sketch import Sketch
from capax.draw.shapes.text_width import width
from capax.draw.subjects.chart import COLOURS, LETTERS, SMALL, TALL, TITLE, marks
from capax.lab.plots import Plot, Series

WIDE = 560.0
ROOM = 0.04
"""The share of the height that stays free beside the highest and the lowest value: no line runs along the frame."""
NEAR = 2.0
"""Lines that are no further apart than this many units hide each other."""
CAP = 4.0
"""Half the width of the end of an error bar."""


def draw_plot(plot: Plot, *, theme: str = "auto") -> str:
    """A plot as an SVG document. Marks are means; a bar through each goes from the least seed to the most."""
    sketch = Sketch(plot.title)
    sketch.box(0, 0, WIDE, TALL, "well")
    scale = _Scale(plot)
    _left_axis(sketch, plot, scale)
    if plot.bars:
        _bars(sketch, plot, scale)
    else:
        _lines(sketch, plot, scale)
    sketch.text(0, -38, plot.title, TITLE, "title", "start")
    notes = [plot.note] if plot.note else []
    if any(point.count > 1 for one in plot.series for point in one.points):
        notes.append("error bars: min to max over seeds")
    y = _legend(sketch, plot)
    for number, row in enumerate(row for note in notes for row in _rows(note, WIDE)):
        sketch.text(0, y + 4 + 16 * number, row, SMALL, "quiet", "start")
    return sketch.svg(theme=theme)


def _legend(sketch: Sketch, plot: Plot) -> float:
    """The lines with their names, below the axis, where they take no room from the plot; the place of what follows."""
    y = TALL + 64.0
    listed = [one for one in plot.series if one.dashed or not plot.bars]
    for number, one in enumerate(listed):
        sketch.trail([(0, y), (26, y)], f"wire w{_colour(number)}", dashed=one.dashed)
        for row in _rows(one.name, WIDE - 34):
            sketch.text(34, y + 4, row, SMALL, "name", "start")
            y += 18
    return y + 2 if listed else y


class _Scale:
    """The ends of both axes; values on a logarithmic one are logarithms to base 10."""

    def __init__(self, plot: Plot) -> None:
        points = [point for one in plot.series for point in one.points]
        self.log_x = plot.log_x and all(point.x > 0 for point in points)
        self.log_y = plot.log_y and all(point.low > 0 for point in points)
        xs = [self._x(point.x) for point in points] or [0.0, 1.0]
        ys = [self._y(value) for point in points for value in (point.low, point.high)] or [0.0, 1.0]
        self.left, self.right = _apart(min(xs), max(xs))
        if self.log_y:
            self.low, self.high = _apart(min(ys), max(ys))
        else:
            top = max(*ys, 0.0)
            self.low = min(*ys, 0.0)
            self.high = 1.0 if plot.share and 0.2 < top <= 1 else top or 1.0
        room = ROOM * (self.high - self.low)
        self.high += room
        if not plot.bars or self.low < 0:
            self.low -= room

    def _x(self, value: float) -> float:
        return math.log10(value) if self.log_x else value

    def _y(self, value: float) -> float:
        return math.log10(value) if self.log_y else value

    def x(self, value: float) -> float:
        """The place of a value on the axis below."""
        return 12 + (WIDE - 24) * (self._x(value) - self.left) / (self.right - self.left)

    def y(self, value: float) -> float:
        """The place of a value on the axis at the left."""
        return TALL * (1 - (self._y(value) - self.low) / (self.high - self.low))


def _apart(low: float, high: float) -> tuple[float, float]:
    return (low, high) if high - low > 1e-9 else (low - 0.5, high + 0.5)


def _left_axis(sketch: Sketch, plot: Plot, scale: _Scale) -> None:
    widest = 0.0
    for value, text in marks(scale.low, scale.high, logarithmic=scale.log_y):
        y = TALL * (1 - (value - scale.low) / (scale.high - scale.low))
        sketch.line((-5, y), (0, y))
        sketch.text(-9, y + 4, text, SMALL, "quiet", "end")
        widest = max(widest, width(text, SMALL))
    sketch.text(-9 - widest, -14, _axis(plot.y, scale.log_y), LETTERS, "name", "start")


def _axis(name: str, logarithmic: bool) -> str:
    """What stands at an axis."""
    return f"{name} (log scale)" if logarithmic else name


def _colour(number: int) -> int:
    return COLOURS[number % len(COLOURS)]


def _bars(sketch: Sketch, plot: Plot, scale: _Scale) -> None:
    """A bar for each series with its mean, and dashed lines right across for what has no runs."""
    solid = [one for one in plot.series if not one.dashed]
    step = WIDE / max(1, len(solid))
    wide = min(56.0, step * 0.6)
    for number, one in enumerate(solid):
        middle = step * (number + 0.5)
        for point in one.points[:1]:
            top, base = scale.y(point.mean), scale.y(0) if not scale.log_y else TALL
            title = f"{one.name}: {point.mean:.4g} ({point.low:.4g} to {point.high:.4g}, {point.count} runs)"
            sketch.box(middle - wide / 2, min(top, base), wide, abs(base - top), "shade4", title=title)
            _spread(sketch, middle, scale.y(point.low), scale.y(point.high), point.count, "wire")
            sketch.text(middle, min(top, scale.y(point.high)) - 6, f"{point.mean:.3g}", SMALL, "quiet")
        for row, part in enumerate(_wrapped(one.name, step)):
            sketch.text(middle, TALL + 19 + 14 * row, part, SMALL, "name")
    for number, one in enumerate(line for line in plot.series if line.dashed):
        height = scale.y(one.points[0].mean)
        sketch.trail([(0, height), (WIDE, height)], f"wire w{_colour(number)}", dashed=True)


def _rows(text: str, room: float) -> list[str]:
    """A text in lines that are no wider than the room, unless a word is."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and width(longer, SMALL) > room:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def _wrapped(text: str, room: float) -> list[str]:
    """A name in lines that have room beside others, three at most."""
    lines = _rows(text, room - 4)
    return [*lines[:2], " ".join(lines[2:])] if len(lines) > 3 else lines


def _spread(sketch: Sketch, x: float, low: float, high: float, count: int, style: str) -> None:
    """A bar through a mark, from the least to the most."""
    if count < 2:
        return
    sketch.trail([(x, low), (x, high)], style)
    for y in (low, high):
        sketch.trail([(x - CAP, y), (x + CAP, y)], style)


def _lines(sketch: Sketch, plot: Plot, scale: _Scale) -> None:
    for value, text in _below(plot, scale):
        x = 12 + (WIDE - 24) * (value - scale.left) / (scale.right - scale.left)
        sketch.line((x, TALL), (x, TALL + 5))
        sketch.text(x, TALL + 19, text, SMALL, "quiet")
    sketch.text(WIDE / 2, TALL + 40, _axis(plot.x, scale.log_x), LETTERS, "name")
    ordered = sorted(enumerate(plot.series), key=lambda pair: pair[1].dashed)  # dashed ones last, with gaps
    levels = _levels([one for _, one in ordered], scale)
    for (number, one), level in zip(ordered, levels, strict=True):
        _line(sketch, one, scale, _colour(number), level)


def _levels(series: Sequence[Series], scale: _Scale) -> list[int]:
    """How wide each line is in steps, in the order of drawing: wider than all later ones that would hide it."""
    levels = [0] * len(series)
    for k in range(len(series) - 2, -1, -1):
        later = [levels[j] for j in range(k + 1, len(series)) if _hides(series[k], series[j], scale)]
        levels[k] = min(max(later, default=-1) + 1, 4)
    return levels


def _hides(one: Series, other: Series, scale: _Scale) -> bool:
    """Whether a line that is drawn later covers a good part of this one."""
    after = {point.x: point.mean for point in other.points}
    gaps = [abs(scale.y(point.mean) - scale.y(after[point.x])) for point in one.points if point.x in after]
    near = sum(gap <= NEAR for gap in gaps)
    return near >= max(2, len(gaps) / 3)


def _below(plot: Plot, scale: _Scale) -> list[tuple[float, str]]:
    """The marks of the axis below: the values themselves where they are few."""
    values = sorted({point.x for one in plot.series for point in one.points if not one.dashed})
    if 0 < len(values) <= 9:
        return [(math.log10(value) if scale.log_x else value, f"{value:g}") for value in values]
    return marks(scale.left, scale.right, logarithmic=scale.log_x)


def _line(sketch: Sketch, one: Series, scale: _Scale, colour: int, level: int) -> None:
    """A line with its marks; on a higher level it is wider, so that it shows on both sides of those drawn over it."""
    style = f"wire w{colour}"
    trail = [(scale.x(point.x), scale.y(point.mean)) for point in one.points]
    sketch.trail(trail, style, dashed=one.dashed, thick=1.4 + 2.6 * level if level else 0)
    for point in one.points if not one.dashed else ():
        x = scale.x(point.x)
        _spread(sketch, x, scale.y(point.low), scale.y(point.high), point.count, style)
        title = f"{one.name}, {point.x:g}: {point.mean:.4g} ({point.low:.4g} to {point.high:.4g}, {point.count} runs)"
        sketch.circle(x, scale.y(point.mean), 3.2 + 1.6 * level, f"bar layer{colour}", title)
