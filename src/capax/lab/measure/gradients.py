"""How gradients flow through a network: their size, and how much of them reaches the first position from the last.

Backpropagation multiplies by one Jacobian for each step on the way. Through a recurrent network the way from the last
position to the first has as many steps as the word has tokens, and gradients may vanish or explode; through attention
it has one step a layer.
"""

from typing import Final, TypedDict

import numpy as np
import torch
from torch import Tensor

from capax.lab.data import TEST, Data
from capax.lab.settings import Settings
from capax.lab.train.make import Net, answer_loss, make_net, tensors
from capax.tasks.base.training import IGNORE, TrainingBatch

WORDS: Final = 32
"""So many words are looked at."""


class Gradients(TypedDict):
    """Gradients on words of the greatest training length, as they are stored.

    `norm` is that of the gradient of the loss by all weights. `near` and `far` are those of the loss at the last scored
    position by the embedding of the last position and of the first, the mean over words; `ratio` is far / near. The
    three are None for tasks of vectors, and where nothing is scored.
    """

    norm: float
    near: float | None
    far: float | None
    ratio: float | None


def gradients_json(net: Net, settings: Settings) -> dict[str, Gradients]:
    """The gradients at random weights (those of the seed) and at the weights that were trained."""
    data = Data(settings)
    batch = data.batch(TEST, 3, WORDS, settings.max_length)
    return {"start": gradients(make_net(settings), settings, batch), "end": gradients(net, settings, batch)}


def gradients(net: Net, settings: Settings, batch: TrainingBatch) -> Gradients:
    """The gradients of a network on a batch; those of its weights are taken away again."""
    kind = settings.training.kind
    net.zero_grad(set_to_none=True)
    logits, _ = net(*tensors(batch))
    answer_loss(logits, batch, kind).backward()  # type: ignore[no-untyped-call]
    squares = [float((p.grad.double() ** 2).sum()) for p in net.parameters() if p.grad is not None]
    net.zero_grad(set_to_none=True)
    near, far = (None, None) if kind == "vectors" else _reach(net, batch)
    ratio = None if near is None or far is None or near == 0 else far / near
    return {"norm": sum(squares) ** 0.5, "near": near, "far": far, "ratio": ratio}


def _reach(net: Net, batch: TrainingBatch) -> tuple[float | None, float | None]:
    """The gradients of the loss at the last scored position, at the last position and at the first."""
    scored = batch.answers != IGNORE
    embedding = getattr(net, "embedding", None)
    if not scored.any(axis=1).all() or not isinstance(embedding, torch.nn.Module):
        return None, None
    last = scored.shape[1] - 1 - np.argmax(scored[:, ::-1], axis=1)
    held: list[Tensor] = []

    def hold(module: object, inputs: object, output: Tensor) -> None:
        output.retain_grad()
        held.append(output)

    hook = embedding.register_forward_hook(hold)
    try:
        logits, _ = net(*tensors(batch))
    finally:
        hook.remove()
    rows = torch.arange(len(last))
    answers = torch.from_numpy(batch.answers)[rows, torch.from_numpy(last)]
    loss = torch.nn.functional.cross_entropy(logits[rows, torch.from_numpy(last)], answers, reduction="sum")
    loss.backward()  # type: ignore[no-untyped-call]
    grad = held[0].grad
    assert grad is not None, "the embedding was used"
    norms = grad.double().norm(dim=2)
    net.zero_grad(set_to_none=True)
    return float(norms[rows, torch.from_numpy(last)].mean()), float(norms[:, 0].mean())
