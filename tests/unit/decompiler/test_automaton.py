"""Learning automata: the smallest one for every target, none for too many states, and its program."""

from collections.abc import Sequence
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capax import Program
from capax.decompiler.automaton import Automaton, automaton_program, learn_automaton
from capax.decompiler.naming import named_program
from capax.decompiler.sample import Word

LETTERS = ("a", "b")
WORDS = [word for n in range(1, 7) for word in product(LETTERS, repeat=n)]
SHORT = [word for word in WORDS if len(word) < 6]
MOD_3 = ((1, 2), (1, 2), (2, 3), (3, 1))
"""The number of the second letter modulo 3 is the state less one; no letter leads to state 0."""


@st.composite
def targets(draw: st.DrawFn) -> Automaton:
    """A random automaton of up to 4 states with answers in 0, 1, 2."""
    size = draw(st.integers(1, 4))
    state = st.integers(0, size - 1)
    step = draw(st.lists(st.tuples(state, state), min_size=size, max_size=size))
    answer = draw(st.lists(st.integers(0, 2), min_size=size, max_size=size))
    return Automaton(LETTERS, tuple(step), tuple(answer))


def first_difference(target: Automaton, other: Automaton) -> Word | None:
    """The first short word on which two automata differ."""
    return next((w for w in WORDS if target.answer[target.run(w)] != other.answer[other.run(w)]), None)


def distinct(target: Automaton) -> int:
    """The number of states of the smallest automaton for the answers to words that are not empty, by definition."""
    rows = {tuple(target.answer[target.run(p + s)] for s in WORDS[:30]) for p in [(), *WORDS[:30]]}
    return len(rows)


@given(targets())
def test_the_automaton_of_a_target_is_learned(target: Automaton) -> None:
    """It has the target's answers, and no more states than prefixes that can be told apart, and one for the start."""

    def ask(words: Sequence[Word]) -> list[object]:
        assert all(words)
        return [target.answer[target.run(word)] for word in words]

    learned = learn_automaton(ask, LETTERS, lambda a: first_difference(target, a))  # type: ignore[arg-type]
    assert learned is not None
    assert first_difference(target, learned) is None
    assert learned.size <= 2 * distinct(target) + 1
    run = learned.machine().answers_of([("a", "b", "b")])
    assert run == [[target.answer[target.run(w)] for w in (("a",), ("a", "b"), ("a", "b", "b"))]]


def test_a_counter_has_no_small_automaton() -> None:
    """Majority has a state for each difference of counts: with few states it is given up."""

    def ask(words: Sequence[Word]) -> list[bool]:
        return [word.count("a") > word.count("b") for word in words]

    def difference(automaton: Automaton) -> Word | None:
        return next((w for w in WORDS if automaton.answer[automaton.run(w)] != ask([w])[0]), None)

    assert learn_automaton(ask, LETTERS, difference, most_states=4) is None  # type: ignore[arg-type]


@settings(max_examples=25)
@given(targets())
def test_a_program_has_the_answers_of_its_automaton(target: Automaton) -> None:
    """At every position, where the first state has answers of its own, too."""
    root = automaton_program(target)
    assert root is not None
    assert named_program(root, []).batch(SHORT) == target.machine().answers_of(SHORT)


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
