"""L-step sequential composition with the indices of its definition: L tables, L - 1 queries, sizes of their own."""

from collections.abc import Iterator
from typing import Any

from capax.errors import CapaxError
from capax.tasks.base.parameter import Parameter
from capax.tasks.base.task import Task
from capax.tasks.inputs.sequential_tables import SequentialLayout

QUERIES = Parameter(
    "queries",
    "2",
    "n_1,n_2,...: how many values each of the L - 1 queries has; empty for L = 1; n_1xn_2x... for one token with all",
)


JOINED = "x"
"""What stands between the sizes of queries that are one token together."""


def layout_of(n: int, queries: str) -> SequentialLayout:
    """The layout of prompts whose first table has n entries."""
    return SequentialLayout(n, sizes(queries), JOINED in queries)


def sizes(queries: str) -> tuple[int, ...]:
    """n_1 ... n_(L-1) from a text such as 2,3 or 2x3."""
    between = JOINED if JOINED in queries else ","
    try:
        counts = tuple(int(part) for part in queries.split(between)) if queries.strip() else ()
    except ValueError:
        counts = (0,)
    if any(not 1 <= size <= 10**6 for size in counts) or len(counts) > 15:
        hint = "up to 15 whole numbers from 1 to 1,000,000, such as 2,3 (a token each) or 2x3 (one token)"
        raise CapaxError("bad-option", f"the parameter queries cannot be {queries!r:.60}", hint=hint)
    return counts


def reference(word: list[int], queries: str) -> int:
    """The value i_L of a prompt z_L ... z_1 i_0 w_1 ... w_(L-1): i_1 = z_1(i_0), then i_(l+1) = z_(l+1)(w_l, i_l)."""
    return SequentialLayout.of_length(len(word), sizes(queries), joined=JOINED in queries).value(word)


def sample(random: Any, n: int, queries: str) -> list[int]:
    """A random prompt whose first table has n entries."""
    return layout_of(n, queries).sample(random, "take fewer values or fewer queries")


def every(n: int, queries: str) -> Iterator[list[int]]:
    """All prompts whose first table has n entries."""
    return layout_of(n, queries).every()


TASK = Task(
    "sequential-composition",
    "the value i_L of i_1 = z_1(i_0), i_(l+1) = z_(l+1)(w_l, i_l): one answer, at the last position",
    "prompts with the tables z_L ... z_1, then i_0, then w_1 ... w_(L-1), where w_l has n_l values",
    reference,
    sample,
    every,
    (QUERIES,),
    "Chen, Peng and Wu (2024), Theoretical limitations of multi-layer transformer, arXiv 2412.02975, Definition 2.1",
)
