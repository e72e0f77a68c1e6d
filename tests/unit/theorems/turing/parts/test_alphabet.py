"""Chains over the symbols of words alone."""

from hypothesis import given
from hypothesis import strategies as st

from capax.formal.turing.machine import Action, TuringMachine, random_machine
from capax.formal.turing.machines import machine_source
from capax.formal.turing.read_machine import read_machine
from capax.theorems.turing.parts.alphabet import without_new_symbols
from tests.support.outcomes import count_outcome, least_share


def machine(name: str) -> TuringMachine:
    """A machine with one tape that comes with capax."""
    found = read_machine(machine_source(name))
    assert isinstance(found, TuringMachine)
    return found


def test_new_symbols_are_needed() -> None:
    """No way to write the actions of increment with 0 and 1 works; a machine that only ever goes right needs none."""
    found = without_new_symbols(machine("increment"))
    assert not found
    assert found.figures == {"ways": 32, "ways that fail": 32}
    on = TuringMachine("_", "go", {("go", s): Action("0", 1, "go") for s in "01_"}, ("0", "1"))
    assert without_new_symbols(on)
    assert not without_new_symbols(machine("bb2"))


@least_share("refuted", 0.05)
@given(st.integers(0, 10**6))
def test_refutations_are_true(seed: int) -> None:
    """The two situations read the same, and the machine goes on as is said."""
    made = random_machine(2, 3, seed)
    shown = without_new_symbols(made, longest=2, most=12).counterexample
    count_outcome("none" if shown is None else "refuted")
    if shown is not None:
        assert isinstance(shown, dict)
        assert shown["then"][0] != shown["then"][1]
        assert all(int(one.split()[-2]) + len(one.split("'")[1]) == len(shown["read"]) for one in shown["as"])
