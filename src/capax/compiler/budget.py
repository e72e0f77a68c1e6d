"""How much work compiling may take, counted in steps, so that it ends in bounded time."""

from capax.errors import CapaxError
from capax.rasp.ir.describe import describe
from capax.rasp.ir.nodes import Node

STEPS = 100
"""A unit of the budget is so many steps: a value that is computed, a table's entry, a hundred weights.

A step takes some ten microseconds: the usual budget of 20,000 ends within about a minute.
"""


class Meter:
    """Counts the steps of a compilation; the one beyond the budget is not taken."""

    def __init__(self, budget: int) -> None:
        self.budget = budget
        self.taken = 0

    def spend(self, steps: int, node: Node | None) -> None:
        """Counts steps that are about to be taken, for an s-op or a selector."""
        self.taken += steps
        if self.taken > STEPS * self.budget:
            where = "" if node is None else f" at `{describe(node)}`"
            budget = f"a budget of {self.budget:,} (units of {STEPS} steps)"
            raise CapaxError(
                "too-many-values",
                f"compiling takes more than {STEPS * self.budget:,} steps, {budget}{where}",
                hint="shorten max_length, use fewer tokens, or raise the budget",
                node=node,
            )
