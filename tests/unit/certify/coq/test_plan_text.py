"""Plans of proofs over states: what they say of counts and heads, and what they refuse."""

import pytest

from capax import CapaxError
from capax.certify.coq.plan_text import StatePlan, state_plan
from capax.certify.coq.program_text import ProgramText
from capax.certify.hints import hints_of
from capax.certify.recheck.recheck import spec_of
from tests.support.coq_models import compiled, program


def plan(text: str, alphabet: str = "abc", length: int = 16) -> StatePlan:
    """The plan of a compiled program."""
    model = compiled(text, alphabet, length)
    root = spec_of(model, program(text).node, causal=False).root
    coq = ProgramText(model.vocabulary.tokens)
    coq.sop(root)
    return state_plan(model, coq, hints_of(model, root))


def test_sort_goes_by_a_rank() -> None:
    """A width in two parts, and an order of tokens and positions that makes its ranks different."""
    result = plan("sort(tokens, tokens)")
    assert "Parts 3 [5; 6]%nat" in result.facts
    assert "Group [5; 6]%nat 0" in result.facts
    assert "ByRank (Plus (Times (Num 16) (There 0)) (There 1))" in result.plans
    assert "Counts 5" in result.plans


def test_a_histogram_counts_its_own_position() -> None:
    """So a count is at least 1."""
    assert "Group [3]%nat 1; Limit [3]%nat 1 17" in plan("selector_width(select(tokens, tokens, ==))").facts


def test_the_length_is_read_at_the_last_position() -> None:
    """A head without sink, whose one key is the last."""
    assert "(Here 2) ByIndex" in plan("aggregate(select(indices, length - indices - 1, ==), tokens)").plans


def test_a_mean_is_a_total() -> None:
    """With bounds by the length."""
    result = plan("aggregate(full_s, indicator(tokens == '1')) > 0.5", alphabet="01")
    assert "Means 3" in result.plans
    assert "Bounds 3 (0) (1)" in result.facts


@pytest.mark.parametrize(
    "text",
    [
        "aggregate(select(tokens, 'a', ==), indices) == 1",
        "aggregate(select(indices, indices - 1, ==), tokens) == 'a'",
        "selector_width(select(selector_width(select(tokens, tokens, ==)), 2, ==))",
    ],
)
def test_what_states_do_not_cover_is_refused(text: str) -> None:
    """Several keys, perhaps no key, counts of counts: Coq's check would fail."""
    with pytest.raises(CapaxError) as error:
        plan(text, length=4)
    assert error.value.code == "not-in-coq"
