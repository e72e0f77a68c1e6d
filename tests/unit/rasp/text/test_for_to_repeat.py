"""`for` loops as `repeat` loops: the rewrite gives the same nodes, and what is no such loop is left alone."""

import pytest

from capax import Program
from capax.rasp.ir.loop_nodes import has_loop
from capax.rasp.ir.unroll import unrolled
from capax.rasp.text.for_to_repeat import with_repeats

RULE_110 = """
before = select(indices, indices - 1, ==);
after = select(indices, indices + 1, ==);
c = tokens == "1";
for step in range(6) {
    left = aggregate(before, c, False);
    right = aggregate(after, c, False);
    c = (c or right) and not (left and c and right);
}
c;
"""


def test_an_automaton_whose_state_is_carried_element_wise() -> None:
    """Rule 110, in which the analysis of layers finds no loop."""
    text = with_repeats(RULE_110)
    assert "repeat 6 {" in text
    old, new = Program.from_text(RULE_110), Program.from_text(text)
    assert has_loop(new.node)
    assert unrolled(new.node, 1) is old.node


@pytest.mark.parametrize(
    "text",
    [
        "x = indices; y = tokens_int; for i in range(3) { x = x + y; y = x * 2; }\nx; y;",
        "x = indices; for i in [1, 2] { z = x + 1; x = z * z; }\nx;",
        "x = indices; for i in range(2) { x = x + 1; x = x * 2; }\nx;",
    ],
)
def test_states_that_are_read_after_they_are_set(text: str) -> None:
    """In a `for` loop they have the new value, in a `repeat` loop the old one: a name of its own keeps them apart."""
    changed = with_repeats(text)
    assert "repeat" in changed
    assert unrolled(Program.from_text(changed).node, 1) is Program.from_text(text).node


@pytest.mark.parametrize(
    "text",
    [
        "x = indices; for i in range(3) { x = x + i; }\nx;",  # the rounds differ
        "x = 1; for i in range(3) { x = x + 1; }\nx;",  # no s-op
        "x = indices; for i in range(3) { z = x; x = x + 1; }\nz;",  # what a round leaves behind is read
        "x = indices; for i in range(3) { y = indices; }\nx;",  # nothing is carried
        "x = indices; for i in range(3) { for j in range(2) { x = x + 1; } }\nx;",
        "n = 3; x = indices; for i in range(n) { x = x + 1; }\nx;",
    ],
)
def test_other_loops_are_left_alone(text: str) -> None:
    """As they were."""
    assert with_repeats(text) == text
