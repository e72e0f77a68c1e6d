"""Results as JSON: numbers of any size are exact."""

import pytest

from capax.limits import limit
from capax.limits.base.large_numbers import exact


def test_numbers_of_any_size_are_exact_in_json() -> None:
    """A whole number is an integer or a text of its digits; one that is known by its logarithm has that."""
    found = limit("sequential-composition").run(n=2**896, layers=2, heads=1, dim=4, bits=4)
    rows = {row["name"]: row for row in found.to_json()["quantities"]}
    assert found.to_json()["at"]["n"] == str(2**896)
    assert (rows["H d p"]["value"], rows["H d p"]["form"]) == (16, "integer")
    assert (rows["N_1"]["value"], rows["N_1"]["form"], rows["N_1"]["log2"]) == (str(2**896), "digits", 896.0)
    assert int(rows["n by Theorem 4.1"]["value"]) == 2**896 + 2**640 + 2
    delta = rows["log2 Delta_2"]
    assert (delta["value"], delta["form"], delta["log2"]) == (None, "log2", pytest.approx(773))
    assert rows["budget of epoch 2"]["form"] == "number"
    assert exact(10**4000 - 1) == "9" * 4000
    assert exact(10**4000) == "10^4000"
    assert exact(2**20000) == "2^20000"
    assert int(exact(3**20000), 16) == 3**20000
