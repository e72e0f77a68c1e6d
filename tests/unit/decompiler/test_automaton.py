"""Learning automata: the smallest one for every target, and none where the target has too many states."""

from collections.abc import Sequence
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from capax.decompiler.automaton import Automaton, learn_automaton
from capax.decompiler.sample import Word

LETTERS = ("a", "b")
WORDS = [word for n in range(1, 7) for word in product(LETTERS, repeat=n)]


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
