"""The search for the greatest length that is certified, with few trials.

Where answers get too near to each other, the margin stays as it is while steps take all noise away, then falls about
linearly with the length, and on below zero: where it vanishes is guessed from two trials, or from one and the length
up to which it stays, which is often half of that. This is no more than a guess: what is claimed is what a check of that
very length finds. Where nothing is known of margins the length is doubled, then bisected.
"""

import math
from dataclasses import dataclass, field

from capax.certify.not_certified import Refusal

AT_FIRST = 0.5
"""The margin on the shortest words, as a first guess: that of answers that are 0 or 1 each."""


@dataclass(slots=True)
class Search:
    """What is known: certified up to `low`, not certified from `high` on. `tried` are lengths to try first.

    `margin` is that at `low`; `missed` has lengths with the margins below zero that they have, the least length first.
    """

    high: int
    low: int = 0
    tried: list[int] = field(default_factory=list)
    margin: float | None = AT_FIRST
    missed: list[tuple[int, float]] = field(default_factory=list)
    guesses: int = 0

    def next(self) -> int | None:
        """The next length to try; None when the search is over."""
        if self.high - self.low <= 1:
            return None
        while self.tried:
            asked = self.tried.pop(0)
            if self.low < asked < self.high:
                return asked
        if not self.missed:
            return max(1, min(2 * self.low, (self.low + self.high) // 2))
        self.guesses += 1  # now and then bisection, which never needs many steps
        return max(self.low + 1, self.crossing() if self.guesses % 4 else (self.low + self.high) // 2)

    def crossing(self) -> int:
        """The greatest length with a margin, as the nearest two lengths of which margins are known tell, or one."""
        (length, lack), *others = self.missed
        margin = self.margin if self.margin is not None and math.isfinite(self.margin) else AT_FIRST
        if self.low:
            where = self.low + (length - self.low) * margin / (margin - lack)
            return min(int(where), self.high - 1)
        where = length * 2 * margin / (2 * margin - lack)  # it stays for half of the way
        if others and others[0][1] < lack:
            where = max(where, length + lack * (others[0][0] - length) / (lack - others[0][1]))
        return min(int(where), self.high - 1)

    def succeeded(self, length: int, margin: float | None) -> None:
        """Takes note of a length that is certified."""
        self.low, self.margin = length, margin

    def failed(self, length: int, refusal: Refusal) -> None:
        """Takes note of a length that is not certified, and why."""
        if refusal.empty and self.tried:
            return  # words may just be too short
        self.high = length
        if refusal.margin is not None and math.isfinite(refusal.margin):
            self.tried = []
            self.missed = [(length, refusal.margin), *(m for m in self.missed if m[0] > length)]
        else:
            self.missed = []
