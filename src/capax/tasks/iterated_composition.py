"""L-step sequential composition: each table is entered with the last value and a query of its own."""

from collections.abc import Iterator
from typing import Any

from capax.tasks.base.parameter import Parameter
from capax.tasks.base.task import Task
from capax.tasks.inputs.sequential_tables import SequentialLayout

STEPS = Parameter("steps", 2, "the number L of steps", 1, 16)
CHOICES = Parameter("choices", 2, "how many values each query w has", 1, 1_000)


def reference(word: list[int], steps: int, choices: int) -> int:
    """The value i_L: i_1 = z_1(i_0) and then i_(l+1) = z_(l+1)(w_l, i_l), for a prompt z_L ... z_1 i_0 w_1 ... w_(L-1).

    The table z_l has the entry of (w, i) at w N + i, where N is the size of the table before it.
    """
    return SequentialLayout.of_length(len(word), (choices,) * (steps - 1)).value(word)


def sample(random: Any, n: int, steps: int, choices: int) -> list[int]:
    """A random prompt whose first table has n entries."""
    return SequentialLayout.uniform(n, steps, choices).sample(random, "take fewer steps, choices or entries")


def every(n: int, steps: int, choices: int) -> Iterator[list[int]]:
    """All prompts whose first table has n entries."""
    return SequentialLayout.uniform(n, steps, choices).every()


TASK = Task(
    "iterated-composition",
    "the value i_L of i_1 = z_1(i_0), i_(l+1) = z_(l+1)(w_l, i_l): one answer, at the last position",
    "prompts with the tables z_L ... z_1, then i_0, then w_1 ... w_(L-1)",
    reference,
    sample,
    every,
    (STEPS, CHOICES),
    "Chen, Peng and Wu (2024), Theoretical limitations of multi-layer transformer, arXiv 2412.02975",
)
