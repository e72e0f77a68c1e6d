"""Fooling fully connected networks: a vector that the first layer does not see.

Statement: a network whose first layer has fewer units than there are numbers z_1 ... z_N (1-sparse averaging, d' = 1)
has z and -z with the same pre-activations, whatever else is fed in; asked for a z_i that is not 0, it answers the same.
Cite: Sanford, Hsu and Telgarsky (2023): width >= N d' / 2; for q = 1 the null space gives N d'.
Scope: weights are integers or fractions, and the vector is exact: the units agree to the last bit, not up to rounding.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import gcd, lcm


def null_vector(
    weight: Sequence[Sequence[int | float | Fraction]], stop: Callable[[], bool] = lambda: False
) -> list[int] | None:
    """Integers v, not all 0, with weight @ v = 0 exactly, for rows of units; None where only 0 is such.

    Floats are taken as the fractions that they are. Where `stop` ends the work, the list is empty.
    """
    rows = [_whole(row) for row in weight]
    columns = len(rows[0]) if rows else 0
    last = 1  # the pivot before: it divides all that follows, and the pivots of all rows stay equal (Bareiss)
    for column in range(columns):
        found = next((r for r in range(column, len(rows)) if rows[r][column]), None)
        if found is None:
            vector = [-row[column] for row in rows[:column]] + [last] + [0] * (columns - column - 1)
            common = gcd(*vector)
            return [v // common for v in vector]
        rows[column], rows[found] = rows[found], rows[column]
        top = rows[column]
        pivot = top[column]
        for r, row in enumerate(rows):
            if stop():
                return []
            if r != column:
                factor = row[column]
                for c in range(column + 1, columns):
                    row[c] = (row[c] * pivot - factor * top[c]) // last
        last = pivot
    return None


def _whole(row: Sequence[int | float | Fraction]) -> list[int]:
    """A row times the least number that makes it whole."""
    exact = [Fraction(w) for w in row]
    scale = lcm(*(w.denominator for w in exact))
    return [int(w * scale) for w in exact]
