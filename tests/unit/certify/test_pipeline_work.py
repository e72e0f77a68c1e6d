"""What happens where a check would take too much work."""

import pytest

from capax.budget import Budget
from capax.certify.certify_budget import PER_VERDICT, WorkBudget
from capax.certify.not_certified import NotCertified
from capax.certify.pipeline import (
    ProofCache,
    check_length,  #
)
from capax.certify.recheck.recheck import spec_of
from capax.model.model import Model
from capax.rasp.analysis.output_spec import OutputSpec
from tests.support.perturbed import compiled


def sort() -> tuple[Model, OutputSpec]:
    """A model, and what it is to compute."""
    made = compiled("sort")
    return made.model, spec_of(made.model, made.program.node, causal=False)  # type: ignore[arg-type]


def test_a_length_with_too_much_work_is_not_tried_again() -> None:
    """Nor is a longer one; shorter ones are."""
    model, spec = sort()
    budget, cache = WorkBudget(Budget(10)), ProofCache()
    with pytest.raises(NotCertified) as caught:
        check_length(model, spec, numbers="float32", longest=3, budget=budget, cache=cache)
    assert caught.value.too_many
    assert cache.too_long == 3
    budget.next_system()
    for longest in (3, 4):
        with pytest.raises(NotCertified, match="too many combinations") as again:
            check_length(model, spec, numbers="float32", longest=longest, budget=budget, cache=cache)
        assert again.value.too_many
    assert budget.verdict.left == PER_VERDICT
    assert check_length(model, spec, numbers="float32", longest=2, budget=budget, cache=cache).length == 2


def test_other_refusals_leave_other_lengths_open() -> None:
    model, spec = sort()
    cache = ProofCache()
    with pytest.raises(NotCertified) as caught:
        check_length(model, spec, numbers="bfloat16", longest=4, keys=1000, cache=cache)
    assert not caught.value.too_many
    assert cache.too_long > 10**9


def test_what_is_kept_costs_the_same_again() -> None:
    """So that a verdict does not depend on what was tried before it."""
    model, spec = sort()
    budget, cache, spent = WorkBudget(), ProofCache(), []
    for _ in range(2):
        before = budget.verdict.spent
        check_length(model, spec, numbers="float32", longest=3, budget=budget, cache=cache)
        spent.append(budget.verdict.spent - before)
    assert spent[0] == spent[1] > 0
