"""States of specifications: words are counted, and live states are those on a way to an answer."""

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from capax.auditor.spec import NOWHERE, SpecStates


@st.composite
def some_states(draw: st.DrawFn) -> SpecStates:
    """Small random states with dead ends and states without an answer."""
    size = draw(st.integers(1, 4))
    target = st.integers(NOWHERE, size - 1)
    step = draw(st.lists(st.lists(target, min_size=2, max_size=2), min_size=size, max_size=size))
    answer = draw(st.lists(st.integers(NOWHERE, 1), min_size=size, max_size=size))
    return SpecStates(np.array(step), draw(st.integers(0, size - 1)), np.array(answer))


@given(some_states(), st.integers(0, 5))
def test_counts_and_live_states_are_those_of_the_words(states: SpecStates, length: int) -> None:
    """Against all words, run one by one."""
    ends = [states.after(word) for word in product(range(2), repeat=length)]
    inside = [end != NOWHERE and states.answer[end] != NOWHERE for end in ends]
    assert states.count(length) == sum(inside)
    seen = np.zeros((length + 1, states.size), bool)
    for word, kept in zip(product(range(2), repeat=length), inside, strict=True):
        if kept:
            for n in range(length + 1):
                seen[n, states.after(word[:n])] = True
    assert np.array_equal(states.live(length), seen)
