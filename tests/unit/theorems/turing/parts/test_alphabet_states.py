"""Tokens without states do not decide what comes next."""

from capax.formal.turing.machine import TuringMachine, random_machine
from capax.formal.turing.machines import machine_source
from capax.formal.turing.read_machine import read_machine
from capax.theorems.turing.parts.alphabet import without_states


def machine(name: str) -> TuringMachine:
    """A machine with one tape that comes with capax."""
    found = read_machine(machine_source(name))
    assert isinstance(found, TuringMachine)
    return found


def test_states_are_needed_in_tokens() -> None:
    """Two steps look alike without them; a machine with one state needs none."""
    assert not without_states(machine("bb4"), [""], 100)
    assert without_states(random_machine(1, 3, 1), ["0110"], 100)
