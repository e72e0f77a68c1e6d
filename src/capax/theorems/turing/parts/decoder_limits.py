"""How many cells and positions a decoder is right for in a number system, computed beforehand.

Let u be the unit roundoff, h the head's cell, N = i + 1 for the position i of the query. Cells are counted from the
cell before the word; they lie in -H ... H. A position is one of the prompt or of a step; there are at most P.

Layer 1 gives a = (h / N)(1 + e) with |e| <= u: a sum of integers, exact below 1/u, and one division. Softmax may add
weights of 1 / N in any order, and is then off by N u at most, so by 1 / (8 N) while 8 N^2 <= 1/u.

Layer 2 compares 2 a j - r j^2, r = (1 / N)(1 + e'), over positions j. Times N, cell h beats j = h + d by d^2 (1 + e') +
2 h d (e' - e) >= d^2 (1 - u) - 4 u h |d|. Each product and the sum are rounded, and j^2 may be; at h, where j^2 is
exact, that is at most 4 u h^2, at j at most u (2 h j + 2 j^2 + |2 h j - j^2|) <= u (5 h^2 + 6 h |d| + 3 d^2). All in
all h wins if 1 > u (9 h^2 + 10 h + 4), whatever N is (d = 1 is the worst). For softmax twice as much is asked, and
layer 1 takes 2 |d| / 8 away, which leaves it a gap of 1 / (4 N).

Layer 3 compares -(h - c)^2 + j / (2 N), whose first part is made of integers up to 4 H^2. Added up in order, as hard
attention does, these cancel exactly, and of equal cells the later position wins while j / (2 N) of neighbours are
different numbers, so while 2 N <= 1 / (2 u). Softmax may add in any order, by a sum of 5 terms: the error is at most
5 u (4 H^2 + 2) for a key of the right cell, twice for a pair, and half of the gap 1 / (2 N) is asked for.

Softmax gives exactly 0 to all other keys when scale * gap exceeds the number below which exp is 0.
"""

import math
from dataclasses import dataclass
from typing import Final

from capax.display import parts
from capax.errors import CapaxError
from capax.model.provenance import MachineRecord
from capax.theorems.turing.parts.tokens import ChainTokens

DIGITS: Final = {"float64": 53, "float32": 24}
"""The unit roundoff is 2 to the minus this."""
ZERO_BELOW: Final = {"float64": 746.0, "float32": 104.0}
"""exp of minus this is 0, subnormal numbers included."""


@dataclass(frozen=True, slots=True)
class DecoderLimits:
    """The cells -cells ... cells and the number of positions for which a decoder is right.

    If `positions` is at most `cells`, no chain can leave the cells. Else a machine might, and a run has to watch.
    """

    cells: int
    positions: int

    @property
    def sure(self) -> bool:
        """Whether no chain of that many positions can leave the cells."""
        return self.positions <= self.cells

    def to_json(self) -> dict[str, int | bool]:
        """The limits as plain data."""
        return parts(self, "cells", "positions", "sure")

    def record(self, tokens: ChainTokens, form: str) -> MachineRecord:
        """What the file of a decoder says of the machine."""
        return MachineRecord(tokens.go, tokens.halt, form, self.cells, self.positions, self.sure)


def most_cells(attention: str, numbers: str) -> int:
    """The greatest H at which layers 2 and 3 are right."""
    room = 2 ** (DIGITS[numbers] - (attention == "softmax"))
    cells = math.isqrt(room // 9)
    while 9 * cells * cells + 10 * cells + 4 >= room:
        cells -= 1
    return min(cells, math.isqrt(2 ** DIGITS[numbers] // 4))


def most_positions(attention: str, numbers: str, cells: int) -> int:
    """The greatest P at which layer 1 is right, and layer 3 tells positions of equal cells apart."""
    ordered: int = 1 << (DIGITS[numbers] - 2)
    if attention == "hard":
        return ordered
    added = math.isqrt((1 << DIGITS[numbers]) // 8)
    return min(added, (1 << DIGITS[numbers]) // (2 * 4 * 5 * (4 * cells * cells + 2)))


def limits(attention: str, numbers: str, cells: int | None = None, positions: int | None = None) -> DecoderLimits:
    """Limits that hold: those asked for, or the largest; what cannot be kept is refused.

    Without `cells`, positions are bounded by cells, so that any machine is right. With `cells`, a run may be as long as
    the positions can be told apart, and has to be refused when it leaves the cells.
    """
    top = most_cells(attention, numbers)
    if cells is None:
        best = top
        while most_positions(attention, numbers, best) < best:  # only softmax has to go down from the top
            best = min(best - 1, int(best * 0.999))
        cells = best if positions is None else min(positions, top)
        if positions is None:
            positions = best
    elif positions is None:
        positions = most_positions(attention, numbers, min(max(cells, 1), top))
    if not 1 <= cells <= top:
        raise CapaxError(
            "word-length",
            f"{numbers} tells at most {top:,} cells on each side apart, not {cells:,}",
            hint="float64 has more; or ask for fewer cells",
        )
    most = most_positions(attention, numbers, cells)
    if not 2 <= positions <= most:
        raise CapaxError(
            "word-length",
            f"{attention} attention in {numbers} with {cells:,} cells on each side is right for at most {most:,} "
            f"positions (word and steps), not {positions:,}",
            hint="hard attention and float64 go furthest; fewer cells allow for more positions with softmax",
        )
    return DecoderLimits(cells, positions)


def scale(numbers: str, positions: int) -> float:
    """A power of two with which softmax is exact: gaps are at least 1 / (4 positions)."""
    return 2.0 ** math.ceil(math.log2(ZERO_BELOW[numbers] * 4 * positions))
