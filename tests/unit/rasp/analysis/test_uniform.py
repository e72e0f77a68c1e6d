"""S-ops that are the same at all positions, and aggregates of equal values, against the definition."""

import itertools
import math
from typing import Any

import pytest
from hypothesis import assume, event, given, settings

from capax import (
    CapaxError,
    Program,
    aggregate,
    best,
    full_s,
    indices,
    length,
    select,
    selector_width,
    tokens,
    tokens_int,
    where,
)
from capax.rasp.analysis.uniform import averages_equal, is_uniform
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import Aggregate, Const, Map, Node, Select, SOpNode
from capax.rasp.meaning.reference import ReferenceEvaluation
from capax.rasp.meaning.sequence import Matrix
from capax.rasp.rewrite.prepare import prepare
from tests.support.programs import graphs, words

total = aggregate(full_s, indices)


@given(graphs(), words())
@settings(max_examples=300)
def test_random_programs(node: Node, word: Any) -> None:
    """What is called uniform has one value at all positions; what is averaged as equal has equal values at its keys."""
    run = ReferenceEvaluation(word)
    try:
        run.value(node)
    except CapaxError:
        assume(False)
    for part in topological(node):
        if is_uniform(part) and isinstance(part, SOpNode):
            event("uniform")
            assert len(set(map(repr, run.value(part).values))) == 1  # type: ignore[union-attr]
        elif is_uniform(part):
            rows = run.value(part).rows  # type: ignore[union-attr]
            assert all(row == rows[0] for row in rows)
        if isinstance(part, Aggregate) and averages_equal(part):
            event("averages equal values")
            chosen, values = run.value(part.selector), run.value(part.value).values  # type: ignore[union-attr]
            assert isinstance(chosen, Matrix)
            for row in chosen.rows:
                picked = [v for v, on in zip(values, row, strict=True) if on]
                large = any(not isinstance(v, str) and abs(v) >= 2**53 for v in picked)
                assert large or len(set(picked)) <= 1 or any(map(math.isnan, picked))


FIRST_TOKEN = aggregate(select(indices, 0, "=="), tokens_int)
UNIFORM: dict[str, Program] = {
    "the length": length,
    "of the length": (length + 5) % 3,
    "the first token": FIRST_TOKEN,
    "how often the first token is there": selector_width(select(tokens_int, FIRST_TOKEN, "==")),
    "the greatest token": aggregate(best(full_s, tokens_int), tokens_int),
    "one of two": where(length == 2, FIRST_TOKEN, length),
}
NOT_UNIFORM: dict[str, Program] = {
    "the position": indices,
    "the token": tokens_int,
    "the mirror": length - indices,
    "a count of equal tokens": selector_width(select(tokens, tokens, "==")),
    "the first token, or none": aggregate(select(indices, 0, "==") & select(indices, indices, "<"), tokens_int),
    "the greatest so far": aggregate(best(select(indices, indices, "<="), tokens_int), tokens_int),
}


def has_one_value(sop: Program) -> bool:
    """Whether an s-op has one value on each word of up to four digits."""
    words = ("".join(w) for n in range(1, 5) for w in itertools.product("04", repeat=n))
    return all(len(set(sop(word))) == 1 for word in words)


@pytest.mark.parametrize("name", UNIFORM)
def test_one_value_at_all_positions(name: str) -> None:
    """Then its mean over any keys is that value."""
    assert is_uniform(UNIFORM[name].node)
    assert has_one_value(UNIFORM[name])


@pytest.mark.parametrize("name", NOT_UNIFORM)
def test_different_values_at_positions(name: str) -> None:
    """None of these is called uniform."""
    assert not has_one_value(NOT_UNIFORM[name])
    assert not is_uniform(NOT_UNIFORM[name].node)


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (aggregate(select(tokens, tokens, "<"), length, 1), True),
        (aggregate(select(tokens, tokens, "<"), total * 2 + length, 1), True),
        (aggregate(select(tokens, tokens, "=="), tokens), True),
        (aggregate(select(tokens, "a", "==") & select(indices, indices, "<"), tokens == "a"), True),
        (aggregate(select(indices % 3, 1, "=="), indices % 3 + length), True),
        (aggregate(select(indices % 3, 1, "=="), indices), False),
        (aggregate(select(tokens, tokens, "=="), selector_width(select(tokens, tokens, "=="))), True),
        (aggregate(select(tokens, tokens, "=="), aggregate(select(tokens, tokens, "<="), indices)), True),
        (
            aggregate(select(tokens, tokens, "=="), aggregate(best(select(indices, tokens_int, "<"), indices), tokens)),
            False,
        ),
        (aggregate(select(tokens, tokens, "=="), selector_width(select(indices, indices, "<"))), False),
        (
            aggregate(
                select(tokens, tokens, "=="), selector_width(select(tokens, tokens, "==") & select(1, indices, "<"))
            ),
            False,
        ),
        (aggregate(select(tokens, tokens, "<="), selector_width(select(tokens, tokens, "=="))), False),
        (aggregate(select(tokens, tokens, "<="), tokens), False),
        (aggregate(select(tokens, tokens, "==") | select(indices, 0, "=="), tokens), False),
        (aggregate(select(total, total, "<"), indices), False),
    ],
)
def test_averages_of_equal_values(program: Any, expected: bool) -> None:
    """Functions of uniform s-ops and of what keys are equal by."""
    assert averages_equal(program.node) is expected


def test_numbers_written_into_strings() -> None:
    """1 and 1.0 are equal keys, and differ as texts."""
    mean = aggregate(select(indices, indices, "<="), indices)
    text = Map("==", (Map("%", (Const("%s"), mean.node)), Const("1")))
    assert not averages_equal(Aggregate(Select(mean.node, Const(1), "=="), Map("indicator", (text,)), 0))


def test_lengths_of_prefixes_are_not_uniform() -> None:
    """Where later positions are hidden, each position has a length of its own."""
    program = aggregate(select(tokens, tokens, "<"), length, 1).node
    assert averages_equal(prepare(program, causal=False)[0])  # type: ignore[arg-type]
    assert not averages_equal(prepare(program, causal=True)[0])  # type: ignore[arg-type]
