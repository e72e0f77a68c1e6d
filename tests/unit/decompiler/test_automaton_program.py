"""Programs that run an automaton: its answers, on all short words and for every kind of letter."""

from itertools import product

import pytest
from hypothesis import given, settings

from capax import Program
from capax.decompiler.automaton import Automaton
from capax.decompiler.automaton_program import automaton_program
from capax.decompiler.naming import named_program
from tests.unit.decompiler.test_automaton import LETTERS, targets

WORDS = [word for n in range(1, 6) for word in product(LETTERS, repeat=n)]
MOD_3 = ((1, 2), (1, 2), (2, 3), (3, 1))
"""The number of the second letter modulo 3 is the state less one; no letter leads to state 0."""


@settings(max_examples=25)
@given(targets())
def test_a_program_has_the_answers_of_its_automaton(target: Automaton) -> None:
    """At every position, where the first state has answers of its own, too."""
    root = automaton_program(target)
    assert root is not None
    assert named_program(root, []).batch(WORDS) == target.machine().answers_of(WORDS)


@pytest.mark.parametrize("letters", [("a", "b"), ("A", "B"), ("x", "xx"), ("", "A"), (0, 10), (1, 11)], ids=str)
@pytest.mark.parametrize("answers", [(None, True, False, False), (None, True, False, True), (None, "x", "y", "z")])
def test_letters_and_answers(letters: tuple[str | int, ...], answers: tuple[bool | str | None, ...]) -> None:
    """States and tokens are told apart for any tokens; the text gives the same program back."""
    automaton = Automaton(letters, MOD_3, answers)
    root = automaton_program(automaton)
    assert root is not None
    words = [word for n in range(1, 6) for word in product(letters, repeat=n)]
    program = named_program(root, [])
    assert program.batch(words) == automaton.machine().answers_of(words)
    assert Program.from_text(program.to_text()).node is root
    assert program.to_text().startswith("repeat length")


def test_too_many_states() -> None:
    """A state needs a name of one letter."""
    steps = tuple(((k + 1) % 27,) for k in range(27))
    assert automaton_program(Automaton(("a",), steps, (True,) * 27)) is None
