"""Variables: what directions stand for are the values of the program's s-ops."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import capax as cx
from capax import CapaxError
from capax.compiler.compiled import Compiled

INDUCTION = cx.compile(cx.library.induction, alphabet="abc", max_length=8, causal=True, keep_all=True)
LONG = cx.compile(cx.library.hist_nobos, alphabet="ab", max_length=100, keep_all=True, certify=False, words=20)
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


@pytest.mark.parametrize("word", ["a" * 73 + "b" * 19, "a" * 97, "b" * 98 + "a"])
def test_values_that_no_word_had_before(word: str) -> None:
    """Counts of long words, close to each other as numbers of the stream, and not among those that were tried."""
    assert list(LONG.variables(word)["hist_nobos"]) == list(LONG(word))


def test_numbers_between_values_are_none() -> None:
    """A variable knows its own numbers, and no others."""
    count = next(v for v in LONG.variables("abba").variables if v.name == "hist_nobos")
    numbers = {float(codes[0]) for _, codes in count.table}
    assert all(count.has(np.array(codes)) for _, codes in count.table)
    missing = next(1 / (1 + n) for n in range(50, 100) if all(abs(1 / (1 + n) - x) > 1e-5 for x in numbers))
    assert not count.has(np.array([missing]))


def test_an_unknown_variable() -> None:
    """The error names those that there are."""
    with pytest.raises(CapaxError, match="no variable"):
        INDUCTION.variables("ab")["x"]


def test_values_that_random_words_lack() -> None:
    """Among many letters few words have one letter often, or are of a middle length; all values are known anyway."""
    program = cx.Program.from_text('often = selector_width(select(tokens, "a", ==)) + 0 * length;')
    letters = "abcdefghijklmnopqrstuvwxyz"
    wide = cx.compile(program, alphabet=letters, max_length=8, keep_all=True, target="transformer-lens", certify=False)
    tables = {v.name: {value for value, _ in v.table} for v in wide.variables("a").variables}
    assert tables["often"] == set(range(9))
