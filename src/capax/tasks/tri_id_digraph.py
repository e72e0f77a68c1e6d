"""TriIDGraph on all matrices of bits: is this vertex in a directed triangle?"""

from collections.abc import Iterator
from itertools import product
from typing import Any

from capax.tasks.base.task import Task


def reference(word: list[str]) -> list[int]:
    """1 for each vertex i with some j and k such that x_ij x_jk x_ki = 1; vertex i's token is row i of the matrix."""
    n = len(word)
    out = [[j for j in range(n) if word[i][j] == "1"] for i in range(n)]
    return [int(any(word[k][i] == "1" for j in out[i] for k in out[j])) for i in range(n)]


def sample(random: Any, n: int) -> list[str]:
    """A random directed graph without loops: layers with edges to the next one, and up to three edges more."""
    layer = random.integers(0, 4, n)
    keep = random.random((n, n)) < random.random()
    rows = [[int(bool(keep[i, j]) and layer[j] == layer[i] + 1) for j in range(n)] for i in range(n)]
    for i, j in random.integers(0, n, (int(random.integers(0, 4)), 2)).tolist():
        rows[i][j] = int(i != j)
    return ["".join(map(str, row)) for row in rows]


def every(n: int) -> Iterator[list[str]]:
    """All matrices of n rows of n bits."""
    lines = ["".join(bits) for bits in product("01", repeat=n)]
    return (list(word) for word in product(lines, repeat=n))


TASK = Task(
    "tri-id-digraph",
    "1 for each vertex i of a directed graph with edges i to j, j to k, k to i; token i is row i of the matrix",
    "matrices of n rows of n bits",
    reference,
    sample,
    every,
    (),
    "the poster of Sanford, Hsu and Telgarsky (2023), whose bound for TriIDGraph is over all matrices of bits",
)
