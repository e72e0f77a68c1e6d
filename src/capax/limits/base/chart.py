"""What a picture of a bound shows, before any ink: lines over one axis, and the stretch in which the bound speaks."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Line:
    """A line through points (x, y); an axis that is logarithmic has the logarithms to base 10 of its values."""

    name: str
    points: tuple[tuple[float, float], ...]
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class Chart:
    """Lines over an axis. From `speaks_from` on the bound says something, for the sizes that were given.

    `here` is the x that was asked for. `notes` stand below the picture.
    """

    title: str
    x: str
    y: str
    lines: tuple[Line, ...]
    log_x: bool = True
    log_y: bool = False
    speaks_from: float | None = None
    speaks: str = "the bound speaks"
    here: float | None = None
    notes: tuple[str, ...] = ()


def spread(low: float, high: float, count: int = 120) -> list[float]:
    """So many numbers from one to another, evenly."""
    assert count > 1
    return [low + (high - low) * k / (count - 1) for k in range(count)]
