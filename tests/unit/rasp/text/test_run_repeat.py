"""`repeat` in texts: what it means, what it is written back as, and what is refused."""

import pytest
from hypothesis import given, settings

from capax import CapaxError, Program
from capax.errors import Source
from capax.rasp.text.parser import parse
from capax.rasp.text.reformat import format_text
from tests.support.looped_programs import looped_programs

SUMS = """
repeat ceil_log2(length) {
    state total = tokens_int;
    state from_here = indices - 1;
    there = select(indices, from_here, ==);
    total = total + aggregate(there, total);
    from_here = aggregate(there, from_here, -1);
}
total;
"""


def test_sums_by_doubling() -> None:
    """Both states are read before the round, though one is assigned before the other reads it."""
    assert list(Program.from_text(SUMS)([3, 1, 4, 1, 5])) == [3, 4, 8, 9, 14]


@settings(max_examples=20)
@given(program=looped_programs())
def test_texts_and_data_give_back_the_same_nodes(program: Program) -> None:
    """The text of a program, formatted too, and its JSON."""
    text = program.to_text()
    assert Program.from_text(text).node is program.node
    formatted = format_text(parse(Source("text", text)))
    assert formatted == format_text(parse(Source("text", formatted)))
    assert Program.from_text(formatted).node is program.node
    assert Program.from_json(program.to_json()).node is program.node


@pytest.mark.parametrize("k", [1, 2, 5, 8])
def test_rounds_are_a_parameter(k: int) -> None:
    """A number, or the number of its binary digits."""
    for rounds, count in (("k", k), ("ceil_log2(k + 1)", k.bit_length())):
        text = f"def f(k) {{ repeat {rounds} {{ state a = 0; a = a + 1; }} return a; }} f({k});"
        assert list(Program.from_text(text)("a")) == [count]


def test_two_loops_one_after_the_other() -> None:
    """The second starts from what the first gave, under the same name."""
    text = "repeat 2 { state a = indices; a = a + 1; } repeat 3 { state a = a; a = a * 2; } a;"
    program = Program.from_text(text)
    assert list(program("abc")) == [16, 24, 32]
    assert Program.from_text(program.to_text()).node is program.node


def test_repeat_and_state_stay_names() -> None:
    """They are words of the language only where a loop is written."""
    text = "state = 3; repeat = state + indices; x = repeat if indices > 0 else state; x;"
    assert list(Program.from_text(text)("ab")) == [3, 4]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("repeat tokens { state a = 1; a = a; } a;", "bad-rounds"),
        ("repeat ceil_log2(indices) { state a = 1; a = a; } a;", "bad-rounds"),
        ("repeat ceil_log2(0) { state a = 1; a = a; } a;", "bad-rounds"),
        ("def f(k) { repeat k { state a = 1; a = a; } return a; } f(length + 1);", "bad-rounds"),
        ("repeat 2 { state a = 1; state a = 2; } a;", "state-twice"),
        ("repeat 2 { state a = indices; a = a; a = 1; } a;", "state-twice"),
        ("repeat 2 { state a = full_s; } a;", "expected-sop"),
        ("repeat 2 { a = 1; } a;", "syntax"),
        ("repeat 2 { state length = 1; } length;", "reserved-name"),
        ("repeat 2 { state a = indices; inside = a; } inside;", "undefined-name"),
        ("repeat 2 { state a = 1; repeat length { state b = a; b = b + 1; } a = b; } a;", "nested-loop"),
    ],
)
def test_what_is_no_loop_is_refused(text: str, code: str) -> None:
    """With its code."""
    with pytest.raises(CapaxError) as error:
        Program.from_text(text)
    assert error.value.code == code
