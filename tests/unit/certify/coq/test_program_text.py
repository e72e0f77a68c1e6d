"""Programs in the language of the Coq proofs: their value is that of the interpreter."""

from itertools import product

import pytest

from capax import CapaxError
from capax.certify.coq.program_text import FIRST, ProgramText
from capax.rasp.analysis.output_spec import output_spec
from tests.support.coq_models import program

PROGRAMS = [
    "aggregate(select(indices, length - indices - 1, ==), tokens)",
    "selector_width(select(tokens, tokens, ==) and select(indices, indices, <=))",
    "selector_width(select(tokens, tokens, !=) or select(indices, indices, >)) * 2 - indices",
    "aggregate(full_s, indicator(tokens == 'b')) >= 0.25",
    "sort(tokens, tokens)",
    "1 if tokens == 'a' and not indices == 1 else -2",
    "selector_width(select(tokens, 'b', ==)) > selector_width(select(tokens, 'a', ==))",
]


@pytest.mark.parametrize("text", PROGRAMS)
def test_translation_has_the_values_of_the_interpreter(text: str) -> None:
    """On all words of up to three letters."""
    source = program(text)
    root = output_spec(source.node, ("a", "b", "c"), causal=False, longest=3).root
    coq = ProgramText(("a", "b", "c"))
    answer = coq.sop(root)
    for word in (w for n in (1, 2, 3) for w in product(range(3), repeat=n)):
        expected = [coq.class_number(v, root) for v in source(["abc"[t] for t in word])]
        assert [answer.value(state, state) for state in coq.states(word)] == expected


def test_definitions_come_after_what_they_read() -> None:
    """A definition reads entries before its own alone."""
    coq = ProgramText(("a", "b"))
    coq.sop(output_spec(program("sort(tokens, tokens)").node, ("a", "b"), causal=False, longest=4).root)
    for number, definition in enumerate(coq.definitions, FIRST):
        assert all(entry < number for e in definition.expressions for entry in e.entries())


@pytest.mark.parametrize(
    "text", ["aggregate(full_s, indices)", "aggregate(best(full_s, indices), tokens)", "tokens + 'a'", "indices % 2"]
)
def test_other_programs_are_refused(text: str) -> None:
    """Where the language of the proofs has no word for it."""
    with pytest.raises(CapaxError) as error:
        ProgramText(("a", "b")).sop(program(text).node)
    assert error.value.code == "not-in-coq"


def test_an_order_of_tokens_that_are_not_sorted_is_refused() -> None:
    """The numbers of tokens would be in another order than the tokens."""
    with pytest.raises(CapaxError, match="sorted"):
        ProgramText(("b", "a")).sop(program("selector_width(select(tokens, tokens, <))").node)
