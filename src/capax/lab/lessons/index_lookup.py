"""The symbol at the place that the last token names."""

import numpy as np

from capax.lab.lessons.frame.lesson import NOTHING, At, Batch, Lesson, Words
from capax.tasks.base.parameter import Parameter
from capax.tasks.index_lookup import index

SYMBOLS = Parameter("symbols", 2, "the number of symbols, 0, 1, ...", 2, 1_000)
PLACES = Parameter("places", 0, "the number of places that have a name; 0: as many as the longest words have", 0)


def _words(at: At, n: int) -> Words:
    symbols = tuple(range(at["symbols"]))
    return Words((*symbols, *(index(place) for place in range(at["places"] or n))), symbols)


def _batch(random: np.random.Generator, count: int, n: int, at: At) -> Batch:
    symbols = random.integers(0, at["symbols"], (count, n))
    place = random.integers(0, min(n, at["places"] or n), count)
    answers = np.full((count, n + 1), NOTHING)
    answers[:, -1] = symbols[np.arange(count), place]
    return Batch(np.concatenate([symbols, at["symbols"] + place[:, None]], axis=1), answers)


LESSON = Lesson("index-lookup", "the symbol at the place that the last token names", _words, _batch, (SYMBOLS, PLACES))
