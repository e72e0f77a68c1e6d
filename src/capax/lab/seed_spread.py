"""What runs that differ in their seed alone measure: the median, and an interval that holds the true one."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SeedSpread:
    """The median of a figure over seeds, with the least and the most.

    The interval from the least to the most holds the median over all seeds with the probability `coverage`, whatever
    the distribution: it misses it only if all runs lie on one side.
    """

    median: float
    least: float
    most: float
    count: int

    @property
    def coverage(self) -> float:
        """1 - 2^(1 - count): 0 for one run, 0.75 for three, 0.94 for five."""
        return 1 - 2.0 ** (1 - self.count)

    def render(self, digits: str = ".4f", to: str = " to ") -> str:
        """The median, and the interval in parentheses where there are several runs."""
        interval = f" ({self.least:{digits}}{to}{self.most:{digits}})" if self.count > 1 else ""
        return f"{self.median:{digits}}{interval}"


def spread_of(values: Sequence[float]) -> SeedSpread:
    """The spread of the figures of at least one run."""
    return SeedSpread(statistics.median(values), min(values), max(values), len(values))
