"""Composition of functions that stand in the prompt as tables."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from capax.tasks.base.parameter import Parameter
from capax.tasks.base.task import Task
from capax.tasks.base.training import IGNORE, ParameterValues, Training, TrainingBatch, Vocabularies

FUNCTIONS = Parameter("functions", 2, "how many functions are composed", 1, 64)
DOMAIN = Parameter("domain", 0, "the functions go from 0 ... domain-1 to itself; 0: as large as the length asks for", 0)
THOUGHTS = Parameter("thoughts", False, "the values between are answered too, one after the other")
FEW = Parameter("few", False, "x and the values of f are below the length; the tables have a whole domain", later=True)
FIXED_POINTS = Parameter(
    "fixed_points",
    False,
    "below the length of the domain, values of every function are fixed points with a chance of 1 - length / domain",
    later=True,
)
QUERIES = Parameter("queries", 1, "how many points x stand after the tables, each with its answer", 1, 1024, later=True)


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


def _size(at: ParameterValues, n: int) -> int:
    """The size of the domain: the length of training words counts its points."""
    return int(at["domain"] or n)


def _vocabularies(at: ParameterValues, n: int) -> Vocabularies:
    known = tuple(range(_size(at, n)))
    return Vocabularies(known, known)


def _batch(random: np.random.Generator, count: int, n: int, at: ParameterValues) -> TrainingBatch:
    """Prompts f_1(0) ... f_1(m-1) ... f_K(m-1) x, and with thoughts the values up to f_(K-1) after each point x.

    With few of them reached, x and the values of all functions but the last are below n: a curriculum over n in which
    no position moves. With fixed points it is one of another kind: f_k(y) = y with a chance of 1 - n / m for each k and
    y, so that a network that looks up one table alone is often right, and is told so.
    """
    m, functions, queries = _size(at, n), at["functions"], at["queries"]
    tables = random.integers(0, m, (count, functions, m))
    reached = min(n, m) if at["few"] else m
    if reached < m:
        tables[:, :-1] = random.integers(0, reached, (count, functions - 1, m))
    if at["fixed_points"] and n < m:
        tables = np.where(random.random(tables.shape) < 1 - n / m, np.arange(m), tables)
    value = random.integers(0, reached, (count, queries))
    steps = [value]
    for k in range(functions):
        value = np.take_along_axis(tables[:, k], value, axis=1)
        steps.append(value)
    known, asked = (steps[:-1], steps[1:]) if at["thoughts"] else (steps[:1], steps[-1:])
    prompt_end, prompt_answers = (np.stack(part, axis=2).reshape(count, -1) for part in (known, asked))
    inputs = np.concatenate([tables.reshape(count, -1), prompt_end], axis=1)
    answers = np.full(inputs.shape, IGNORE)
    answers[:, functions * m :] = prompt_answers
    return TrainingBatch(inputs, answers)


TASK = Task(
    "composition",
    "the value of K composed functions on 0 ... n-1 at a point: one answer, at the last position",
    "prompts f_1(0) ... f_1(n-1) ... f_K(0) ... f_K(n-1) x",
    reference,
    sample,
    every,
    (FUNCTIONS,),
    "Peng, Narayanan and Papadimitriou (2024), On limitations of the transformer architecture",
    training=Training(
        _vocabularies,
        _batch,
        (DOMAIN, FUNCTIONS, THOUGHTS, QUERIES, FEW, FIXED_POINTS),
        causal=lambda at: bool(at["thoughts"]),
    ),
)
