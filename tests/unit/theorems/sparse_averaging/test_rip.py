"""Restricted isometry as a theorem."""

import pytest

from capax import CapaxError
from capax.theorems.sparse_averaging.parts.random_unit import RandomKeys
from capax.theorems.sparse_averaging.rip import THEOREM, least_with_duals, least_with_property, settled_m


def test_the_least_m_has_the_property_and_the_norm_bound() -> None:
    """The printed m is the one that the check is about; the norm bound is met there."""
    at = THEOREM.at(n=9, q=2)
    keys = RandomKeys(9, 2, 0, at.subsets)
    m = settled_m(at)
    assert m == least_with_property(keys, 0.25)
    assert (least_with_duals(keys, 0.25) or 0) <= m
    run = THEOREM.run(n=9, q=2)
    assert run.check.holds
    assert run.rows[0].built == m
    longest = next(row for row in run.rows if row.what == "longest dual vector")
    assert float(longest.built) <= float(longest.bound)


def test_an_m_that_is_too_small_fails() -> None:
    """Below the least m the property fails, with supports; far below, the norm bound too."""
    low, lower = (THEOREM.run(n=9, q=2, m=m).check for m in (60, 4))
    assert not low.holds
    assert [part.holds for part in low.parts][:2] == [False, True]
    assert len(low.counterexample["supports"]) == 2
    assert [part.holds for part in lower.parts][:2] == [False, False]


def test_supports_that_do_not_fit_are_refused() -> None:
    """A support of q and one of 2q columns need 3q."""
    with pytest.raises(CapaxError, match="do not fit"):
        THEOREM.run(n=5, q=2)


def test_between_the_bounds_nothing_is_claimed() -> None:
    """Where the constant is not known, the report says that no violation was found, as a sample."""
    model = THEOREM.build(n=18, q=2, m=500)
    check = THEOREM.verify(model, THEOREM.at(n=18, q=2, m=500))
    assert check.holds
    assert check.evidence == "sampled"
    assert "not proved" in check.parts[0].statement
