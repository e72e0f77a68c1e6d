"""Where the program's own numbers are rounded: what a certificate may not assume of them."""

import itertools
import math
from dataclasses import replace
from typing import Any

import pytest

import capax
from capax.certify import certify
from capax.certify.recheck.recheck import recheck, spec_of
from capax.certify.values.axes import Axes
from capax.certify.values.means import is_sum, unit_of
from capax.compiler.compile_program import build
from capax.compiler.domain import domain
from capax.errors import CapaxError
from capax.rasp.ir.nodes import SOpNode
from capax.rasp.meaning import reference
from capax.rasp.python.program import Program

BIG = 2**53 + 1
RANKED = "r = selector_width(select(tokens_asis, tokens_asis, <)); y = aggregate(select(r, r, ==), tokens_asis);"
MEAN = "a = aggregate(select(1, 1, ==), tokens_asis);"


def wrong_and_certified(text: str, alphabet: tuple[Any, ...], longest: int) -> list[Any]:
    """The words up to the certified length on which the model is wrong."""
    program = Program.from_text(text)
    assert isinstance(program.node, SOpNode)
    try:
        model = build(program.node, domain(alphabet, longest), {}).model
    except CapaxError:
        return []  # a refusal is an answer, too
    found = certify(model, spec_of(model, program.node, causal=False), ["float64"])
    length = found.verdicts[0].length
    words = [w for n in range(1, length + 1) for w in itertools.product(alphabet, repeat=n)]
    return [w for w in words if list(reference.evaluate(program.node, w)) != model(w)]


@pytest.mark.parametrize(
    ("text", "alphabet"),
    [
        (f"{RANKED} y == tokens_asis;", (0.1, 2)),
        (f"{MEAN} (a + {BIG}) - {BIG} == a;", (3,)),
        (f"{MEAN} a ^ 40 == {3**40};", (3, 2)),
        ("aggregate(select(indices, (indices + 0.1) - 0.1, ==), tokens_asis, 7);", (1, 2)),
    ],
)
def test_what_is_certified_is_right(text: str, alphabet: tuple[Any, ...]) -> None:
    """The mean of three 0.1 is not 0.1, and beyond 2^53 integers and floats go different ways."""
    assert wrong_and_certified(text, alphabet, 6 if "indices" in text else 3) == []


def test_the_mean_of_equal_values_is_another_value() -> None:
    """Three times 0.1 by three is 0.10000000000000002; so it is among the values, whatever the compiler makes of it."""
    node = Program.from_text(f"{RANKED} y + 0;").node
    assert isinstance(node, SOpNode)
    values = Axes(node, (0.1, 2), 3).set_of(node)
    assert math.fsum([0.1] * 3) / 3 in values
    assert {0.1, 2} <= {*values}


def test_a_place_that_is_rounded_away_is_no_place() -> None:
    """At place 4 the query is 3.9999999999999996, and nothing is selected: the default matters."""
    text = 'aggregate(select(indices, (indices + 0.1) - 0.1, ==), tokens, "z");'
    try:
        made = capax.compile(Program.from_text(text), alphabet="ab", max_length=6)
    except CapaxError:
        return  # a refusal is an answer, too
    decoding = made.model.decoding
    edited = replace(decoding, values=tuple("QQ" if v == "z" else v for v in decoding.values))
    assert not recheck(replace(made.model, decoding=edited)).holds


@pytest.mark.parametrize("values", [(1.1, 3.3), (0.1, 1.7, 1.9), (0.1, 0.3, 0.7)])
def test_no_mean_is_called_impossible(values: tuple[float, ...]) -> None:
    unit = unit_of(list(values))
    for count in range(2, 8):
        for several in itertools.combinations_with_replacement(values, count):
            assert is_sum(math.fsum(several) / count, count, unit)


def test_a_program_without_a_name_of_the_language_is_checked_again() -> None:
    """The name that travels with a model may be an expression."""
    made = capax.compile(Program.from_text("selector_width(select(tokens, tokens, ==));"), alphabet="ab", max_length=3)
    named = replace(
        made.model, provenance=replace(made.model.provenance, name="selector_width(select(tokens, tokens, ==))")
    )
    assert recheck(named).holds
