"""The compiler's budget: work that does not fit is rejected, naming the part of the program that needs it."""

from capax.budget import STEPS_PER_UNIT, Budget, OverBudget
from capax.errors import CapaxError
from capax.rasp.ir.describe import describe
from capax.rasp.ir.nodes import Node


def spend(budget: Budget, steps: int, node: Node | None) -> None:
    """Counts steps for an s-op or a selector: a value that is computed, a table's entry, a hundred weights."""
    try:
        budget.spend(steps)
    except OverBudget:
        where = "" if node is None else f" at `{describe(node)}`"
        units = f"a budget of {int(budget.steps) // STEPS_PER_UNIT:,} (units of {STEPS_PER_UNIT} steps)"
        raise CapaxError(
            "too-many-values",
            f"compiling takes more than {int(budget.steps):,} steps, {units}{where}",
            hint="shorten max_length, use fewer tokens, or raise the budget",
            node=node,
        ) from None
