"""Budgets: how much work may be done, counted in steps, so that everything ends in bounded time."""

import math
from dataclasses import dataclass

from capax.errors import CapaxError

STEPS_PER_UNIT = 100
"""A budget that a user names is counted in units of this many steps; a step takes some ten microseconds at most."""


class OverBudget(Exception):  # noqa: N818 - an outcome, as NotCertified is
    """Work that was about to start does not fit the budget. The room that counts turns it into its own error."""


@dataclass(slots=True)
class Budget:
    """Steps that may be taken and steps that were; `math.inf` is no bound."""

    steps: float = math.inf
    spent: int = 0

    @classmethod
    def of_units(cls, units: int) -> "Budget":
        """The budget of a number of units, which must be positive."""
        if units < 1:
            raise CapaxError("bad-option", f"a budget is a positive number, not {units}")
        return cls(STEPS_PER_UNIT * units)

    @property
    def left(self) -> float:
        """Steps that may still be taken."""
        return self.steps - self.spent

    def spend(self, steps: int) -> None:
        """Counts steps that are about to be taken; raises `OverBudget`, and counts none, if they do not fit."""
        if steps > self.left:
            raise OverBudget
        self.spent += steps
