"""The prepared step: one token at a time it gives what the general way gives, and a run on the whole word."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from capax.formal.turing.machine import TuringMachine
from capax.formal.turing.machines import machine_source
from capax.formal.turing.read_machine import read_machine
from capax.model.arithmetic.select import arithmetic
from capax.model.model import Model
from capax.model.parts import OracleMap
from capax.model.run import run
from capax.model.run.cache import Cache, MakeStore, array_store
from capax.model.run.generate import generate
from capax.model.run.lookup.key_store import lookup_store
from capax.model.run.step import PREPARED, token_step
from capax.theorems.turing.parts.decoder import decoder
from capax.theorems.turing.parts.tokens import ChainTokens
from tests.support.models import Shape, models, with_heads, words

CAUSAL = Shape(
    masks=("causal", "strict past"), pairs=False, activations=("relu", "gelu", "gelu-tanh"), epsilons=(0.125,)
)
HARD = replace(CAUSAL, kinds=("average-hard", "leftmost-hard", "rightmost-hard"), norms=False, grain=1)


def token_by_token(model: Model, rows: list[int], make_store: MakeStore, *, prepared: bool) -> np.ndarray:
    """The logits of a word that is fed in single tokens."""
    cache = Cache(model, make_store)
    assert cache._step is not None
    if not prepared:
        cache._step = None
    return np.concatenate([cache.feed([row]) for row in rows])


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from([CAUSAL, HARD]).flatmap(models),
    st.sampled_from(["float64", "float32"]),
    words(1, 9),
    st.sampled_from([array_store, lookup_store]),
)
def test_a_step_is_a_token_of_a_run(drawn: Model, numbers: str, word: str, make_store: MakeStore) -> None:
    """Norms before and after, MLPs, sinks, tables, formulas of positions, a prefix."""
    model = drawn.to(numbers)
    rows = model.read(list(word))
    table = model.positions.table
    assume(table is None or len(rows) <= len(table))
    stepped = token_by_token(model, rows, make_store, prepared=True)
    general = token_by_token(model, rows, make_store, prepared=False)
    (whole,) = run.logits(model, [word])
    assert stepped.dtype == general.dtype
    limit = 2000 * np.finfo(numbers).eps * max(1, np.abs(whole).max())
    assert np.abs(stepped - general).max() <= limit
    assert np.abs(stepped[len(model.prefix) :] - whole).max() <= limit


def test_positions_are_prepared_again_and_again() -> None:
    """Beyond the first positions that were prepared the logits stay those of a run."""
    model = with_heads(replace(CAUSAL, kinds=("softmax",), table=False, functions=("1", "(-1)^i", "i%3"), prefix=False))
    cache = Cache(model)
    cache.feed(model.read(["a"] * (PREPARED - 2)))
    stepped = np.concatenate([cache.feed(model.read([token])) for token in "abcab"])
    (whole,) = run.logits(model, ["a" * (PREPARED - 2) + "abcab"])
    assert np.allclose(stepped, whole[-5:], rtol=1e-9, atol=1e-9)


def test_a_decoder_takes_the_same_steps_in_both_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every token of a chain of thought."""
    machine = read_machine(machine_source("bb4"))
    assert isinstance(machine, TuringMachine)
    model, tokens = decoder(machine), ChainTokens(machine)
    stepped = generate(model, tokens.prompt(()), 150, stop=tokens.halt)
    assert stepped[-1] == tokens.halt
    monkeypatch.setattr("capax.model.run.cache.token_step", lambda *_: None)
    assert generate(model, tokens.prompt(()), 150, stop=tokens.halt) == stepped


def test_what_has_no_prepared_step() -> None:
    """Other number systems, heads of third order and arbitrary functions go the general way."""
    base = with_heads(replace(CAUSAL, kinds=("softmax",)))
    third = with_heads(replace(CAUSAL, kinds=("softmax",), pairs=True, pair_share=1.0))
    for model in (
        base.to("float16"),
        base.to("fixed:16.8"),
        third,
        replace(base, input_mlp=OracleMap(np.tanh, "tanh")),
    ):
        assert Cache(model)._step is None
    assert token_step(
        base, arithmetic("float64"), [[array_store(h, arithmetic("float64")) for h in b.heads] for b in base.blocks]
    )
