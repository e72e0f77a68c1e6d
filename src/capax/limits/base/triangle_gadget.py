"""Set disjointness as directed triangles: a graph on N vertices that has one exactly if two sets of k^2 bits meet.

Let k = floor(N / 3). The vertices are u_1 ... u_k (Alice's), v_1 ... v_k (Bob's), w_1 ... w_k, and up to two more
without edges. Alice's bit (i, j) is the edge u_i to v_j, Bob's bit (i, j) the edge v_j to w_i, and w_i to u_i is always
there. All edges lead from a class to the next one, so a directed triangle is u_i, v_j, w_i with both bits 1. A row of
the matrix depends on one party's bits, or on none: u_i's on Alice's, v_j's on Bob's.
"""

from collections.abc import Sequence
from itertools import product

from capax.tasks.tri_id_digraph import reference


def side(n: int) -> int:
    """k: a set has k^2 bits."""
    return n // 3


def gadget(a: Sequence[int], b: Sequence[int], n: int) -> list[str]:
    """The rows of the matrix for sets of k^2 bits, the bit (i, j) at i k + j."""
    k = side(n)
    assert len(a) == len(b) == k * k, "k^2 bits each"
    rows = [[0] * n for _ in range(n)]
    for i, j in product(range(k), repeat=2):
        rows[i][k + j] = a[i * k + j]
        rows[k + j][2 * k + i] = b[i * k + j]
    for i in range(k):
        rows[2 * k + i][i] = 1
    return ["".join(map(str, row)) for row in rows]


def checked(n: int) -> int:
    """The number of pairs of sets for which the definition of the task agrees with the gadget: all of them have to."""
    bits = list(product((0, 1), repeat=side(n) ** 2))
    for a, b in product(bits, repeat=2):
        answers = reference(gadget(a, b, n))
        meet = any(x and y for x, y in zip(a, b, strict=True))
        assert any(answers[: side(n)]) == any(answers) == meet, "a triangle exactly if the sets meet"
    return len(bits) ** 2
