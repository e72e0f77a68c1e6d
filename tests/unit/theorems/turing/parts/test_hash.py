"""Decoders without positions, by layer-norm hashes."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from capax.formal.turing.machine import TuringMachine, random_machine, steps
from capax.theorems.turing.parts.follow import follow
from capax.theorems.turing.parts.hash import hash_decoder
from capax.theorems.turing.parts.tokens import ChainTokens


def right_tokens(made: TuringMachine, word: str, most: int) -> list[str]:
    """The machine's own chain of tokens."""
    tokens = ChainTokens(made)
    found = [tokens.action_tokens[s.action] for s in itertools.islice(steps(made, word), most)]
    return found if len(found) == most else [*found, tokens.halt]


@given(st.integers(0, 10**9), st.text("01", max_size=3))
def test_hashes_take_every_step(seed: int, word: str) -> None:
    """The decoder without positions, up to its own limits."""
    made = random_machine(3, 3, seed)
    model = hash_decoder(made)
    assert model.max_length is not None
    assert model.positions.table is None
    assert not model.positions.functions
    most = model.max_length - len(word) - 2
    assert list(follow(model, made, word, most).tokens) == right_tokens(made, word, most)
