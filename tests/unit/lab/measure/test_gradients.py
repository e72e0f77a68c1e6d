"""Gradients of networks: their size, and what reaches the first position."""

import pytest
import torch

from capax.lab.data import TEST, Data
from capax.lab.measure.gradients import WORDS, gradients, gradients_json
from capax.lab.settings import Settings
from capax.lab.train.make import answer_loss, make_net, tensors

pytestmark = pytest.mark.xdist_group("libraries")  # one process loads PyTorch and the like


def tiny(net: str, n: int = 6, **more: object) -> Settings:
    """A network to reverse words of one length; recurrent ones read from the left."""
    return Settings(task="reverse", net=net, min_length=n, max_length=n, width=8, layers=1, both_ways=False, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("net", ["transformer", "lstm", "gru", "rnn"])
def test_gradients_are_those_of_the_loss(net: str) -> None:
    """By differences: the loss at the last position changes with an embedding as the gradient says."""
    settings = tiny(net)
    model = make_net(settings).double()
    batch = Data(settings).batch(TEST, 3, WORDS, 6)
    one = gradients(model, settings, batch)
    assert all(p.grad is None for p in model.parameters())
    logits, _ = model(*tensors(batch))
    loss = answer_loss(logits, batch, "tokens")
    grads = torch.autograd.grad(loss, [p for p in model.parameters() if p.requires_grad], allow_unused=True)
    norm = sum(float((g**2).sum()) for g in grads if g is not None) ** 0.5
    assert one["norm"] == pytest.approx(norm)
    assert one["near"] is not None
    assert one["far"] is not None
    assert one["ratio"] == pytest.approx(one["far"] / one["near"])


def test_the_last_position_of_a_causal_reader_is_all_it_sees() -> None:
    """One token: the first position is the last."""
    settings = tiny("rnn", n=1)
    one = gradients(make_net(settings), settings, Data(settings).batch(TEST, 3, WORDS, 1))
    assert one["ratio"] == pytest.approx(1.0)


def test_recurrent_gradients_fade_with_the_length() -> None:
    """At random weights a plain recurrent network passes less and less; both weights are measured."""
    ratios = []
    for n in (2, 8, 24):
        settings = tiny("rnn", n=n)
        found = gradients_json(make_net(settings), settings)
        assert found["start"] == found["end"]
        assert found["start"]["ratio"] is not None
        ratios.append(found["start"]["ratio"])
    assert ratios[0] > 10 * ratios[1] > 100 * ratios[2]


def test_vectors_have_no_last_position() -> None:
    settings = Settings(task="q-sparse-averaging", min_length=8, max_length=8, width=8, layers=1)
    one = gradients_json(make_net(settings), settings)["start"]
    assert one["norm"] > 0
    assert one["ratio"] is None
