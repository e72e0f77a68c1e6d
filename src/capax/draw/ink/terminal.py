"""Views as text for a terminal: grids of blocks, in colour when asked, never wider than given."""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import mul

from capax.draw.ink.palette import level
from capax.draw.shapes.text_width import columns, fold
from capax.draw.view.view import Cells, Flow, HeadGrid, LayerBox, Row, RowTable, SideBySide, View

NARROWEST = 8
"""In narrower terminals lines are longer than these are wide."""
LEAST_VALUES = 6
"""The columns for values below which their number is left out."""
MOST_LINES = 12
"""The most lines of a text that does not fit on one."""
_COLOURS = {"title": "1", "quiet": "2", "output": "1;36", "cell": "34"}
_LEGEND = "░ <1/4  ▒ <1/2  ▓ <1  █ 1"


def terminal(view: View, *, width: int = 100, colour: bool = False) -> str:
    """A view as lines of text of at most `width` columns."""
    return "\n".join(line.rstrip() for line in _TerminalWriter(max(width, NARROWEST), colour=colour).view(view))


class _TerminalWriter:
    """Makes the lines of one view."""

    def __init__(self, width: int, *, colour: bool) -> None:
        self.width = width
        self.colour = colour

    def paint(self, text: str, style: str) -> str:
        return f"\x1b[{_COLOURS[style]}m{text}\x1b[0m" if self.colour and text.strip() else text

    def view(self, view: View) -> list[str]:
        match view:
            case Flow():
                lines = [self.paint(cut(f"{view.title}({view.word})", self.width), "title")]
                return lines + [line for layer in view.layers for line in self.layer(layer)]
            case HeadGrid():
                return self.head(view, "")
            case RowTable():
                return self.table(view.rows, "")
            case SideBySide():
                worst = max(view.difference, default=0.0)
                end = f"difference: at most {worst:.3g}"
                return [*self.head(view.left, ""), "", *self.head(view.right, ""), "", cut(end, self.width)]

    def layer(self, layer: LayerBox) -> list[str]:
        title = f"layer {layer.number}" if layer.number else "before the first layer"
        lines = ["", self.paint(cut(f"── {title} ", self.width).ljust(min(self.width, 60), "─"), "title")]
        for index, head in enumerate(layer.heads):
            lines += ([""] if index else []) + self.head(head, "  ")
        if layer.feed_forward:
            lines += (["", cut("  feed-forward", self.width)] if layer.heads else []) + self.table(
                layer.feed_forward, "  "
            )
        return lines

    def table(self, rows: Sequence[Row], indent: str) -> list[str]:
        named = min(max(columns(row.name) for row in rows), self.width // 3)
        most = self.width - len(indent) - named - 2
        cell = max((columns(value) for row in rows for value in row.values), default=0)
        wide = rows[0].size * (cell + 1)
        lines = []
        for row in rows:
            fits = row.values and wide <= most
            values = " ".join(pad(v, cell, "middle") for v in row.values) if fits else summary(row, most)
            room = most - (wide if fits else columns(values)) - 3
            formula = f"  = {row.formula}" if row.formula and room > 12 else ""
            name = pad(cut(row.name, named), named, "end")
            painted = self.paint(values, "output") if row.is_result else values
            lines.append(f"{indent}{name}  {painted}{self.paint(cut(formula, room + 2), 'quiet')}")
        return lines

    # heads

    def head(self, head: HeadGrid, indent: str) -> list[str]:
        title = f"head {head.label}  " if head.label else ""
        room = self.width - len(indent)
        lines = [indent + self.paint(line, "title") for line in folded(f"{title}{head.name}", room)]
        for below in filter(None, (head.formula, head.where, _origins(head) if head.label else "")):
            lines += [indent + self.paint(line, "quiet") for line in folded(below, room)]
        full = self.full(head, indent)
        lines += full if full is not None else self.coarse(head, indent)
        return lines + [line for part in head.slices for line in self.head(part, indent + "  ")]

    def full(self, head: HeadGrid, indent: str) -> list[str] | None:
        """The grid with every value; None where it does not fit."""
        if head.cells.step > 1 or not all(r.values for r in (*head.keys, *head.queries)):
            return None
        table = _GridTable.of(head, self.width)
        if len(indent) + table.width > self.width:
            return None
        frame = "─" * (table.size * (table.cell + 1) - 1)
        queries, outputs = table.beside(None)
        lines = [self.line(head.across, row, table) for row in head.keys]
        lines.append(f"{pad(f'{head.down} {queries} ', table.gutter, 'end')}┌{frame}┐{outputs}")
        for i, weights in enumerate(head.cells.rows):
            queries, outputs = table.beside(i)
            cells = " ".join(self.cell(weight, head.cells, table.cell) for weight in weights)
            lines.append(f"{pad(queries + ' ', table.gutter, 'end')}│{cells}│{self.paint(outputs, 'output')}")
        lines.append(f"{' ' * table.gutter}└{frame}┘")
        if head.counts:
            lines.append(pad("counts ", table.gutter, "end"))
        lines += [self.line("value", row, table) for row in head.values]
        return [indent + line for line in lines]

    def line(self, role: str, row: Row, table: "_GridTable") -> str:
        name = cut(row.name, table.gutter - len(role) - 2)
        values = " ".join(pad(value, table.cell, "middle") for value in row.values)
        return f"{pad(f'{role} {name} ', table.gutter, 'end')} {values}"

    def cell(self, weight: float, cells: Cells, wide: int) -> str:
        if not level(weight, cells.kind):
            return pad("·", wide, "middle")
        return self.paint(sign(weight, cells.kind) * wide, "cell")

    def coarse(self, head: HeadGrid, indent: str) -> list[str]:
        """The grid with one sign for many pairs."""
        room = self.width - len(indent)
        side = min(room - 2, 80)
        lines = [indent + _titled(head.across, row, room) for row in head.keys]
        lines += [indent + _titled(head.down, row, room) for row in head.queries]
        bins = binned(head.cells, side, max(1, side // 2))
        wide = len(bins[0])
        lines.append(f"{indent}┌{'─' * wide}┐")
        for row in bins:
            signs = "".join(sign(weight, head.cells.kind) for weight in row)
            lines.append(f"{indent}│{self.paint(signs, 'cell')}│")
        lines.append(f"{indent}└{'─' * wide}┘")
        meaning = "mean weight" if head.cells.kind == "weights" else "share selected"
        lines.append(indent + self.paint(cut(f"{_LEGEND}  {meaning}", room), "quiet"))
        if head.counts:
            lines.append(indent + cut("counts: how many keys a query selects", room))
        lines += [indent + _titled("value", row, room) for row in head.values]
        return lines + [indent + _titled("output", row, room) for row in head.outputs]


def _origins(head: HeadGrid) -> str:
    """Where what a head uses comes from: `← input: tokens; layer 1: hist_bos`."""
    layers: dict[int, dict[str, None]] = {}
    for row in (*head.keys, *head.queries, *head.values):
        if row.item:
            layers.setdefault(row.layer, {})[row.name] = None
    parts = [f"{f'layer {k}' if k else 'input'}: {', '.join(layers[k])}" for k in sorted(layers)]
    return f"← {'; '.join(parts)}" if parts else ""


def _titled(role: str, row: Row, room: int) -> str:
    """A row on one line: its role, its name and its first values."""
    title = cut(f"{role} {row.name}", room // 2) + ": "
    return title + summary(row, room - columns(title))


@dataclass(frozen=True, slots=True)
class _Column:
    """Values below a name, beside a grid."""

    name: str
    values: Sequence[str]

    @property
    def width(self) -> int:
        return max(min(columns(text), 24) for text in (self.name, *self.values))

    def padded(self, row: int | None, side: str) -> str:
        """The value of a row, or the name for None, as wide as the column."""
        text = self.name if row is None else self.values[row]
        return pad(cut(text, self.width), self.width, side)


@dataclass(frozen=True, slots=True)
class _GridTable:
    """The columns of a grid with every value: queries at the left in a gutter, cells, outputs at the right."""

    size: int
    queries: tuple[_Column, ...]
    outputs: tuple[_Column, ...]
    cell: int
    gutter: int

    @staticmethod
    def of(head: HeadGrid, room: int) -> "_GridTable":
        """The table of a head; its gutter takes up to half of the room, and more if the queries need it."""
        queries = tuple(_Column(row.name, row.values) for row in head.queries)
        outputs = tuple(_Column(row.name, row.values) for row in head.outputs)
        shares = (_Column("weight", head.shares),) if head.shares else ()
        cell = max([1, *(columns(value) for row in (*head.keys, *head.values) for value in row.values)])
        needed = sum(column.width + 1 for column in queries) + len(f"{head.down} ")
        titles = [f"{head.across} {row.name}" for row in head.keys] + [f"value {row.name}" for row in head.values]
        gutter = min(max([needed, *(columns(title) + 1 for title in titles)]), max(room // 2, needed))
        return _GridTable(head.cells.size, queries, shares + outputs, cell, gutter)

    @property
    def width(self) -> int:
        return self.gutter + 2 + self.size * (self.cell + 1) + sum(column.width + 2 for column in self.outputs)

    def beside(self, row: int | None) -> tuple[str, str]:
        """What stands at the left and at the right of the cells of a row; the names for None."""
        left = " ".join(column.padded(row, "end") for column in self.queries)
        return left, "".join("  " + column.padded(row, "start") for column in self.outputs)[1:]


def binned(cells: Cells, wide: int, tall: int) -> list[list[float]]:
    """The cells as at most `tall` rows of at most `wide`: in each bin the share selected, or the mean weight."""
    n = len(cells.rows)
    across = [range(k * n // min(wide, n), (k + 1) * n // min(wide, n)) for k in range(min(wide, n))]
    down = [range(k * n // min(tall, n), (k + 1) * n // min(tall, n)) for k in range(min(tall, n))]
    # In an overview the last cell may stand for fewer pairs than the others.
    sizes = [min(cells.step, cells.size - k * cells.step) for k in range(n)]
    full = [[float(w > 0) for w in row] for row in cells.rows] if cells.kind == "average" else cells.rows
    rows = [_mean([full[i] for i in some], sizes[some.start : some.stop]) for some in down]
    turned = list(zip(*rows, strict=True))
    means = [_mean(turned[some.start : some.stop], sizes[some.start : some.stop]) for some in across]
    return [list(row) for row in zip(*means, strict=True)]


def _mean(rows: Sequence[Sequence[float]], sizes: Sequence[int]) -> list[float]:
    """The mean of rows, each as often as its size."""
    total = sum(sizes)
    return [sum(map(mul, column, sizes)) / total for column in zip(*rows, strict=True)]


def sign(weight: float, kind: str) -> str:
    """A block for a weight: full for 1, paler below 1, 1/2 and 1/4; given weights are rounded."""
    if weight <= 0 or (kind == "weights" and not level(weight, kind)):
        return " "
    if weight > (0.995 if kind == "weights" else 1 - 1e-9):
        return "█"
    return "▓" if weight > 0.5 - 1e-9 else "▒" if weight > 0.25 - 1e-9 else "░"


def summary(row: Row, room: int) -> str:
    """The first values of a row that fit, and how many there are."""
    end = f" ({row.size:,} {row.type})"
    values = row.values or row.ends
    text = " ".join(values[:60])
    if columns(text) + columns(end) <= room and len(values) == row.size:
        return text + end
    if room < columns(end) + LEAST_VALUES:  # a narrow terminal: rather some values than their number
        return cut(text + " …" * (len(values) < row.size), room)
    return cut(cut(text, max(1, min(room, 60) - columns(end) - 1)).rstrip("…") + "…" + end, room)


def folded(text: str, room: int) -> list[str]:
    """The text in lines of at most that many columns."""
    text = text[: MOST_LINES * (4 * room + 64)]  # what would not fit anyway is not measured
    return [cut(line, room) for line in fold(text, lambda line: columns(line) <= room, MOST_LINES)]


def cut(text: str, room: int) -> str:
    """The text in at most that many columns."""
    if columns(text) <= room:
        return text
    text = text[: 4 * max(room, 0) + 64]
    while text and columns(text) > room - 1:
        text = text[:-1]
    return text + "…" if room > 0 else ""


def pad(text: str, wide: int, side: str) -> str:
    """The text with spaces around it, to that many columns."""
    gap = max(0, wide - columns(text))
    left = {"start": 0, "middle": gap // 2, "end": gap}[side]
    return " " * left + text + " " * (gap - left)
