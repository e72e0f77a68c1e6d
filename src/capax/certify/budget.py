"""How much work a certificate may take, so that compiling stays fast."""

import math
from dataclasses import dataclass, field
from typing import Any

from capax.certify.not_certified import Refusal

MOST = 64_000_000
"""Numbers that are gone through for the verdict in one number system, at all lengths that are tried."""

AT_ONCE = 40_000_000
"""The part of it that the check of one length may take."""


@dataclass(slots=True)
class Effort:
    """What is left of the work for a verdict, and for the check at hand.

    `kept` has what is the same in all number systems, such as the values of the program at lengths that were tried,
    with the work that they took: it is counted again where they are used again, so that a verdict does not depend on
    what was tried before it. Lengths from `beyond` on are known to have too many combinations, in every system.
    """

    left: int = MOST
    beyond: float = math.inf
    here: int = AT_ONCE
    kept: dict[tuple[Any, ...], tuple[Any, int]] = field(default_factory=dict)

    def next_system(self) -> None:
        """Starts the verdict in another number system."""
        self.left = MOST

    def begin(self) -> None:
        """Starts the check of a length."""
        self.here = AT_ONCE

    def spend(self, work: int) -> None:
        """Counts work that is about to be done; what is beyond the limit is not begun."""
        if work > min(self.left, self.here):
            raise Refusal("the check would go through too many combinations of values", too_many=True)
        self.left -= work
        self.here -= work
