"""Programs that run letter by letter: their machine has the answers of the interpreter, on all short words."""

from itertools import product

import pytest

from capax import SOp, aggregate, best, indicator, indices, library, select, selector_width, tokens, where
from capax.auditor.specs.programs import of_program
from capax.auditor.specs.running import running_machine

SO_FAR = select(indices, indices, "<=")
BEFORE = aggregate(select(indices, indices - 1, "=="), tokens, "")
ONES = selector_width(select(tokens, "1", "==") & SO_FAR)
RUNNING = (
    tokens == "1",
    indices % 3,
    ONES,
    selector_width(select(tokens, "0", "==") & SO_FAR) < ONES,
    aggregate(SO_FAR, indicator(tokens == "1")),
    aggregate(select(tokens, "1", "==") & SO_FAR, indices, -1),
    (BEFORE == "0") & (tokens == "1"),
    aggregate(select(indices, indices - 2, "=="), ONES, 7),
    aggregate(select(indices, 0, "=="), tokens) == tokens,
    aggregate(best(select(tokens, "0", "!=") & SO_FAR, indices), tokens, ""),
    aggregate(best(SO_FAR & select(BEFORE, "1", "=="), indices), ONES, -1),
    selector_width(select(tokens == BEFORE, True, "==") & SO_FAR) == 0,
    selector_width(select(indices % 2, 0, "==") & select(tokens, "1", "==") & SO_FAR),
    where(tokens == "1", ONES, -1),
    1 / (ONES - 1),
)
OTHERS = (
    library.reverse,
    selector_width(select(tokens, tokens, "==")),
    selector_width(select(tokens, "1", "==") & select(indices, indices, "<")),
    aggregate(best(SO_FAR, -indices), tokens),
    aggregate(select(indices, indices + 1, "=="), tokens, ""),
)


@pytest.mark.parametrize("program", RUNNING, ids=str)
def test_a_machine_computes_what_the_interpreter_computes(program: SOp) -> None:
    """Position by position, on all words of up to 6 letters; an error of the program is no statement from there on."""
    machine = running_machine(program.node)
    assert machine is not None
    words = [word for n in range(1, 7) for word in product("01", repeat=n)]
    for word, row in zip(words, machine.answers_of(words), strict=True):
        try:
            right = program(word)[-1]
        except Exception:
            continue
        assert row[-1] == right
        assert type(row[-1]) is type(right)


@pytest.mark.parametrize("program", OTHERS, ids=str)
def test_other_programs_have_no_machine(program: SOp) -> None:
    """What depends on later letters, or has to remember too much, is asked word by word."""
    assert running_machine(program.node) is None


def test_states_of_a_specification() -> None:
    """The states of a program as a specification have its answers, at every position."""
    program = (BEFORE == "0") & (tokens == "1")
    spec = of_program(program, "01", 6)
    assert spec.states is not None
    assert spec.answers is not None
    assert spec.prefixes
    states = spec.states(6)
    assert states.size < 20
    for word in product("01", repeat=6):
        state = states.after([spec.number[x] for x in word])
        assert spec.answers[states.answer[state]] == program(word)[-1]
