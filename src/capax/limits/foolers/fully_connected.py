"""Fooling fully connected networks: a vector that the first layer does not see.

Statement: a network whose first layer has fewer units than there are numbers z_1 ... z_N (1-sparse averaging, d' = 1)
has z and -z with the same pre-activations, whatever else is fed in; asked for a z_i that is not 0, it answers the same.
Cite: Sanford, Hsu and Telgarsky (2023): width >= N d' / 2; for q = 1 the null space gives N d'.
Scope: weights are integers or fractions, and the vector is exact: the units agree to the last bit, not up to rounding.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import gcd, lcm


def null_vector(weight: Sequence[Sequence[int | float | Fraction]]) -> list[int] | None:
    """Integers v, not all 0, with weight @ v = 0 exactly, for rows of units; None where only 0 is such.

    Floats are taken as the fractions that they are.
    """
    rows = [[Fraction(w) for w in row] for row in weight]
    columns = len(rows[0]) if rows else 0
    pivots: list[int] = []
    done = 0
    for column in range(columns):
        found = next((r for r in range(done, len(rows)) if rows[r][column]), None)
        if found is None:
            continue
        rows[done], rows[found] = rows[found], rows[done]
        head = rows[done][column]
        rows[done] = [w / head for w in rows[done]]
        for r in range(len(rows)):
            if r != done and rows[r][column]:
                factor = rows[r][column]
                rows[r] = [w - factor * p for w, p in zip(rows[r], rows[done], strict=True)]
        pivots.append(column)
        done += 1
    free = next((c for c in range(columns) if c not in pivots), None)
    if free is None:
        return None
    vector = [Fraction(0)] * columns
    vector[free] = Fraction(1)
    for r, pivot in enumerate(pivots):
        vector[pivot] = -rows[r][free]
    scale = lcm(*(v.denominator for v in vector))
    whole = [int(v * scale) for v in vector]
    common = gcd(*whole)
    return [v // common for v in whole]
