"""The measured error of a unit."""

import math
from itertools import combinations, product

import numpy as np

from capax.tasks.q_sparse_averaging import TASK
from capax.theorems.sparse_averaging.parts.dual import nearest_dual, sign_keys
from capax.theorems.sparse_averaging.parts.reading import TokenReading, point_vector
from capax.theorems.sparse_averaging.parts.unit import table_unit
from capax.theorems.sparse_averaging.parts.worst_error import measure


def test_the_measured_deviation_is_the_worst_of_all_signs() -> None:
    """By brute force over all words of signs, for each of some subsets."""
    keys, reading = sign_keys(6, 5, 1), TokenReading(6, 2, 1)
    which = tuple(combinations(range(6), 2))
    queries = np.array([4 * nearest_dual(keys, s) for s in which])
    model = table_unit(keys, queries, which, 1, "float64")
    worst = 0.0
    for subset in which:
        for signs in product((1, -1), repeat=6):
            word = [(point_vector(s, 1), subset) for s in signs]
            got = model(reading.word(signs, [subset] * 6))
            worst = max(worst, max(abs(g - r[0]) for g, r in zip(got, TASK.answer(word, q=2), strict=True)))
    found = measure(model, reading, which, 0)
    assert math.isclose(found.deviation, worst, rel_tol=1e-9)
    assert math.isclose(found.answer, worst, rel_tol=1e-9)
