"""TriIDGraph: is this vertex in a triangle?"""

from collections.abc import Iterator
from itertools import combinations, product
from typing import Any

from capax.tasks.base.task import Task


def reference(word: list[str]) -> list[int]:
    """1 for each vertex that has two neighbours which are neighbours; vertex i's token is row i of the matrix."""
    n = len(word)
    near = [[j for j in range(n) if word[i][j] == "1"] for i in range(n)]
    return [int(any(word[j][k] == "1" for j, k in combinations(near[i], 2))) for i in range(n)]


def rows(n: int, edges: set[tuple[int, int]]) -> list[str]:
    """The rows of the adjacency matrix of a graph with edges (i, j), i < j."""
    return ["".join(str(int((min(i, j), max(i, j)) in edges)) for j in range(n)) for i in range(n)]


def sample(random: Any, n: int) -> list[str]:
    """A random graph: of two classes with edges between them, which has no triangle, and up to two edges more."""
    side = random.integers(0, 2, n)
    pairs = list(combinations(range(n), 2))
    chosen = random.random(len(pairs)) < random.random()
    edges = {pair for pair, keep in zip(pairs, chosen, strict=True) if keep and side[pair[0]] != side[pair[1]]}
    if pairs:
        edges |= {pairs[int(k)] for k in random.integers(0, len(pairs), int(random.integers(0, 3)))}
    return rows(n, edges)


def every(n: int) -> Iterator[list[str]]:
    """All graphs on n vertices."""
    pairs = list(combinations(range(n), 2))
    for chosen in product((False, True), repeat=len(pairs)):
        yield rows(n, {pair for pair, keep in zip(pairs, chosen, strict=True) if keep})


TASK = Task(
    "tri-id-graph",
    "1 for each vertex of a graph that is in a triangle, 0 for the others; token i is row i of the adjacency matrix",
    "simple graphs on n vertices, as n texts of n bits",
    reference,
    sample,
    every,
    (),
    "the poster of Sanford, Hsu and Telgarsky (2023), which calls triple detection on graphs TriIDGraph",
)
