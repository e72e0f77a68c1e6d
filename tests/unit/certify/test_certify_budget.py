"""The work that a certificate may take."""

import pytest

from capax.certify.certify_budget import PER_LENGTH, PER_VERDICT, PER_WHOLE, WorkBudget
from capax.certify.not_certified import NotCertified


def test_work_is_counted_and_what_is_beyond_is_not_begun() -> None:
    """For one length and for a whole verdict; all that is left may be spent."""
    assert (PER_VERDICT, PER_LENGTH) == (64_000_000, 40_000_000), (
        "verdicts depend on them: a change is seen in certificates"
    )
    budget = WorkBudget()
    assert (budget.verdict.left, budget.length.left) == (PER_VERDICT, PER_LENGTH)
    budget.spend(PER_LENGTH - 5)
    budget.spend(3)
    with pytest.raises(NotCertified, match="too many combinations") as caught:
        budget.spend(3)
    assert caught.value.too_many
    budget.spend(2)
    assert (budget.verdict.left, budget.length.left) == (PER_VERDICT - PER_LENGTH, 0)
    budget.next_length()
    assert (budget.verdict.left, budget.length.left) == (PER_VERDICT - PER_LENGTH, PER_LENGTH)
    with pytest.raises(NotCertified):
        budget.spend(PER_VERDICT - PER_LENGTH + 1)
    budget.spend(PER_VERDICT - PER_LENGTH)
    with pytest.raises(NotCertified):
        budget.spend(1)
    budget.next_system()
    budget.next_length()
    budget.spend(1)
    assert (budget.verdict.left, budget.length.left) == (PER_VERDICT - 1, PER_LENGTH - 1)


def test_the_whole_length_may_take_more() -> None:
    """It is tried once with each kind of axes; what comes after it starts anew, with less."""
    budget = WorkBudget()
    budget.next_whole()
    budget.next_length()
    assert budget.verdict.left == budget.length.left == PER_WHOLE > PER_VERDICT
    budget.spend(PER_WHOLE - 1)
    budget.next_length()
    assert budget.verdict.left == budget.length.left == PER_WHOLE
    budget.next_system()
    budget.next_length()
    assert (budget.verdict.left, budget.length.left) == (PER_VERDICT, PER_LENGTH)
