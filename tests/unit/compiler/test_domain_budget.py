"""A budget bounds the work of compiling, with a message that says where it ended."""

import pytest

import capax
from capax import aggregate, indices, length, select, selector_width, tokens
from capax.budget import STEPS_PER_UNIT, Budget
from capax.compiler.domain import domain, spend
from capax.compiler.layout.network import MOST_PARAMETERS, check_parameters
from capax.errors import CapaxError
from capax.rasp.ir.nodes import Indices

REVERSE = aggregate(select(indices, length - 1 - indices, "=="), tokens)


def test_a_small_budget_ends_compiling() -> None:
    with pytest.raises(CapaxError, match=r"more than 100 steps, a budget of 1 \(units of 100 steps\)") as caught:
        capax.compile(REVERSE, alphabet="abc", max_length=50, budget=1)
    assert caught.value.code == "too-many-values"
    assert "raise the budget" in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("count", "helps"), [(50_000_001, True), (MOST_PARAMETERS, True), (MOST_PARAMETERS + 1, False)]
)
def test_a_larger_budget_is_not_advised_for_a_model_that_no_file_holds(count: int, helps: bool) -> None:
    with pytest.raises(CapaxError) as caught:
        check_parameters(count, domain("ab", 3))
    assert caught.value.code == "too-many-values"
    assert ("raise the budget" in (caught.value.hint or "")) == helps
    assert "shorten max_length" in (caught.value.hint or "")


def test_the_usual_budget_is_enough_and_a_larger_one_changes_nothing() -> None:
    one, two = (capax.compile(REVERSE, alphabet="abc", max_length=20, budget=b).model for b in (20_000, 40_000))
    assert one == two


def test_steps_are_counted_together() -> None:
    budget = Budget.of_units(2)
    spend(budget, 2 * STEPS_PER_UNIT - 1, Indices())
    spend(budget, 1, None)
    with pytest.raises(CapaxError, match="at `indices`"):
        spend(budget, 1, Indices())


def test_shared_selectors_are_gone_through_once() -> None:
    """A hundred selectors, each made of the one before in three ways: steps, not seconds, are counted."""
    selector, earlier = select(tokens, tokens, "=="), select(indices, indices, "<")
    for _ in range(100):
        selector = (selector & earlier) | (~selector & selector)
    made = capax.compile(selector_width(selector), alphabet="ab", max_length=4, certify=False, budget=200)
    assert list(made("aaba")) == list(selector_width(selector)("aaba"))


def test_shared_conjunctions_are_gone_through_once() -> None:
    """Each conjunction holds the one before twice."""
    selector = select(indices, indices, "<=")
    for k in range(40):
        selector = (selector & select(indices, k, "!=")) & (selector & select(tokens, "c", "!="))
    made = capax.compile(selector_width(selector), alphabet="abc", max_length=4, certify=False, budget=2_000)
    assert list(made("acba")) == list(selector_width(selector)("acba"))


def test_a_program_of_too_many_parts_is_refused_at_once() -> None:
    program = indices
    for k in range(700):
        program = program + k
    with pytest.raises(CapaxError, match="has 1,401 parts, more than the budget of 1,200"):
        capax.compile(program, alphabet="ab", max_length=3, budget=1_200)
