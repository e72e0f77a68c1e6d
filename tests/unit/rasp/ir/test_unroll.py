"""Loops are what they are written out as, and what cannot be one is refused."""

import pytest
from hypothesis import given, settings

from capax import CapaxError, Program, aggregate, indices, length, repeat, select, tokens
from capax.notation.rounds import rounds_at
from capax.rasp.ir.loop_nodes import LoopParts, LoopResult, has_loop
from capax.rasp.ir.unroll import refuse_loops, unrolled
from capax.rasp.meaning.reference import evaluate
from tests.support.looped_programs import looped_programs

WORDS = ["a", "ab", "cab", "abca", "ccabb"]


@settings(max_examples=25)
@given(program=looped_programs())
def test_the_value_is_that_of_the_program_written_out(program: Program) -> None:
    """On words of each length, and without a loop left."""
    for word in WORDS:
        flat = unrolled(program.node, len(word))
        assert not has_loop(flat)
        assert list(evaluate(program.node, word)) == list(evaluate(flat, word))  # type: ignore[arg-type]


def test_rounds_follow_the_length() -> None:
    """A counter shows how many rounds there were, on words of every length up to 16."""
    for rule in ("length", "length - 1", "ceil_log2(length)", 3):
        (count,) = repeat(lambda n: n + 1, [0], rule)  # type: ignore[arg-type]
        for size in range(1, 17):
            assert set(count("a" * size)) == {rounds_at(rule, size)}  # type: ignore[arg-type]


def test_states_are_set_at_once() -> None:
    """The body reads the old states everywhere: two of them are exchanged."""
    one, two = repeat(lambda a, b: (b, a), [indices, tokens], 3)
    assert list(one("ab")) == ["a", "b"]
    assert list(two("ab")) == [0, 1]


def test_a_state_outside_its_loop_is_an_error() -> None:
    """The parameter of a step is no s-op of a word."""
    leaked: list[Program] = []
    repeat(lambda a: (leaked.append(a), a)[1], [indices], 2)
    with pytest.raises(CapaxError) as error:
        leaked[0]("ab")
    assert error.value.code == "state-outside"


def test_a_loop_inside_a_loop_is_written_out() -> None:
    """If its rounds are a constant; otherwise it is refused."""

    def outer(x: Program) -> Program:
        return repeat(lambda y: y + 1, [x], 2)[0]  # type: ignore[list-item, return-value]

    (total,) = repeat(outer, [indices], length)  # type: ignore[arg-type]
    assert list(total("abc")) == [6, 7, 8]
    assert isinstance(total.node, LoopResult)
    with pytest.raises(CapaxError) as error:
        repeat(lambda x: repeat(lambda y: y + 1, [x], length)[0], [indices], 2)
    assert error.value.code == "nested-loop"


@pytest.mark.parametrize("rounds", [-1, True, "often", indices, 1.5, 10**9])
def test_other_rounds_are_refused(rounds: object) -> None:
    """A number of rounds is a constant or a function of the length."""
    with pytest.raises(CapaxError) as error:
        repeat(lambda x: x, [indices], rounds)  # type: ignore[arg-type]
    assert error.value.code == "bad-rounds"


def test_what_does_not_know_loops_refuses_them() -> None:
    """By name, and not a program without one."""
    (looped,) = repeat(lambda x: aggregate(select(indices, x, "=="), x), [indices], length)
    refuse_loops(indices.node, "the picture")
    with pytest.raises(CapaxError, match="the picture"):
        refuse_loops(looped.node, "the picture")
    assert LoopParts.of(looped.node).names == ("x",)  # type: ignore[arg-type]
