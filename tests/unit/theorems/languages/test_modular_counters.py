"""Automata of commuting permutations, by counts."""

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from capax.formal.automata.dfa import Dfa
from capax.theorems.languages.modular_counters import by_counts
from capax.theorems.languages.parts.automata.counters import commuting
from tests.support.all_words import disagreement, right_along
from tests.support.formal_strategies import automata

LONG = st.lists(st.integers(0, 2), min_size=30, max_size=80)


@settings(max_examples=50)
@given(
    st.integers(1, 7),
    st.lists(st.integers(0, 6), min_size=1, max_size=3),
    st.sets(st.integers(0, 6)),
    st.sampled_from(["softmax", "average-hard"]),
    LONG,
)
def test_weighted_counters(p: int, weights: list[int], accepted: set[int], attention: str, numbers: list[int]) -> None:
    """Sums of weights of letters modulo p: all short words and every place of a longer one, in two layers."""
    delta = tuple(tuple((q + w) % p for w in weights) for q in range(p))
    dfa = Dfa(tuple("abc"[: len(weights)]), delta, 0, frozenset(q for q in accepted if q < p))
    model = by_counts(dfa, attention, 80, "float64")  # type: ignore[arg-type]
    assert model.depth <= 2
    assert disagreement(model, dfa.accepts, dfa.alphabet, 8 if len(dfa.alphabet) < 3 else 5) is None
    assert right_along(model, dfa, numbers)


@given(automata(letters="ab"))
def test_counters_claim_what_counts_decide(dfa: Dfa) -> None:
    """An automaton that counters claim accepts a word and its reverse alike, and each letter can be undone."""
    assume(commuting(dfa, 4_000) is not None)
    for word in ("ab", "aab", "abb", "abab"):
        short = [symbol for symbol in word if symbol in dfa.alphabet]
        assert dfa.run(short) == dfa.run(short[::-1])
    assert all(len({row[a] for row in dfa.delta}) == dfa.size for a in range(len(dfa.alphabet)))
