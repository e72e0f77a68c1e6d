"""How much work a certificate may take, so that compiling stays fast."""

from dataclasses import dataclass

from capax.certify.refusal import Refusal

MOST = 64_000_000
"""Numbers that are gone through for one certificate, in all number systems and at all lengths that are tried."""

AT_ONCE = 16_000_000
"""The part of it that the check of one length may take."""


@dataclass(slots=True)
class Effort:
    """What is left of the work for the whole certificate, and for the check at hand."""

    left: int = MOST
    here: int = AT_ONCE

    def begin(self) -> None:
        """Starts the check of a length."""
        self.here = AT_ONCE

    def spend(self, work: int) -> None:
        """Counts work that is about to be done; what is beyond the limit is not begun."""
        if work > min(self.left, self.here):
            raise Refusal("the check would go through too many combinations of values", too_many=True)
        self.left -= work
        self.here -= work
