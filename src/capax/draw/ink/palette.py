"""Colours, light and dark, that the colour-blind can tell apart (Okabe and Ito's set)."""

from dataclasses import dataclass
from typing import Final

LEVELS: Final = 8
"""How many shades a weight can have, besides none."""
SEEN: Final = 4
"""The lowest level of a density: one selected pair among thousands is still to be seen."""
SHARES: Final = (1, 2, 3, 4, 8, 16, 64)
"""The shares 1/m of an average at which a paler shade begins; the palest is for less than the last."""


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of one theme; `faint` and `full` are the ends of the scale of weights."""

    page: str
    panel: str
    well: str
    line: str
    text: str
    quiet: str
    accent: str
    faint: str
    full: str
    other: str
    layers: tuple[str, ...]

    def shade(self, level: int) -> str:
        """The colour of a weight's level, 1 to `LEVELS`."""
        part = ((level - 1) / (LEVELS - 1)) ** 1.5
        return "#" + "".join(
            f"{round(int(self.faint[i : i + 2], 16) * (1 - part) + int(self.full[i : i + 2], 16) * part):02x}"
            for i in (1, 3, 5)
        )


LIGHT: Final = Palette(
    page="#ffffff",
    panel="#f6f7f9",
    well="#ffffff",
    line="#d5dae1",
    text="#1c2127",
    quiet="#5c6670",
    accent="#0a5c94",
    faint="#c9e0f1",
    full="#0072b2",
    other="#d55e00",
    layers=("#8a939c", "#009e73", "#e69f00", "#cc79a7", "#56b4e9", "#d55e00"),
)
DARK: Final = Palette(
    page="#14171b",
    panel="#1c2126",
    well="#14171b",
    line="#39424b",
    text="#e8ecf0",
    quiet="#9ba6b1",
    accent="#7cc4f2",
    faint="#1f3d52",
    full="#56b4e9",
    other="#f08a4b",
    layers=("#8a939c", "#1fbf92", "#e69f00", "#d795ba", "#56b4e9", "#e8763a"),
)


def level(weight: float, kind: str) -> int:
    """The shade of a weight: by equal steps for given weights, by `SHARES` for averages; any density is seen."""
    if weight <= 0:
        return 0
    if kind == "density":
        return min(LEVELS, SEEN + int(weight * (LEVELS - SEEN + 1)))
    if kind == "weights":
        return min(LEVELS, int(weight * LEVELS + 0.999)) if weight >= 0.002 else 0
    return next((LEVELS - step for step, m in enumerate(SHARES) if weight * m > 1 - 1e-9), 1)
