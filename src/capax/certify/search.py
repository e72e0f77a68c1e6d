"""The search for the greatest length that is certified, with few trials.

Where answers get too near to each other, the margin falls about linearly with the length, and on below zero: where it
vanishes is guessed from two trials. This is no more than a guess: what is claimed is what a check of that very length
finds. Where nothing is known of margins the length is doubled, then bisected.
"""

import math
from dataclasses import dataclass, field

from capax.certify.refusal import Refusal

AT_FIRST = 0.5
"""The margin on the shortest words, as a first guess: that of answers that are 0 or 1 each."""


@dataclass(slots=True)
class Search:
    """What is known: certified up to `low`, not certified from `high` on. `tried` are lengths to try first."""

    high: int
    low: int = 0
    tried: list[int] = field(default_factory=list)
    margin: float | None = AT_FIRST
    lack: float | None = None
    guesses: int = 0

    def next(self) -> int | None:
        """The next length to try; None when the search is over."""
        if self.high - self.low <= 1:
            return None
        while self.tried:
            asked = self.tried.pop(0)
            if self.low < asked < self.high:
                return asked
        self.guesses += 1
        if self.lack is not None and self.guesses % 4:  # now and then bisection, which never needs many steps
            return self.crossing(self.high, self.lack)
        return max(1, min(2 * self.low, (self.low + self.high) // 2))

    def crossing(self, length: int, lack: float) -> int:
        """The greatest length with a margin, if it falls linearly from the known one to a lack of it at a length."""
        margin = self.margin if self.margin is not None and math.isfinite(self.margin) else AT_FIRST
        where = self.low + int((length - self.low) * margin / (margin - lack)) if math.isfinite(lack) else 0
        return max(self.low + 1, min(where, length - 1))

    def succeeded(self, length: int, margin: float | None) -> None:
        """Takes note of a length that is certified."""
        self.low, self.margin = length, margin

    def failed(self, length: int, refusal: Refusal) -> None:
        """Takes note of a length that is not certified, and why."""
        if refusal.empty and self.tried:
            return  # words may just be too short
        self.high, self.lack = length, refusal.margin
        if refusal.margin is not None:
            self.tried = []
