"""The cells of a grid as a few paths: one for each shade, made of runs of equal cells."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from capax.draw.ink.palette import level
from capax.draw.view.view import Cells

Run = tuple[int, int, int]
"""The line, the first cell and the number of cells."""


def cell_paths(cells: Cells) -> dict[int, str]:
    """For each level the path data of its cells, in units of a cell; the strokes are one unit wide."""
    known: dict[float, int] = {}
    rows = [_levels(row, cells.kind, known) for row in cells.rows]
    across = dict(_runs(rows))
    down = dict(_runs([bytes(column) for column in zip(*rows, strict=True)])) if len(rows) <= 300 else across
    if sum(map(len, down.values())) < sum(map(len, across.values())):
        return {shade: _path(down[shade], "v") for shade in sorted(down)}
    return {shade: _path(across[shade], "h") for shade in sorted(across)}


def _levels(row: Sequence[float], kind: str, known: dict[float, int]) -> bytes:
    for weight in set(row):
        if weight not in known:
            known[weight] = level(weight, kind)
    return bytes([known[weight] for weight in row])


def _runs(lines: Sequence[bytes]) -> Iterator[tuple[int, list[Run]]]:
    by_shade: dict[int, list[Run]] = {}
    for number, line in enumerate(lines):
        place = 0
        if not any(line):
            continue
        for shade, same in groupby(line):
            count = len(list(same))
            if shade:
                by_shade.setdefault(shade, []).append((number, place, count))
            place += count
    return iter(by_shade.items())


def _path(runs: list[Run], direction: str) -> str:
    """Strokes along the runs, each from where the last one ended."""
    parts: list[str] = []
    line, place = 0, 0
    for number, start, count in runs:
        along, over = start - place, number - line
        if not parts:
            parts.append(f"M{start} {number}.5" if direction == "h" else f"M{number}.5 {start}")
        elif direction == "h":
            parts.append(f"m{along} {over}")
        else:
            parts.append(f"m{over} {along}")
        parts.append(f"{direction}{count}")
        line, place = number, start + count
    return "".join(parts)
