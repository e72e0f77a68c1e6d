"""Decoders of probabilistic machines."""

from hypothesis import given
from hypothesis import strategies as st

from capax.formal.turing.probabilistic import random_chances
from capax.theorems.turing.parts.decoder import decoder
from capax.theorems.turing.parts.probabilistic import same_chains, sampled_chain


@given(st.integers(0, 10**6), st.sampled_from(["", "0", "00"]))
def test_chains_have_the_machines_probabilities(seed: int, word: str) -> None:
    """Every short chain, and every step of a random long one."""
    made = random_chances(2, 2, seed)
    model = decoder(made)
    assert same_chains(model, made, word, 3)
    assert sampled_chain(model, made, word, 30, seed).agrees
