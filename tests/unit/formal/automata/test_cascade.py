"""Cascades of resets: they compute the automaton's states, and exist exactly if it has no group."""

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from capax.errors import CapaxError
from capax.formal.automata.cascade import HasGroupError, cascade
from capax.formal.automata.dfa import Dfa, words_up_to
from capax.formal.automata.regex import regex_dfa
from tests.support.formal_strategies import automata
from tests.support.outcomes import count_outcome, least_share


def has_group(dfa: Dfa) -> bool:
    """Whether a power of some word's map goes round, by listing all maps."""
    letters = [tuple(row[a] for row in dfa.delta) for a in range(len(dfa.alphabet))]
    queue = [tuple(range(dfa.size))]
    for one in queue:
        queue += [m for m in dict.fromkeys(tuple(then[q] for q in one) for then in letters) if m not in queue]
    for one in queue:
        power = one
        for _ in range(dfa.size):
            power = tuple(one[q] for q in power)  # beyond the first n powers only the cycle is left
        if tuple(one[q] for q in power) != power:
            return True
    return False


@least_share("a cascade", 0.3)
@given(automata(), st.lists(st.integers(0, 2), max_size=40))
@example(Dfa(("a",), ((1,), (0,)), 0, frozenset({0})), [])
@example(Dfa(("a", "b"), ((1, 0), (1, 2), (0, 2)), 0, frozenset({0})), [0, 1])
def test_a_cascade_has_the_states_of_the_automaton(dfa: Dfa, numbers: list[int]) -> None:
    """On all short words and a longer one the cascade has the automaton's states, unless there is a group."""
    try:
        made = cascade(dfa)
    except HasGroupError:
        assert has_group(dfa)
        count_outcome("a group")
        return
    count_outcome("a cascade")
    assert not has_group(dfa)
    long = [dfa.alphabet[x % len(dfa.alphabet)] for x in numbers]
    for word in (*words_up_to(dfa.alphabet, 4), long):
        assert made.run(dfa, word) == dfa.states(word)[1:]


@given(automata())
def test_levels_of_a_cascade_are_resets(dfa: Dfa) -> None:
    """Every level has a reset and something to remember; every node after the last has single states."""
    assume(not has_group(dfa))
    made = cascade(dfa)
    for level in made.levels:
        assert level.values > 1
        assert {reset for reset in level.resets if reset is not None} | {level.start} == set(range(level.values))
        assert len(set(level.nodes)) == len(level.nodes)
    assert all(there.bit_count() == 1 for _, _, there in made.last)


def test_known_cascades() -> None:
    """A flip-flop is one level; the last letter, one level; (aa)* has a group; .* has nothing to remember."""
    assert len(cascade(regex_dfa(".*a", "ab")).levels) == 1
    assert len(cascade(regex_dfa(".*", "ab")).levels) == 0
    assert len(cascade(regex_dfa(".*a.*", "ab")).levels) == 1
    with pytest.raises(HasGroupError):
        cascade(regex_dfa("(aa)*", "a"))


def test_a_cascade_beyond_the_budget_is_refused() -> None:
    """Too many sets, or too many inputs to levels, are refused."""
    dfa = regex_dfa(".*a...", "ab")
    for budget in ({"sets": 5}, {"nodes": 3}):
        with pytest.raises(CapaxError) as raised:
            cascade(dfa, **budget)
        assert raised.value.code == "too-large"
