"""Rotary heads and SwiGLU MLPs: the fast runtime, the cache, the replay and the file against the slow definition."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from capax.auditor.replay import replay
from capax.errors import CapaxError
from capax.model.io.file import from_bytes, to_bytes
from capax.model.model import Model
from capax.model.parts import GatedMlp, RotaryHead
from capax.model.run.cache import Cache
from capax.model.run.reference import define
from capax.model.run.run import logits
from tests.support.models import Draw, Shape, models, with_heads, words

LLAMA = Shape(kinds=("softmax",), masks=("causal",), sinks=False, pairs=False, functions=(), rotary=0.8, gated=0.8)


@given(models(LLAMA), words())
def test_all_runtimes_agree_with_the_definition(model: Model, word: str) -> None:
    """In float64 and float32: whole words, token by token, and by code that shares nothing with the runtime."""
    expected = np.array(define(model, word))
    near = 1e-9 * max(1.0, float(np.abs(expected).max()))
    assert np.abs(logits(model, [word])[0] - expected).max() <= near
    cache = Cache(model)
    rows = [cache.feed([row]) for row in model.read(word)]
    assert np.abs(np.concatenate(rows)[len(model.prefix) :] - expected).max() <= near
    assert np.abs(np.array(replay(model, word, len(word) - 1, "float64")) - expected[-1]).max() <= near
    assert from_bytes(to_bytes(model), "a file") == model


@given(models(replace(LLAMA, norms=False, most_layers=1)), words())
def test_fewer_digits_agree_up_to_rounding(model: Model, word: str) -> None:
    """Weights are quarters, so that they are the same numbers in all systems."""
    for numbers, near in (("float32", 1e-4), ("bfloat16", 0.5)):
        small = model.to(numbers)
        expected = np.array(define(small, word))
        assert np.abs(logits(small, [word])[0] - expected).max() <= near * max(1.0, float(np.abs(expected).max()))


def test_rotary_scores_depend_on_how_far_apart_positions_are() -> None:
    """In a word of one letter, without other positions, every score on a diagonal of the matrix is the same."""
    model = next(
        m
        for m in (Draw(replace(LLAMA, norms=False, table=False, prefix=False), seed).model() for seed in range(100))
        if m.blocks and any(isinstance(h, RotaryHead) and h.frequencies.any() for h in m.blocks[0].heads)
    )
    number = next(i for i, h in enumerate(model.blocks[0].heads) if isinstance(h, RotaryHead) and h.frequencies.any())
    scores = np.asarray(model.run("aaaaaa", trace=True)["blocks.0.attn.scores"]).reshape(-1, 6, 6)[number]
    for apart in range(6):
        assert np.ptp(np.diagonal(scores, -apart)) < 1e-12


@pytest.mark.parametrize("numbers", ["fixed:16.8", "integer:20.10"])
def test_other_number_systems_are_refused(numbers: str) -> None:
    """Rotary positions and SwiGLU are defined in floats."""
    model = with_heads(replace(LLAMA, norms=False))
    assert any(isinstance(b.mlp, GatedMlp) or any(isinstance(h, RotaryHead) for h in b.heads) for b in model.blocks)
    with pytest.raises(CapaxError) as raised:
        model.to(numbers)
    assert raised.value.code == "number-system"
