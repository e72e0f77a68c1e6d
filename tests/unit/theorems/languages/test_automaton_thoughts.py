"""Automata as decoders with chain of thought: probabilities as sums over chains, states and verdicts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax.errors import CapaxError
from capax.formal.automata.dfa import Dfa, words_up_to
from capax.formal.automata.pfa import Pfa, random_pfa
from capax.theorems.languages.automaton_thoughts import deterministic, routes, same_words
from capax.theorems.languages.parts.automata.reader import chain, reader, verdict
from capax.theorems.languages.parts.automata.writer import chains_of, generator, spelled, writer


@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(1, 3))
def test_words_keep_their_probabilities(seed: int, states: int, symbols: int) -> None:
    """Random automata, some of whose steps are impossible: all short words, as sums over chains."""
    random = np.random.default_rng(seed)
    pfa = random_pfa(tuple("abc"[:symbols]), states, random)
    step = np.where(random.random(pfa.step.shape) < 0.3, 0.0, pfa.step)
    rows = step.sum(axis=(0, 2))
    sparse = Pfa(pfa.alphabet, pfa.start, step, 1.0 - rows)
    for one in (pfa, sparse):
        assert same_words(writer(one), one, 3)


def test_a_wrong_table_is_seen() -> None:
    """The check fails for the decoder of another automaton."""
    one, other = (random_pfa(("a", "b"), 2, np.random.default_rng(seed)) for seed in (1, 2))
    assert not same_words(writer(one), other, 3)


@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(1, 3), st.text("abc", max_size=30))
def test_states_and_verdicts_are_generated(seed: int, states: int, symbols: int, word: str) -> None:
    """The chain after a word is the run of the automaton."""
    dfa = deterministic(states, symbols, seed)
    letters = [c for c in word if c in dfa.alphabet]
    for numbers in ("float64", "float32"):
        model = reader(dfa, numbers)
        assert chain(model, letters)[:-1] == [f"<{q}>" for q in dfa.states(letters)[1:]]
        assert verdict(model, letters) == dfa.accepts(letters)


def test_what_is_written_is_what_is_accepted() -> None:
    """The words of positive probability are those of the language, and they sum to at most 1."""
    even = Dfa(("a", "b"), ((1, 0), (0, 1)), 0, frozenset({0}))
    pfa = generator(even)
    model = writer(pfa)
    chances = {word: spelled(model, pfa, word) for word in words_up_to("ab", 5)}
    assert {word for word, chance in chances.items() if chance > 0} == {w for w in chances if even.accepts(w)}
    assert sum(chances.values()) < 1


def test_chains_of_long_words() -> None:
    """A deterministic automaton has one chain for each word; for others there are too many, which is refused."""
    even = generator(Dfa(("a", "b"), ((1, 0), (0, 1)), 0, frozenset({0})))
    word = "ab" * 40
    ((chain, chance),) = chains_of(writer(even), even, word)
    assert [token.split("/")[0] for token in chain] == list(word)
    assert chance == pytest.approx(even.probability(word))
    many = random_pfa(("a", "b"), 3, np.random.default_rng(0))
    with pytest.raises(CapaxError, match="more than 100,000 chains"):
        spelled(writer(many), many, "a" * 30)


def test_words_that_are_too_long_are_refused() -> None:
    """In float32 the reader is exact up to 1,362 symbols."""
    even = Dfa(("a", "b"), ((1, 0), (0, 1)), 0, frozenset({0}))
    model = reader(even, "float32")
    assert verdict(model, "a" * 1_362)
    with pytest.raises(CapaxError) as caught:
        verdict(model, "a" * 1_363)
    assert caught.value.code == "word-length"


def test_there_is_a_route_for_automata() -> None:
    """It is offered for a deterministic automaton, and for nothing else."""
    even = Dfa(("a", "b"), ((1, 0), (0, 1)), 0, frozenset({0}))
    (route,) = routes(even, 10)
    model = route.build()
    assert [route.accepts(model, word) for word in ("abba", "ab", "a")] == [True, False, False]
    assert list(routes("ab", 10)) == []
