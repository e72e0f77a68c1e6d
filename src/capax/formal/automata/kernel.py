"""The kernel of a matrix of fractions."""

from fractions import Fraction


def kernel(rows: list[list[Fraction]]) -> list[list[Fraction]]:
    """A basis of the vectors that all rows send to 0."""
    wide, table, pivots = len(rows[0]), [row[:] for row in rows], list[int]()
    for column in range(wide):
        rank = len(pivots)
        at = next((r for r in range(rank, len(table)) if table[r][column]), None)
        if at is None:
            continue
        table[rank], table[at] = table[at], table[rank]
        lead = table[rank][column]
        table[rank] = [x / lead for x in table[rank]]
        for r in range(len(table)):
            if r != rank and table[r][column]:
                times = table[r][column]
                table[r] = [x - times * y for x, y in zip(table[r], table[rank], strict=True)]
        pivots.append(column)
    free = [column for column in range(wide) if column not in pivots]
    basis = []
    for column in free:
        vector = [Fraction(0)] * wide
        vector[column] = Fraction(1)
        for rank, pivot in enumerate(pivots):
            vector[pivot] = -table[rank][column]
        basis.append(vector)
    return basis
