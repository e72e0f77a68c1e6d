"""Lines with round corners, and heads of arrows, as path data of SVG."""

from collections.abc import Sequence
from functools import lru_cache

from capax.draw.shapes.shapes import Point

ROUND = 4
"""The radius of a corner."""
HEAD = 6.5
"""The length of the head of an arrow, which is as wide."""


@lru_cache(maxsize=8192)
def number(value: float) -> str:
    """A coordinate in as few characters as needed."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def line_path(points: Sequence[Point]) -> str:
    """The data of a line along points; its segments are level or upright."""
    parts = [f"M{_pair(points[0])}"]
    for before, corner, after in zip(points, points[1:], points[2:]):  # noqa: B905 - three neighbours at a time
        reach = min(ROUND, _length(before, corner) / 2, _length(corner, after) / 2)
        start, stop = _towards(corner, before, reach), _towards(corner, after, reach)
        parts.append(f"L{_pair(start)}Q{_pair(corner)} {_pair(stop)}")
    return "".join([*parts, f"L{_pair(points[-1])}"])


def head_path(points: Sequence[Point]) -> str:
    """The data of an arrow's head at the end of a line."""
    before, end = points[-2:]
    (x, y), (bx, by) = end, _towards(end, before, HEAD)
    across = ((by - y) / 2, (bx - x) / 2)
    left, right = (bx + across[0], by + across[1]), (bx - across[0], by - across[1])
    return f"M{_pair(end)}L{_pair(left)}L{_pair(right)}z"


def _pair(point: Point) -> str:
    return f"{number(point[0])} {number(point[1])}"


def _length(a: Point, b: Point) -> float:
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


def _towards(start: Point, end: Point, far: float) -> Point:
    """The point so far from the start on the way to the end."""
    part = far / (_length(start, end) or 1)
    return start[0] + (end[0] - start[0]) * part, start[1] + (end[1] - start[1]) * part
