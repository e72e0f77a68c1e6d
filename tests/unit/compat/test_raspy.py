"""raspy's names: what is printed, what is refused, and what raspy gets wrong."""

import pytest

from capax.compat import raspy, to_capax
from capax.compat.raspy import aggregate, indices, key, query, raw, select, tokens
from capax.errors import CapaxError


def test_programs_show_themselves_on_the_example() -> None:
    """Printing a program runs it on the example, which can be set."""
    assert repr(tokens) == "['h', 'e', 'l', 'l', 'o']"
    raspy.set_example([1, 2])
    try:
        assert repr(indices + tokens) == "[1, 3]"
        assert repr(key(indices) < query(indices)) == "    1 2\n1 |   1\n2 |    "
        assert (repr(key(tokens)), repr(query(1))) == ("key([1, 2])", "query([1, 1])")
    finally:
        raspy.set_example("hello")


def test_what_raspy_gets_wrong() -> None:
    """Numbers on the left, `~`, negation, and sums of nothing."""
    assert (1 + tokens)([1, 2]) == [2, 3]
    assert (2 * tokens - 1)([1, 2]) == [1, 3]
    assert (~(tokens == 1))([1, 2]) == [False, True]
    assert (-tokens)([1, 2]) == [-1, -2]
    both = ~(key(tokens) == query(tokens))
    assert both([1, 2]).val == [[False, True], [True, False]]


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        (lambda: (tokens == "a") and (tokens == "b"), "truth-value"),
        (lambda: (key(tokens) == query(tokens)) and (key(indices) < query(indices)), "truth-value"),
        (lambda: key(tokens) == 3, "bad-option"),
        (lambda: aggregate(tokens, 1), "expected-selector"),  # type: ignore[arg-type]
        (lambda: (key(1) == query(1)).value(tokens)("ab"), "average-of-non-numbers"),
        (lambda: to_capax(key(1) == query(1), "ab", 3), "not-compilable"),
    ],
)
def test_refusals(wrong: object, code: str) -> None:
    """Each is refused with a code."""
    with pytest.raises(CapaxError) as caught:
        wrong()  # type: ignore[operator]
    assert caught.value.code == code


def test_constants_and_lists() -> None:
    """A number or one character is the same everywhere; a list or longer string has an element for each place."""
    assert (tokens == "b")("abb") == [False, True, True]
    assert (tokens == "abb")("bbb") == [False, True, True]
    assert aggregate(select([1, 2, 3], [3, 2, 2], raspy.eq), raw([10, 20, 30]))("xyz") == [30, 20, 20]


def test_a_list_that_is_too_short_is_not_compiled() -> None:
    """As in raspy a longer string is a list, and the answers are as many as the shortest has."""
    program = raspy.where(tokens == "a", "yes", "no")
    assert program("aba") == ["y", "o"]
    with pytest.raises(CapaxError, match="2 answers, not 3") as caught:
        to_capax(program, "ab", 5)
    assert "repeat" in str(caught.value.hint)
    one = raspy.where(tokens == "a", raspy.repeat("yes"), raspy.repeat("no"))
    assert to_capax(one, "ab", 5).compile().model.max_length == 5
    assert to_capax(one, "ab", 5).compile()("aba") == one("aba") == ["yes", "no", "yes"]


def test_names_reach_the_program() -> None:
    """A name that is none of capax's is made one."""
    found = to_capax((tokens + 1).name("one more"), [1, 2], 3)
    assert found.program.name == "one_more"
