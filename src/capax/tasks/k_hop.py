"""k-hop induction: the token after the last occurrence of this token before, k times over."""

from collections.abc import Iterator
from itertools import product
from typing import Any

from capax.tasks.base.parameter import Parameter
from capax.tasks.base.task import Task

HOPS = Parameter("hops", 2, "the number k of hops", 1, 1 << 20)
SYMBOLS = Parameter("symbols", 3, "the number of different tokens, 0, 1, ...", 2, 10_000)
NOWHERE = -1


def reference(word: list[int], hops: int, symbols: int) -> list[int]:
    """At each position the token k hops back, or -1 where the hops lead nowhere.

    A hop from position i goes to the last position j <= i whose token before it is x_i.
    """
    last: dict[int, int] = {}
    hop: list[int | None] = []
    for i, x in enumerate(word):
        hop.append(last[x] + 1 if x in last else None)
        last[x] = i
    answers = []
    for i in range(len(word)):
        position: int | None = i
        for _ in range(hops):
            if (
                position is None or hop[position] == position
            ):  # hops go back or stay, so that a position that stays is the last
                break
            position = hop[position]
        answers.append(NOWHERE if position is None else word[position])
    return answers


def sample(random: Any, n: int, hops: int, symbols: int) -> list[int]:
    """A random word; the fewer of the tokens are in use, the further the hops lead."""
    return [int(x) for x in random.integers(0, int(random.integers(1, symbols + 1)), n)]


def every(n: int, hops: int, symbols: int) -> Iterator[list[int]]:
    """All words of length n."""
    return (list(word) for word in product(range(symbols), repeat=n))


TASK = Task(
    "k-hop",
    "the token k hops back, where a hop goes to the position after the last earlier equal token; or -1",
    "words over 0 ... symbols - 1",
    reference,
    sample,
    every,
    (HOPS, SYMBOLS),
    "Sanford, Hsu and Telgarsky (2024), Transformers, parallel computation, and logarithmic depth",
)
