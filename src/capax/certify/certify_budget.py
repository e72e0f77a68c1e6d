"""How much work a certificate may take, so that compiling stays fast."""

from dataclasses import dataclass, field

from capax.budget import Budget
from capax.certify.not_certified import NotCertified

PER_VERDICT = 64_000_000
"""Numbers computed for the verdict in one number system, at all lengths that are tried."""

PER_LENGTH = 40_000_000
"""The part of it that the check of one length may take."""

PER_WHOLE = 128_000_000
"""What the check of a model's own length may take with each kind of axes, when all number systems are tried at once."""

TOO_MANY = "there are too many combinations of values to check"


@dataclass(slots=True)
class WorkBudget:
    """The work for a verdict, and for the check of one length within it."""

    verdict: Budget = field(default_factory=lambda: Budget(PER_VERDICT))
    length: Budget = field(default_factory=lambda: Budget(PER_LENGTH))
    whole: bool = False

    def next_system(self) -> None:
        """Starts the verdict in another number system."""
        self.verdict, self.whole = Budget(PER_VERDICT), False

    def next_length(self) -> None:
        """Starts the check of a length; with other axes that of a model's own length starts anew."""
        if self.whole:
            self.verdict = Budget(PER_WHOLE)
        self.length = Budget(PER_WHOLE if self.whole else PER_LENGTH)

    def next_whole(self) -> None:
        """Starts the check of a model's own length, before any other is tried."""
        self.verdict, self.whole = Budget(PER_WHOLE), True

    def spend(self, work: int) -> None:
        """Counts work that is about to be done; raises `NotCertified`, and counts none, if it does not fit."""
        if work > min(self.verdict.left, self.length.left):
            raise NotCertified(TOO_MANY, too_many=True)
        self.verdict.spend(work)
        self.length.spend(work)
