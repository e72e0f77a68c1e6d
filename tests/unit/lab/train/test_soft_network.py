"""The soft form of discrete networks: with one-hot choices it is the network, and it is always a distribution."""

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from capax.lab.train.soft_network import SoftShape, soft_outputs
from capax.lab.train.soft_training import likeliest

SHAPES = st.builds(
    SoftShape,
    st.integers(5, 6),
    st.integers(2, 3),
    st.integers(0, 2),
    st.integers(1, 2),
    st.integers(0, 2),
    st.integers(0, 1),
)


def random_logits(shape: SoftShape, seed: int) -> dict[str, Tensor]:
    """Logits of three restarts."""
    generator = torch.Generator().manual_seed(seed)
    return {name: torch.randn(3, *size, generator=generator) for name, size in shape.logits().items()}


def one_hot(logits: Tensor) -> Tensor:
    """The likeliest choices."""
    if 0 in logits.shape:
        return logits
    return torch.nn.functional.one_hot(logits.argmax(-1), logits.shape[-1]).float()


@settings(max_examples=40)
@given(SHAPES, st.integers(0, 2**31), st.integers(1, 3))
def test_one_hot_choices_give_the_discrete_network(shape: SoftShape, seed: int, n: int) -> None:
    """For every restart, up to what is rounded."""
    logits = random_logits(shape, seed)
    tokens = np.random.default_rng(seed).integers(0, shape.codes - 1, (4, n))
    soft = soft_outputs(shape, logits, torch.from_numpy(tokens), one_hot)
    for outputs, network in zip(soft, likeliest(shape, logits), strict=True):
        expected = torch.nn.functional.one_hot(torch.from_numpy(network.run(tokens)), shape.outputs)
        assert torch.allclose(outputs, expected.float(), atol=0.01)


@settings(max_examples=20)
@given(SHAPES, st.integers(0, 2**31), st.integers(1, 3))
def test_soft_choices_give_distributions(shape: SoftShape, seed: int, n: int) -> None:
    """Probabilities that add up to one, for all words and restarts."""
    logits = random_logits(shape, seed)
    tokens = torch.from_numpy(np.random.default_rng(seed).integers(0, shape.codes - 1, (4, n)))
    outputs = soft_outputs(shape, logits, tokens, lambda x: torch.softmax(x, dim=-1))
    assert bool((outputs >= -1e-5).all())
    assert torch.allclose(outputs.sum(-1), torch.ones(3, 4, n), atol=1e-3)
