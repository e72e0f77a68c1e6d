"""The plain replay: against the runtime and against the definition, on random models of every kind."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from capax.auditor.replay import replay
from capax.errors import CapaxError
from capax.model.model import Model
from capax.model.parts import Affine, Norm, OracleMap, PairSink, TensorHead
from capax.model.positions import Positions
from capax.model.run.reference import define
from capax.model.run.run import logits
from tests.support.audit_subjects import gpt
from tests.support.models import Draw, Shape, models, with_heads, words

FUNCTIONS = (
    "1",
    "i",
    "i^2",
    "i^3",
    "1/(i+1)",
    "i/n",
    "1/n",
    "(-1)^i",
    "sqrt(1/(i+1))",
    "sqrt(1-1/(i+1))",
    "[i=0]",
    "[i%3=1]",
    "i%3",
    "sin(i*0.5)",
    "cos(i*0.25)",
    "[isprime(i + 1)]",
    "[2 * i < n]",
)
SMOOTH = Shape(kinds=("softmax", "sparsemax"), functions=FUNCTIONS, activations=("relu", "gelu", "gelu-tanh"))
HARD = Shape(
    kinds=("average-hard", "leftmost-hard", "rightmost-hard"), norms=False, pairs=False, most_layers=1, grain=2
)
"""Numbers that are exact in any order of summation up to the scores, so that equal scores are equal everywhere."""


def compare(model: Model, word: str, numbers: str, tolerance: float) -> None:
    """That the replay gives the logits of the runtime and of the definition."""
    own = model.to(numbers)
    (rows,) = logits(own, [word])
    defined = define(own, word)
    for position in range(len(word)):
        again = replay(model, word, position, numbers)
        np.testing.assert_allclose(again, rows[position], rtol=tolerance, atol=tolerance)
        np.testing.assert_allclose(again, defined[position], rtol=tolerance, atol=tolerance)


@settings(max_examples=60)
@given(models(SMOOTH), words(1, 5))
def test_replay_in_float64_is_the_run(model: Model, word: str) -> None:
    """Softmax and sparsemax, every mask, sinks, norms, third-order heads, every activation, every position function."""
    compare(model, word, "float64", 1e-9)


@settings(max_examples=40)
@given(models(HARD), words(1, 5), st.sampled_from(["float32", "float64"]))
@example(Draw(HARD, 5).model(), "abcba", "float64")
def test_replay_of_hard_attention_is_the_run(model: Model, word: str, numbers: str) -> None:
    """Equal scores are equal in the replay, too."""
    model = replace(model, input_mlp=None)
    compare(model, word, numbers, 1e-9 if numbers == "float64" else 1e-4)


@pytest.mark.parametrize("seed", range(6))
def test_replay_in_float32_rounds(seed: int) -> None:
    """A model as GPT-2 is: the replay in float32 is near the run in float32, and not the one in float64."""
    model = gpt(1 + seed % 2, heads=1 + seed % 2, seed=seed, activation="gelu" if seed % 3 else "gelu-tanh")
    compare(model, "0110100", "float32", 1e-4)
    fine, coarse = (np.array(replay(model, "0110100", 6, numbers)) for numbers in ("float64", "float32"))
    assert (fine != coarse).any()
    assert (coarse == coarse.astype(np.float32)).all()


def test_sinks_of_pairs_and_large_powers_are_replayed() -> None:
    """What the random models do not have."""
    shape = Shape(pairs=True, pair_share=1.0, functions=("1",))
    model, word = with_heads(shape), "abca"
    blocks = []
    for block in model.blocks:
        heads = []
        for head in block.heads:
            assert isinstance(head, TensorHead)
            k, v = head.query.outputs, head.value1.outputs
            rows = [np.linspace(-1, 1, size) if size > 1 else np.array([0.5]) for size in (k, k, v, v)]
            heads.append(replace(head, sink=PairSink(*rows)))
        blocks.append(replace(block, heads=tuple(heads)))
    compare(replace(model, blocks=tuple(blocks)), word, "float64", 1e-9)
    functions = ("i^99",)
    far = replace(model, blocks=(), positions=Positions(functions, np.ones((1, model.width))), prefix=())
    assert len(replay(far, "abc" * 1000, 2999, "float64")) == 2


def test_what_overflows_is_no_number() -> None:
    """Infinite weights, a norm of nothing, and a weight that float32 does not have."""
    model = gpt(1)
    flat = replace(model.readout, norm=Norm("layer", np.zeros(8), np.zeros(8), 0.0))
    zero = replace(model, embedding=np.zeros((3, 8), np.float32), blocks=(), readout=flat)
    zero = replace(zero, positions=Positions((), np.zeros((0, 8))))
    assert np.isnan(replay(zero, "01", 1, "float64")).all()
    (rows,) = logits(zero, ["01"])
    assert np.isnan(rows).all()
    large = replace(
        gpt(1, numbers="float64"), readout=replace(flat, map=Affine(np.zeros((8, 2)), np.array([1e200, 0])))
    )
    large = replace(large, readout=replace(large.readout, norm=None))
    assert replay(large, "01", 1, "float32")[0] == np.inf
    assert replay(large, "01", 1, "float64")[0] == 1e200


def test_what_nobody_else_can_compute_is_refused() -> None:
    """Oracle maps, and other number systems."""
    model = replace(gpt(1), input_mlp=OracleMap(lambda x: x, "same"))
    with pytest.raises(CapaxError, match="oracle map"):
        replay(model, "01", 0, "float64")
    with pytest.raises(CapaxError, match=r"not in fixed:16\.8"):
        replay(gpt(1), "01", 0, "fixed:16.8")
