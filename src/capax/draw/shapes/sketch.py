"""A plain drawing: circles, boxes, curves and texts in the style of all pictures, as an SVG document."""

from dataclasses import dataclass, field
from html import escape

from capax.draw.ink.style import style_sheet
from capax.draw.shapes.shapes import number
from capax.draw.shapes.text_width import width

MARGIN = 16.0
DASHES = ' stroke-dasharray="5 4"'


@dataclass(slots=True)
class Sketch:
    """Shapes are added one after the other, at any places; the document is as large as they are.

    A style is a class of the style sheet: `panel`, `well`, `wire`, `arrowhead`, `title`, `quiet`, `name`, `result`.
    """

    title: str
    _parts: list[str] = field(default_factory=list)
    _box: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0, 0.0])

    def circle(self, x: float, y: float, radius: float, style: str, title: str = "") -> None:
        """A disc."""
        self._reach(x - radius, y - radius, x + radius, y + radius)
        attributes = f'cx="{number(x)}" cy="{number(y)}" r="{number(radius)}"'
        self._parts.append(f'<circle class="{style}" {attributes}>{_tip(title)}</circle>')

    def box(
        self, x: float, y: float, wide: float, tall: float, style: str, *, round_: float = 0, title: str = ""
    ) -> None:
        """A rectangle."""
        self._reach(x, y, x + wide, y + tall)
        attributes = (
            f'x="{number(x)}" y="{number(y)}" width="{number(wide)}" height="{number(tall)}" rx="{number(round_)}"'
        )
        self._parts.append(f'<rect class="{style}" {attributes}>{_tip(title)}</rect>')

    def text(self, x: float, y: float, text: str, size: float, style: str = "text", anchor: str = "middle") -> None:
        """A line of text; `y` is its base line."""
        wide = width(text, size)
        left = x - {"start": 0.0, "middle": wide / 2, "end": wide}[anchor]
        self._reach(left, y - size, left + wide, y + 0.3 * size)
        attributes = f'x="{number(x)}" y="{number(y)}" font-size="{number(size)}" text-anchor="{anchor}"'
        self._parts.append(f'<text class="{style}" {attributes}>{escape(text)}</text>')

    def curve(
        self,
        start: tuple[float, float],
        bend: tuple[float, float],
        end: tuple[float, float],
        *,
        dashed: bool = False,
    ) -> None:
        """An arrow along a quadratic curve."""
        for x, y in (start, ((start[0] + 2 * bend[0] + end[0]) / 4, (start[1] + 2 * bend[1] + end[1]) / 4), end):
            self._reach(x, y, x, y)
        path = f"M{_at(start)}Q{_at(bend)} {_at(end)}"
        self._parts.append(f'<path class="wire"{DASHES if dashed else ""} d="{path}"/>')
        self._arrow(bend, end)

    def loop(self, x: float, y: float, radius: float, *, below: bool = False) -> None:
        """An arrow from the top of a disc back to it, or from its bottom."""
        up = -1 if below else 1
        left, right, top = x - radius * 0.55, x + radius * 0.55, y - up * radius * 0.84
        high = y - up * radius * 2.6
        self._reach(
            left - radius * 0.5, min(y, y - up * radius * 2.2), right + radius * 0.5, max(y, y - up * radius * 2.2)
        )
        bends = f"{_at((left - radius * 0.6, high))} {_at((right + radius * 0.6, high))}"
        self._parts.append(f'<path class="wire" d="M{_at((left, top))}C{bends} {_at((right, top))}"/>')
        self._arrow((right + radius * 0.6, high), (right, top))

    def line(self, start: tuple[float, float], end: tuple[float, float], *, dashed: bool = False) -> None:
        """A line without a head."""
        for x, y in (start, end):
            self._reach(x, y, x, y)
        dashes = DASHES if dashed else ""
        self._parts.append(f'<path class="wire"{dashes} d="M{_at(start)}L{_at(end)}"/>')

    def trail(
        self, points: list[tuple[float, float]], style: str = "wire", *, dashed: bool = False, thick: float = 0
    ) -> None:
        """A line through many points; of its own thickness if one is given."""
        for x, y in points:
            self._reach(x, y, x, y)
        if points:
            dashes = DASHES if dashed else ""
            wide = f' style="stroke-width:{number(thick)}"' if thick else ""
            self._parts.append(f'<path class="{style}"{dashes}{wide} d="M{"L".join(map(_at, points))}"/>')

    def _arrow(self, before: tuple[float, float], tip: tuple[float, float]) -> None:
        dx, dy = tip[0] - before[0], tip[1] - before[1]
        long = (dx * dx + dy * dy) ** 0.5 or 1.0
        dx, dy = dx / long, dy / long
        back = (tip[0] - 7 * dx, tip[1] - 7 * dy)
        sides = ((back[0] - 3.2 * dy, back[1] + 3.2 * dx), (back[0] + 3.2 * dy, back[1] - 3.2 * dx))
        self._parts.append(f'<path class="arrowhead" d="M{_at(tip)}L{_at(sides[0])}L{_at(sides[1])}Z"/>')

    def _reach(self, left: float, top: float, right: float, bottom: float) -> None:
        box = self._box
        box[0], box[1], box[2], box[3] = min(box[0], left), min(box[1], top), max(box[2], right), max(box[3], bottom)

    def svg(self, *, theme: str = "auto") -> str:
        """The document."""
        left, top = self._box[0] - MARGIN, self._box[1] - MARGIN
        wide, tall = self._box[2] + MARGIN - left, self._box[3] + MARGIN - top
        name = "capax" if theme == "auto" else f"capax-{theme}"
        attributes = " ".join(map(number, (left, top, wide, tall)))
        head = f'<svg xmlns="http://www.w3.org/2000/svg" class="{name}" width="{number(wide)}" height="{number(tall)}"'
        page = (
            f'<rect class="page" x="{number(left)}" y="{number(top)}" width="{number(wide)}" height="{number(tall)}"/>'
        )
        style = f"<title>{escape(self.title)}</title><style>{style_sheet(theme, scope=f'.{name}')}</style>"
        return f'{head} viewBox="{attributes}" role="img">{style}{page}' + "".join(self._parts) + "</svg>\n"


def _at(point: tuple[float, float]) -> str:
    return f"{number(point[0])} {number(point[1])}"


def _tip(title: str) -> str:
    return f"<title>{escape(title)}</title>" if title else ""
