"""The plan for the outside checker: what heads compute, and how the program follows from it."""

import json

import pytest

import capax
from capax import aggregate, indices, length, select, tokens
from capax.certify.plan.plan import LAST, plan_of, with_plan
from capax.certify.plan.program_parts import meant
from capax.model.io.file import from_bytes, to_bytes
from capax.rasp.ir.nodes import Aggregate, And, Best, Width
from tests.support.checked_files import SMALL, small_model


def test_a_plan_names_nodes_and_has_no_numbers() -> None:
    """Heads and links are names of statements; the length is read at the last position."""
    model = small_model("reverse")
    plan = plan_of(model)
    assert plan is not None
    assert (plan.length, plan.same, plan.parts, plan.orders) == (4, {}, {}, {})
    assert [[len(head) for head in block] for block in plan.heads] == [[1], [1]]
    statements = dict(line.rstrip(";").split(" = ", 1) for line in plan.nodes.splitlines())
    assert statements[plan.heads[0][0][0]].startswith("aggregate(")  # of the best, which is the last
    links = {"same", "parts", "orders", "limits", "counts"}
    assert set(plan.to_json()) == {"version", "length", "nodes", "heads", *links, "states"}


def test_plans_travel_in_the_file() -> None:
    """As a fact of the model, which is read again as it was."""
    model = small_model("sort")
    assert model.provenance.plan is not None
    again = from_bytes(to_bytes(model), "the model")
    assert json.dumps(again.provenance.plan) == json.dumps(model.provenance.plan)


@pytest.mark.parametrize("name", SMALL)
def test_every_name_has_a_statement(name: str) -> None:
    """In heads and links alike."""
    plan = plan_of(small_model(name))
    assert plan is not None
    known = {line.split(" = ", 1)[0] for line in plan.nodes.splitlines()} | set(plan.states)
    named = {n for block in plan.heads for head in block for n in head}
    named |= {n for links in (plan.same, plan.parts) for one, others in links.items() for n in (one, *others)}
    named |= {n for links in (plan.limits, plan.counts) for pair in links.items() for n in pair}
    named |= {n.removeprefix("-") for rank, keys in plan.orders.items() for n in (rank, *keys)}
    assert named <= known


def test_ranks_have_their_order() -> None:
    """Of a sort in descending order the key comes with a sign, and then the position."""
    plan = plan_of(small_model("sort of numbers"))
    assert plan is not None
    statements = dict(line.rstrip(";").split(" = ", 1) for line in plan.nodes.splitlines())
    assert [statements[key.removeprefix("-")] for key in next(iter(plan.orders.values()))][-1] == "indices"


def test_models_that_the_checker_does_not_know_have_no_plan() -> None:
    """Those in bfloat16, for instance."""
    small = capax.compile(tokens, alphabet="ab", max_length=2, dtype="bfloat16", words=5).model
    assert plan_of(small) is None
    assert with_plan(small) is small


def test_states_of_a_loop_have_slots_values_and_codes() -> None:
    """And so has what no round changes, under its name in the plan."""
    model = small_model("kept in a loop")
    plan, claims = plan_of(model), model.provenance.loop
    assert plan is not None
    assert claims is not None
    assert list(plan.states.values()) == list(claims)
    seen, kept = plan.states
    assert seen == "state_seen"
    statements = dict(line.rstrip(";").split(" = ", 1) for line in plan.nodes.splitlines())
    count, _ = statements[kept].split(" == ")
    assert statements[count].startswith("selector_width(")
    assert seen not in statements
    assert plan.to_json()["states"][seen] == {"slot": claims[0].slot, "values": [False, True], "codes": [0, 1]}


def test_selectors_of_pairs_are_linked_to_those_of_heads() -> None:
    """The compiler writes conjunctions in another order than the program does."""
    plan = plan_of(small_model("triangles"))
    assert plan is not None
    assert list(plan.same.values()) == [(plan.heads[0][0][0],)]


def test_the_program_is_meant_as_the_checker_reads_it() -> None:
    """The length is a count; later positions are hidden; a `best` inside a selector is a test of positions."""
    assert meant(length.node, causal=False) is Width(select(1, 1, "==").node)
    causal = meant(aggregate(select(tokens, tokens, "=="), indices).node, causal=True)
    assert isinstance(causal, Aggregate)
    assert isinstance(causal.selector, And)
    inside = aggregate(capax.best(select(tokens, "a", "=="), indices) & select(indices, 0, ">"), tokens, "")
    both = meant(inside.node, causal=False)
    assert isinstance(both, Aggregate)
    assert not any(isinstance(part, Best) for part in both.selector.operands)
    assert isinstance(LAST.selector, Best)
