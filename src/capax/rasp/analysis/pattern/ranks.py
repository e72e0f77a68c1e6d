"""The least rank of score matrices for a pattern: bounds, exact where they meet.

Statement. *Sign rank*: the least rank of a matrix that is positive on selected pairs and negative on others; a head of
that dimension, with a threshold of 0, tells them apart. *Equal scores*: the least rank of a matrix in which every
query gives all selected keys one score and others less: what a head needs whose softmax averages exactly, with any
scale.
Idea. A matrix of rank d with m rows has at most 2 (C(m-1, 0) + ... + C(m-1, d-1)) different sign columns: the cells
of m hyperplanes through the origin. If some order of the rows, some of them negated, has at most s changes of sign in
every column, the sign rank is at most s + 1: a polynomial of degree s for each column, at points on a line; and for
s = 1 this is also necessary, since directions in the plane have an order by angle. Scores that are equal to a number
c_i on what query i selects are c_i - T with T zero exactly there; a triangle in the pattern of T (k pairs that are not
selected, each with selected pairs before it) has rank k, and subtracting the c_i takes one away. With one number for
each query and key, a query selects the keys of the greatest number, or those of the least, or all.
Cite. Forster (2002), A linear lower bound on the unbounded error probabilistic communication complexity: the sign rank
is at least sqrt(m n) over the spectral norm. Alon, Frankl and Rodl (1985): sign changes and cells. The bound for equal
scores is ours.
Scope. Searches over orders and triangles stop at a budget; then a bound is what was reached, and says so.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Rows = Sequence[Sequence[bool]]

WORK = 400_000
"""How many entries of the matrix a search over orders, or over triangles, looks at."""


@dataclass(frozen=True, slots=True)
class RankBounds:
    """A rank between two numbers, each with the method that gives it."""

    what: str
    low: int
    high: int
    low_by: str
    high_by: str

    @property
    def exact(self) -> bool:
        """Whether the bounds meet."""
        return self.low == self.high

    def to_json(self) -> dict[str, Any]:
        """The bounds as plain data."""
        return {
            "what": self.what,
            "exact": self.exact,
            "lower": {"value": self.low, "by": self.low_by},
            "upper": {"value": self.high, "by": self.high_by},
        }

    def render(self) -> str:
        """The rank, or the bounds, in a line with their methods."""
        if self.exact:
            return f"{self.what}: {self.low}, exact (lower bound: {self.low_by}; upper bound: {self.high_by})"
        return f"{self.what}: {self.low} to {self.high} (lower bound: {self.low_by}; upper bound: {self.high_by})"


def sign_rank(rows: Rows) -> RankBounds:
    """The least rank of a matrix with the signs of a pattern: positive on selected pairs, negative on others."""
    signs = _distinct([[1 if cell else -1 for cell in row] for row in rows])
    turned = _distinct([list(column) for column in zip(*signs, strict=True)])
    signs = [list(row) for row in zip(*turned, strict=True)]  # equal and opposite rows and columns, once each
    lows = [(1, "no matrix of rank 0 has signs"), _forster(signs), _cells(signs), _cells(turned)]
    highs = [
        (len(signs), "rows that differ, up to their sign"),
        (len(turned), "columns that differ, up to their sign"),
        (_rank(signs), "the matrix of 1 and -1 itself"),
    ]
    if len(signs) > 1:
        lows.append((2, "two rows differ, up to their sign"))
    in_plane = _order(signs, 1)
    if in_plane:
        highs.append((2, "an order of the rows, some negated, with at most one change of sign in every column"))
    elif in_plane is False:
        lows.append((3, "no order of the rows, some negated, has at most one change of sign in every column"))
    for changes in range(2, min(high for high, _ in highs) - 1):
        orders = [_order(some, changes) for some in (signs, turned)]
        if any(orders):
            highs.append((changes + 1, f"an order with at most {changes} changes of sign in a line"))
        if any(orders) or orders == [None, None]:
            break  # a search that did not end will not end for more changes either
    return _bounds("sign rank", lows, highs)


def equal_scores_rank(rows: Rows) -> RankBounds:
    """The least rank of scores that are one number on what a query selects, and less on all else."""
    others = [[not cell for cell in row] for row in rows]
    kinds = [list(row) for row in dict.fromkeys(map(tuple, others)) if any(row)]
    if all(all(row) for row in kinds):
        what = "every query selects all keys or none"
        return RankBounds("rank with equal scores", 0, 0, what, what)
    kinds = [list(c) for c in zip(*dict.fromkeys(zip(*kinds, strict=True)), strict=True)]  # equal columns once
    size, whole = _triangle(kinds)
    stopped = "" if whole else ", the largest that was met"
    lows = [(1, "some query selects some keys alone"), (size - 1, f"a triangle of {size} pairs{stopped}, less one")]
    numbers = [[-float(cell) for cell in row] for row in kinds]
    rank = _rank(numbers)
    highs = [(rank, "the table of 0 and -1")]
    if _rank([*numbers, [1.0] * len(numbers[0])]) == rank and rank > 1:
        highs.append((rank - 1, "the table of 0 and -1, with a number added to every row"))
    if _fits_one_number(rows):
        highs.append((1, "one number for each key: a query selects the greatest or the least"))
    else:
        lows.append((2, "one number for each key has one greatest and one least, and queries select other keys"))
    if _is_equality(rows):
        highs.append((2, "2 x y - y^2 for numbers x of queries and y of keys that select each other where equal"))
    return _bounds("rank with equal scores", lows, highs)


def _bounds(what: str, lows: list[tuple[int, str]], highs: list[tuple[int, str]]) -> RankBounds:
    low, low_by = max(lows, key=lambda bound: bound[0])
    high, high_by = min(highs, key=lambda bound: bound[0])
    assert low <= high, (what, low, low_by, high, high_by)
    return RankBounds(what, low, high, low_by, high_by)


def _distinct(rows: list[list[int]]) -> list[list[int]]:
    """Each row once, of a row and its negative one: with a first entry of 1."""
    return [list(row) for row in dict.fromkeys(tuple(x * row[0] for x in row) for row in rows)]


def _rank(matrix: Sequence[Sequence[float]]) -> int:
    """The rank of a matrix of small integers, by exact elimination."""
    from fractions import Fraction

    rows = [[Fraction(x) for x in row] for row in matrix]
    rank = 0
    for column in range(len(rows[0]) if rows else 0):
        pivot = next((i for i in range(rank, len(rows)) if rows[i][column]), None)
        if pivot is None:
            continue
        rows[rank], rows[pivot] = rows[pivot], rows[rank]
        for i in range(rank + 1, len(rows)):
            if rows[i][column]:
                factor = rows[i][column] / rows[rank][column]
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[rank], strict=True)]
        rank += 1
    return rank


def _forster(signs: list[list[int]]) -> tuple[int, str]:
    import numpy as np

    matrix = np.array(signs, float)
    norm = float(np.linalg.norm(matrix, 2)) * (1 + 1e-9)
    bound = math.sqrt(matrix.size) / norm
    return max(1, math.ceil(bound - 1e-9)), f"Forster: sqrt(m n) / norm = {bound:.3f}"


def _cells(signs: list[list[int]]) -> tuple[int, str]:
    """By the number of different columns, those and their negatives: the cells of as many hyperplanes as rows."""
    m, columns = len(signs), 2 * len(signs[0])
    d = 1
    while 2 * sum(math.comb(m - 1, k) for k in range(d)) < columns:
        d += 1
    return d, f"{columns} sign vectors are more than {m} hyperplanes of a smaller dimension cut out"


def _order(rows: list[list[int]], changes: int) -> bool | None:
    """Whether some order of rows, some of them negated, has at most so many changes in every column; None: not known.

    With one change the first row may be any: directions in the plane have no first one.
    """
    count = len(rows)
    spent = 0
    starts = range(1 if changes == 1 else count)
    stack = [(tuple(rows[start]), (0,) * len(rows[0]), frozenset([start])) for start in starts]
    while stack:
        last, made, used = stack.pop()
        if len(used) == count:
            return True
        spent += 2 * (count - len(used)) * len(last)
        if spent > WORK:
            return None
        for number in range(count):
            if number in used:
                continue
            for sign in (1, -1):
                row = tuple(sign * x for x in rows[number])
                after = tuple(c + (a != b) for c, a, b in zip(made, last, row, strict=True))
                if max(after) <= changes:
                    stack.append((row, after, used | {number}))
    return False


def _triangle(pattern: list[list[bool]]) -> tuple[int, bool]:
    """The largest triangle met: pairs (i1, j1), ... that are not selected, with (ia, jb) selected for all b < a.

    Also whether the search was whole.
    """
    columns = len(pattern[0])
    masks = [sum(1 << j for j, cell in enumerate(row) if cell) for row in pattern]
    best, spent = 0, 0
    stack: list[tuple[int, int, frozenset[int]]] = [(0, 0, frozenset())]  # how many, columns taken, rows taken
    seen: set[tuple[int, frozenset[int]]] = set()
    while stack:
        size, taken, used = stack.pop()
        best = max(best, size)
        spent += len(masks) * columns
        if spent > WORK:
            return best, False
        for i, mask in enumerate(masks):
            if i in used or mask & taken:
                continue
            for j in range(columns):
                if mask >> j & 1:
                    state = taken | 1 << j, used | {i}
                    if state not in seen:
                        seen.add(state)
                        stack.append((size + 1, *state))
    return best, True


def _is_equality(rows: Rows) -> bool:
    """Whether what two queries select is the same or has nothing in common."""
    sets = {frozenset(j for j, cell in enumerate(row) if cell) for row in rows}
    return all(not (a & b) for a in sets for b in sets if a is not b)


def _fits_one_number(rows: Rows) -> bool:
    """Whether queries select one set of keys, or two without a common key; all keys and none aside."""
    sets = list({frozenset(j for j, cell in enumerate(row) if cell) for row in rows if any(row) and not all(row)})
    return len(sets) <= 1 or (len(sets) == 2 and not sets[0] & sets[1])
