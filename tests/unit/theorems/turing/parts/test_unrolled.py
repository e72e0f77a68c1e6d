"""Machines without a chain of thought: a layer for each step."""

from hypothesis import given
from hypothesis import strategies as st

from capax.formal.turing.machine import random_machine, run
from capax.theorems.turing.parts.unrolled import tape, unrolled


@given(st.integers(0, 10**9), st.text("01", max_size=4), st.integers(1, 8))
def test_without_a_chain_a_layer_is_a_step(seed: int, word: str, count: int) -> None:
    """The encoder with a layer for each step has the machine's tape, head and state after them."""
    made = random_machine(3, 3, seed)
    cells = unrolled(made, count)(tape(made, word, count))
    after = run(made, word, count)
    right = [after.tape.get(place - count - 1, made.blank) for place in range(len(cells))]
    right[after.cell + count + 1] = f"{after.state}:{right[after.cell + count + 1]}"
    assert cells == right
