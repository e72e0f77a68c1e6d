"""Numbers that are written into strings: 1 and 1.0 are equal, but are not written in the same way."""

import pytest

import capax
from capax.certify.certificate import at_length
from capax.certify.recheck.recheck import wanted_of
from capax.rasp.ir.nodes import SOpNode
from capax.rasp.python.program import Program
from tests.support.perturbed import with_provenance

MEAN = "aggregate(select(indices, indices, <=), tokens_asis)"
WRITTEN = f'x = "%s" % {MEAN};'
LISTED = f'x = {{0: "0", 0.5: "0.5", 1: "1"}}[{MEAN}];'


@pytest.mark.parametrize(("text", "certified"), [(LISTED, True), (WRITTEN, False)])
def test_a_number_is_written_by_its_type(text: str, certified: bool) -> None:
    """The mean of 1 and 1 is 1.0, which is equal to 1 but written as 1.0."""
    program = Program.from_text(text)
    model = capax.compile(Program.from_text(LISTED), alphabet=[0, 1], max_length=2).model
    assert (model([1, 1]) == list(program([1, 1]))) is certified
    assert isinstance(program.node, SOpNode)
    wanted = wanted_of(model, program.node, causal=False)
    found = [
        at_length(with_provenance(model, heads=[[{"computes": [number], "part": None}]]), wanted, "float32", 2).length
        for number in range(5)
    ]
    assert any(found) is certified


def test_strings_in_strings_are_certified() -> None:
    compiled = capax.compile(Program.from_text('x = "<%s>" % tokens;'), alphabet="ab", max_length=3)
    assert compiled.certified_length == 3
    assert list(compiled("ab")) == ["<a>", "<b>"]


@pytest.mark.parametrize("number", [float("inf"), float("nan"), 10**30, "a"])
def test_hints_that_are_no_numbers_of_nodes_are_refused(number: object) -> None:
    program = Program.from_text(LISTED)
    model = capax.compile(program, alphabet=[0, 1], max_length=2).model
    assert isinstance(program.node, SOpNode)
    other = with_provenance(model, heads=[[{"computes": [number], "part": None}]])
    assert at_length(other, wanted_of(other, program.node, causal=False), "float32", 2).length == 0
