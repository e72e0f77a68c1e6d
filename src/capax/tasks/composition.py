"""Composition of functions that stand in the prompt as tables."""

from collections.abc import Iterator
from itertools import product
from typing import Any

from capax.tasks.base.parameter import Parameter
from capax.tasks.base.task import Task

FUNCTIONS = Parameter("functions", 2, "how many functions are composed", 1, 64)


def reference(word: list[int], functions: int) -> int:
    """f_K(...f_1(x)...) for the prompt f_1(0) ... f_1(n-1) f_2(0) ... f_K(n-1) x."""
    n = (len(word) - 1) // functions
    value = word[-1]
    for k in range(functions):
        value = word[k * n + value]
    return value


def sample(random: Any, n: int, functions: int) -> list[int]:
    """A random prompt with functions on 0 ... n-1."""
    return [int(x) for x in random.integers(0, n, functions * n + 1)]


def every(n: int, functions: int) -> Iterator[list[int]]:
    """All prompts with functions on 0 ... n-1."""
    return (list(word) for word in product(range(n), repeat=functions * n + 1))


TASK = Task(
    "composition",
    "the value of K composed functions on 0 ... n-1 at a point: one answer, at the last place",
    "prompts f_1(0) ... f_1(n-1) ... f_K(0) ... f_K(n-1) x",
    reference,
    sample,
    every,
    (FUNCTIONS,),
    "Peng, Narayanan and Papadimitriou (2024), On limitations of the transformer architecture",
)
