"""A layer in exact integers: the model that it becomes computes the same integers, and the fooler takes it."""

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from capax import CapaxError
from capax.lab.data import Data
from capax.lab.measure.to_model import to_model
from capax.lab.settings import Settings
from capax.lab.train.integer_layer import TEMPERATURE
from capax.lab.train.make import make_net, tensors
from capax.lab.training_run import run
from capax.limits.witnesses.search.fool import fool

pytestmark = pytest.mark.xdist_group("libraries")  # one process loads PyTorch and the like

SHAPES = st.fixed_dictionaries(
    {
        "heads": st.integers(1, 2),
        "head_dim": st.integers(1, 3),
        "weight_bits": st.integers(2, 6),
        "value_bits": st.integers(2, 6),
        "seed": st.integers(0, 100),
    }
)


def layer(n: int, **more: Any) -> Settings:
    """Settings of a small layer that is trained on composition over n values."""
    sizes = {"width": 6, "hidden": 8, "min_length": n, "max_length": n, "steps": 30, "rate": 0.05, "batch": 16}
    checks = {"check_words": 20, "check_every": 10, "test_words": 40}
    return Settings(**{"task": "composition", "net": "integer-layer", "layers": 1} | sizes | checks | more)


@given(shape=SHAPES, n=st.integers(2, 4))
@settings(max_examples=30, deadline=None)
def test_a_layer_is_a_model_integer_by_integer(shape: dict[str, Any], n: int) -> None:
    """The logits at the last position are the model's integers."""
    chosen = layer(n, **shape)
    net, data = make_net(chosen), Data(chosen)
    model = to_model(net, chosen)
    batch = data.batch(0, 0, 3, n)
    with torch.no_grad():
        logits = net(*tensors(batch))[0][:, -1].numpy() * TEMPERATURE
    for row in range(3):
        assert np.array_equal(model.run(data.tokens(batch, row)).logits[0][-1], logits[row])


def test_a_trained_layer_is_fooled() -> None:
    """What training gives is a model with its layout, for which the search finds two words with equal messages."""
    outcome = run(layer(8, heads=1, head_dim=1))
    assert outcome.model is not None
    assert outcome.model.provenance.layout == {"task": "composition", "n": 8}
    fooling = fool(outcome.model, "composition", {}, seed=0, used=lambda: 0.0)
    assert fooling.guaranteed
    assert fooling.witness is not None


@pytest.mark.parametrize(
    "other",
    [
        {"layers": 2},
        {"max_length": 6},
        {"mask": "causal"},
        {"task": "reverse"},
        {"marks": "bos"},
        {"net": "transformer", "head_dim": 2},
        {"net": "lstm", "value_bits": 3},
        {"heads": 4},
    ],
)
def test_what_a_layer_in_integers_cannot_be_is_refused(other: dict[str, Any]) -> None:
    """With what to set instead."""
    with pytest.raises(CapaxError) as error:
        layer(**{"n": 4, **other})
    assert error.value.code == "bad-settings"
    assert error.value.hint
