"""Restricted isometry as a theorem."""

import pytest

from capax import CapaxError
from capax.theorems.sparse_averaging.parts import rip_search
from capax.theorems.sparse_averaging.parts.random_unit import RandomKeys
from capax.theorems.sparse_averaging.parts.rip_search import m_with_duals, m_with_property, meets
from capax.theorems.sparse_averaging.rip import THEOREM, settled_m


def test_the_least_m_has_the_property_and_the_norm_bound() -> None:
    """The printed m is the one that the check is about; the norm bound is met there."""
    at = THEOREM.at(n=9, q=2)
    keys = RandomKeys(9, 2, 0, at.subsets)
    m = settled_m(at)
    assert m == m_with_property(keys, 0.25)
    assert (m_with_duals(keys, 0.25, 2) or 0) <= m
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


def test_more_rows_can_be_worse() -> None:
    """The norm bound is not monotone in m, so no row calls an m the least, or speaks of all larger ones."""
    keys = RandomKeys(9, 1, 0, 100)
    assert meets(keys, 12, 0.2)
    assert not meets(keys, 15, 0.2)
    text = " ".join(f"{row.what} {row.note}" for row in THEOREM.run(n=9, q=1, delta=0.2).rows)
    assert "least" not in text
    assert "from here on" not in text


def test_a_property_that_needs_too_many_rows_is_said_and_not_called_false() -> None:
    """The m with the property is printed and called too large to build; what was checked elsewhere holds."""
    run = THEOREM.run(n=20, q=2, delta=0.1)
    assert run.check.holds
    m = run.rows[0].built
    assert f"at m = {m}" in run.check.parts[0].figures["too large to build"]
    assert "at m = 5,316" in run.check.parts[0].statement
    assert "too large to build" in run.rows[1].note
    assert not THEOREM.run(n=20, q=2, delta=0.1, m=m).check.holds


def test_the_norm_bound_over_a_sample_of_sets_is_called_so() -> None:
    """With more than 5,000 sets, the rows about dual vectors say how many were tried."""
    notes = {row.what: row.note for row in THEOREM.run(n=102, q=2, subsets=8, delta=0.3, m=300).rows}
    assert "of 5,151 sets" in notes["an m with the norm bound"]
    assert "of 5,151 sets" in notes["longest dual vector"]


@pytest.mark.parametrize("delta", [0.32, 0.45, 0.499])
def test_every_delta_below_a_half_is_taken(delta: float) -> None:
    """Where the lemma allows products outside above 3/4, the vectors are held to 3/4, and the averages are right."""
    run = THEOREM.run(n=9, q=2, delta=delta)
    assert run.check.holds
    assert "3/4" in run.check.parts[1].statement
    with pytest.raises(CapaxError):
        THEOREM.at(n=9, q=2, delta=0.5)


def test_a_table_of_all_sets_that_is_too_large_holds_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    """All sets are measured, and the model answers the worst of them and some at random."""
    monkeypatch.setattr(rip_search, "MOST_ENTRIES", 1000)
    parts = THEOREM.run(n=20, q=2, m=150, subsets=8, seed=77, delta=0.45).check.parts
    assert parts[1].evidence == "exhaustive"
    assert parts[1].count == 190
    assert [part.evidence for part in parts[2:]] == ["sampled", "sampled"]
    assert 20 <= (parts[3].count or 0) <= 48
    assert parts[3].holds
