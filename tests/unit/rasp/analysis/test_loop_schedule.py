"""What programs with a loop cost, and their states round by round."""

import pytest

import capax
from capax import CapaxError, indices, length, repeat
from capax.rasp.analysis.dialects import check_all
from capax.rasp.analysis.loop_schedule import loop_schedule, states_by_round
from capax.rasp.analysis.schedule import depths
from capax.rasp.ir.unroll import unrolled
from capax.rasp.meaning.reference import evaluate


def test_layers_before_in_and_after_the_loop() -> None:
    """Carry look-ahead reads the carry of its neighbour after the loop."""
    plan = loop_schedule(capax.library.add_by_lookahead)
    assert plan.layers == (0, 1, 1)
    assert [plan.depth(n) for n in (1, 2, 8, 1024)] == [1, 2, 4, 11]
    assert plan.formula == "0 + 1 x ceil_log2(length) + 1"


@pytest.mark.parametrize("size", [1, 2, 5, 6])
def test_the_depth_is_that_of_the_program_written_out(size: int) -> None:
    """Rule 110 has one layer for each round."""
    program = capax.library.rule_110
    flat = unrolled(program.node, size)
    assert loop_schedule(program).depth(size) == depths(flat)[flat]


def test_states_are_those_of_the_rounds() -> None:
    """The last are what the program gives, the first the values before the loop."""
    trace = states_by_round(capax.library.root_of, "00123")
    assert trace.rounds[0] == ((0, 0, 1, 2, 3),)
    assert list(trace.rounds[-1][0]) == list(evaluate(capax.library.root_of.node, "00123"))  # type: ignore[arg-type]
    assert len(trace.rounds) == 4


def test_what_a_body_reads_of_the_word_is_kept() -> None:
    """The length is computed before the loop."""
    (x,) = repeat(lambda a: (a + 1) % length, [indices], length)
    plan = loop_schedule(x)
    assert plan.kept == ("length",)
    assert plan.layers == (1, 0, 0)


def test_loops_are_in_no_dialect_and_have_no_single_schedule() -> None:
    """Both say so."""
    assert not any(verdict.inside for verdict in check_all(capax.library.rule_110))
    with pytest.raises(CapaxError) as error:
        capax.schedule(capax.library.rule_110)
    assert error.value.code == "has-loop"
