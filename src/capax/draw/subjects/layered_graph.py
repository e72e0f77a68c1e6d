"""The layout of a graph in rows, smaller things below: boxes beside each other, long lines led between them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

Edge = tuple[int, int]
"""A line from a box to one above it, by their numbers in the list."""
GAP, SWEEPS, THIN, STRAIGHT = 22.0, 24, 4.0, 4.0


@dataclass(frozen=True, slots=True)
class GraphLayout:
    """The middle of every box, and for every line the points between its ends."""

    middles: tuple[tuple[float, float], ...]
    bends: dict[Edge, tuple[tuple[float, float], ...]]


def levels(count: int, edges: Sequence[Edge], ground: Collection[int] = ()) -> list[int]:
    """For each box the length of the longest chain below it; one with nothing below stands close to what is above.

    Boxes of the `ground` stand in the lowest row.
    """
    level = [0] * count
    for _ in range(count):  # as many rounds as a chain can be long
        for low, high in edges:
            level[high] = max(level[high], level[low] + 1)
    lowest = set(range(count)) - {high for _, high in edges} - set(ground)
    for box in lowest:
        level[box] = min((level[high] for low, high in edges if low == box), default=1) - 1
    return level


def lay_out(
    sizes: Sequence[tuple[float, float]], edges: Sequence[Edge], down: float, ground: Collection[int] = ()
) -> GraphLayout:
    """A layout of boxes of given widths and heights, rows `down` apart; the leftmost box begins at 0.

    Boxes of the `ground`, which no line may lead to, stand in the lowest row. A line over several rows has a thin box
    of its own in every row between, so that no box covers it. Rows are ordered by the means of what they are joined to,
    up and down in turn; the order with fewest crossings is kept.
    """
    level = levels(len(sizes), edges, ground)
    wide = [size[0] for size in sizes]
    chains: dict[Edge, list[int]] = {}
    for edge in edges:
        chains[edge] = [edge[0]]
        for row in range(level[edge[0]] + 1, level[edge[1]]):
            chains[edge].append(len(wide))
            wide.append(THIN)
            level.append(row)
        chains[edge].append(edge[1])
    pairs = [pair for chain in chains.values() for pair in pairwise(chain)]
    rows = _ordered([[box for box in range(len(wide)) if level[box] == row] for row in range(max(level) + 1)], pairs)
    x = _across(rows, wide, pairs)
    left = min((middle - size / 2 for middle, size in zip(x, wide, strict=True)), default=0.0)
    x = [middle - left for middle in x]
    tall = [max((sizes[box][1] for box in row if box < len(sizes)), default=0.0) for row in rows]
    bottom = [-sum(tall[:row]) - down * row for row in range(len(rows))]
    middles = tuple((x[box], bottom[level[box]] - tall[level[box]] / 2) for box in range(len(sizes)))
    bends = {}
    for edge, chain in chains.items():
        ends = [(x[box], bottom[level[box]] - part) for box in chain[1:-1] for part in (0.0, tall[level[box]])]
        bends[edge] = tuple(ends)
    return GraphLayout(middles, bends)


def _neighbours(pairs: Sequence[Edge]) -> dict[int, list[int]]:
    neighbours: dict[int, list[int]] = {}
    for low, high in pairs:
        neighbours.setdefault(low, []).append(high)
        neighbours.setdefault(high, []).append(low)
    return neighbours


def crossings(rows: Sequence[Sequence[int]], pairs: Sequence[Edge]) -> int:
    """How often lines between neighbouring rows cross."""
    at = {box: (number, index) for number, row in enumerate(rows) for index, box in enumerate(row)}
    total = 0
    for number in range(len(rows) - 1):
        ends = sorted((at[low][1], at[high][1]) for low, high in pairs if at[low][0] == number)
        total += sum(b[1] < a[1] and b[0] > a[0] for i, a in enumerate(ends) for b in ends[i + 1 :])
    return total


def _ordered(rows: list[list[int]], pairs: Sequence[Edge]) -> list[list[int]]:
    """The rows in an order with few crossings: by means of the neighbours below, then above, in turn."""
    beside = _neighbours(pairs)
    best, least = [list(row) for row in rows], crossings(rows, pairs)
    for sweep in range(SWEEPS):
        up = sweep % 2 == 0
        for number in range(1, len(rows)) if up else range(len(rows) - 2, -1, -1):
            fixed = {box: index for index, box in enumerate(rows[number - 1 if up else number + 1])}

            def mean(box: int, fixed: dict[int, int] = fixed, row: list[int] = rows[number]) -> float:
                positions = [fixed[other] for other in beside.get(box, ()) if other in fixed]
                return sum(positions) / len(positions) if positions else row.index(box) * len(fixed) / len(row)

            rows[number] = sorted(rows[number], key=mean)
        if crossings(rows, pairs) < least:
            best, least = [list(row) for row in rows], crossings(rows, pairs)
    return best


def _across(rows: Sequence[Sequence[int]], wide: Sequence[float], pairs: Sequence[Edge]) -> list[float]:
    """The middles of the boxes: near their neighbours, in the order of their row, a gap apart.

    Bends pull each other most, so that long lines are straight.
    """
    beside = _neighbours(pairs)
    heavy = [STRAIGHT if one == THIN else 1.0 for one in wide]
    x = [0.0] * len(wide)
    for row in rows:
        _packed(row, wide, heavy, x, [0.0] * len(row))
    for sweep in range(4 * SWEEPS):
        for row in rows if sweep % 2 == 0 else reversed(rows):
            targets = []
            for box in row:
                pulls = [(heavy[box] * heavy[other], x[other]) for other in beside.get(box, ())]
                total = sum(pull for pull, _ in pulls)
                targets.append(sum(pull * at for pull, at in pulls) / total if pulls else x[box])
            _packed(row, wide, heavy, x, targets)
    return x


def _packed(
    row: Sequence[int], wide: Sequence[float], heavy: Sequence[float], x: list[float], targets: Sequence[float]
) -> None:
    """Sets the middles of a row as near to the wanted ones as their order and widths allow (least squares).

    Less the least distances to the first box the middles need only be in order, and of that the best is known: where
    the order fails, neighbours stand together at their mean.
    """
    least = [0.0]
    for left, right in pairwise(row):
        least.append(least[-1] + (wide[left] + wide[right]) / 2 + GAP)
    groups: list[tuple[float, float, int]] = []  # what its members want and weigh in all, and how many they are
    for box, far, want in zip(row, least, targets, strict=True):
        groups.append((heavy[box] * (want - far), heavy[box], 1))
        while len(groups) > 1 and groups[-2][0] / groups[-2][1] > groups[-1][0] / groups[-1][1]:
            last, before = groups.pop(), groups.pop()
            groups.append((before[0] + last[0], before[1] + last[1], before[2] + last[2]))
    middles = [total / weight for total, weight, count in groups for _ in range(count)]
    for box, middle, far in zip(row, middles, least, strict=True):
        x[box] = middle + far
