"""q-sparse averaging: parameters that are refused, and a wrong model."""

from itertools import combinations

import numpy as np
import pytest

from capax import CapaxError, theorems
from capax.theorems.sparse_averaging.parts.unit import table_unit
from capax.theorems.sparse_averaging.q_sparse_moment import curve_keys, curve_query


@pytest.mark.parametrize(
    ("name", "given_parameters"),
    [
        ("q-sparse-random", {"length": 16, "q": 3, "m": 4}),
        ("q-sparse-random", {"length": 4, "q": 4}),
        ("q-sparse-moment", {"length": 5, "q": 8}),
        ("q-sparse-honest", {"length": 3, "q": 3}),
        ("q-sparse-honest", {"length": 16, "q": 3, "steps": 0, "error": 0.001}),
    ],
)
def test_sizes_that_do_not_go_together_are_refused(name: str, given_parameters: dict[str, int]) -> None:
    """An m that is too small, a q that is too large, an error that no m reaches."""
    with pytest.raises(CapaxError) as raised:
        theorems.theorem(name).run(**given_parameters)
    assert raised.value.code == "bad-option"


def test_a_wrong_model_is_found_out() -> None:
    """A unit whose queries are of the neighbours' subsets is off, and the report has an input that shows it."""
    theorem = theorems.theorem("q-sparse-moment")
    at = theorem.at(length=8, q=2)
    which = tuple(combinations(range(8), 2))
    queries = np.array([curve_query("circle", 8, s, 0.1) for s in which[1:] + which[:1]])
    report = theorem.verify(table_unit(curve_keys("circle", 8, 2), queries, which, 1, "float64"), at)
    assert not report.holds
    assert report.counterexample["subset"]
