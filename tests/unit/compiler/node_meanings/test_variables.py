"""Variables: what directions stand for are the values of the program's s-ops."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import capax as cx
from capax import CapaxError
from capax.compiler.compiled import Compiled

INDUCTION = cx.compile(cx.library.induction, alphabet="abc", max_length=8, causal=True, keep_all=True)
HISTOGRAM = cx.compile(cx.library.hist2_nobos, alphabet="abc", max_length=8, keep_all=True, target="transformer-lens")


@settings(max_examples=30)
@given(st.text("abc", min_size=1, max_size=8), st.sampled_from([INDUCTION, HISTOGRAM]))
def test_values_are_those_of_the_program(word: str, compiled: Compiled) -> None:
    """The tokens, and the result, which is a variable by its name."""
    values = compiled.variables(word)
    assert list(values["tokens"]) == list(word)
    assert list(values[compiled.program.name or ""]) == list(compiled(word))


def test_a_variable_has_its_hook_and_its_whole_expression() -> None:
    """The letter before is there after the first layer's heads; a number stands for each letter."""
    values = INDUCTION.variables("abca")
    before = next(v for v in values.variables if v.name == "_before")
    assert before.hook == "blocks.0.hook_resid_mid"
    assert before.labels == ("_before", "_before^2")
    assert dict(before.table) == {"": (0.0, 0.0), "a": (1.0, 1.0), "b": (2.0, 4.0), "c": (3.0, 9.0)}
    assert not any("..." in v.expression for v in values.variables)
    assert "_before          ''   'a'  'b'  'c'" in values.render().splitlines()


def test_an_unknown_variable() -> None:
    """The error names those that there are."""
    with pytest.raises(CapaxError, match="no variable"):
        INDUCTION.variables("ab")["x"]
