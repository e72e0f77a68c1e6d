"""Index lookup: the symbol at the position that the last token names."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from capax.tasks.base.parameter import Parameter
from capax.tasks.base.task import Task
from capax.tasks.base.training import IGNORE, ParameterValues, Training, TrainingBatch, Vocabularies

SYMBOLS = Parameter("symbols", 2, "the number of symbols, 0, 1, ...", 2, 1_000)
POSITIONS = Parameter("places", 0, "the number of positions that have a name; 0: as many as the longest words have", 0)


def index(position: int) -> str:
    """The token that names a position."""
    return f"@{position}"


def reference(word: list[int | str], symbols: int) -> int:
    """The symbol at position p of a word s_0 ... s_(n-1) @p."""
    symbol = word[int(str(word[-1]).removeprefix("@"))]
    assert isinstance(symbol, int), "a position before the last"
    return symbol


def sample(random: Any, n: int, symbols: int) -> list[int | str]:
    """A random word of n symbols and an index."""
    return [*(int(x) for x in random.integers(0, symbols, n)), index(int(random.integers(n)))]


def every(n: int, symbols: int) -> Iterator[list[int | str]]:
    """All words of n symbols with every index."""
    for word in product(range(symbols), repeat=n):
        for position in range(n):
            yield [*word, index(position)]


def _vocabularies(at: ParameterValues, n: int) -> Vocabularies:
    symbols = tuple(range(at["symbols"]))
    return Vocabularies((*symbols, *(index(position) for position in range(at["places"] or n))), symbols)


def _batch(random: np.random.Generator, count: int, n: int, at: ParameterValues) -> TrainingBatch:
    symbols = random.integers(0, at["symbols"], (count, n))
    position = random.integers(0, min(n, at["places"] or n), count)
    answers = np.full((count, n + 1), IGNORE)
    answers[:, -1] = symbols[np.arange(count), position]
    return TrainingBatch(np.concatenate([symbols, at["symbols"] + position[:, None]], axis=1), answers)


TASK = Task(
    "index-lookup",
    "the symbol at position p: one answer, at the last position",
    "words s_0 ... s_(n-1) @p with symbols below `symbols`",
    reference,
    sample,
    every,
    (SYMBOLS,),
    "Bhattamishra, Hahn, Blunsom and Kanade (2024), Separations in the representational capabilities of transformers "
    "and recurrent architectures",
    training=Training(
        _vocabularies,
        _batch,
        (SYMBOLS, POSITIONS),
    ),
)
