"""What a picture of a bound shows, before any ink: lines over one axis, and the range in which it is not vacuous."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Line:
    """A line through points (x, y); an axis that is logarithmic has the logarithms to base 10 of its values."""

    name: str
    points: tuple[tuple[float, float], ...]
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class Chart:
    """Lines over an axis. From `binds_from` on the bound is not vacuous, for the given sizes; `binds` is the label.

    `here` is the x that was asked for. `notes` stand below the picture.
    """

    title: str
    x: str
    y: str
    lines: tuple[Line, ...]
    log_x: bool = True
    log_y: bool = False
    binds_from: float | None = None
    binds: str = "the bound is not vacuous"
    here: float | None = None
    notes: tuple[str, ...] = ()


def spread(low: float, high: float, count: int = 120) -> list[float]:
    """`count` numbers from one to another, evenly."""
    assert count > 1
    return [low + (high - low) * k / (count - 1) for k in range(count)]
