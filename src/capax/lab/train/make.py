"""Networks from settings, what they read of a batch, and the losses of training."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import torch
from torch import Tensor, nn

from capax.lab.data import NetShape, shape_of
from capax.lab.settings import INTEGER_LAYER, Settings
from capax.lab.train.from_compiled import CompiledNet
from capax.lab.train.integer_layer import IntegerLayerNet
from capax.lab.train.recurrent import ConnectedNet, RecurrentNet
from capax.lab.train.transformer import TransformerNet
from capax.tasks.base.training import IGNORE, TrainingBatch

Net: TypeAlias = TransformerNet | RecurrentNet | ConnectedNet | CompiledNet | IntegerLayerNet


def make_net(settings: Settings) -> Net:
    """A network with random weights, the same for the same settings; the generator of PyTorch stays as it was."""
    kinds: dict[str, Callable[[Settings, NetShape], Net]] = {
        "transformer": TransformerNet,
        "lstm": RecurrentNet,
        "gru": RecurrentNet,
        "rnn": RecurrentNet,
        "mlp": ConnectedNet,
        INTEGER_LAYER: IntegerLayerNet,
    }
    shape = shape_of(settings)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(settings.seed)
        net: Net = kinds[settings.net](settings, shape)
    return net


def tensors(batch: TrainingBatch) -> tuple[Tensor, Tensor | None]:
    """What a network reads of a batch: the inputs, and which positions are real where some are not."""
    inputs = torch.from_numpy(batch.inputs)
    inputs = inputs.float() if inputs.is_floating_point() else inputs.long()
    if batch.lengths is None or (batch.lengths == inputs.shape[1]).all():
        return inputs, None
    return inputs, torch.arange(inputs.shape[1]) < torch.from_numpy(batch.lengths)[:, None]


def answer_loss(logits: Tensor, batch: TrainingBatch, kind: str) -> Tensor:
    """The mean cross entropy of the answers, or the mean squared distance of vectors (a sum over coordinates)."""
    if kind == "vectors":
        assert batch.targets is not None
        targets = torch.from_numpy(batch.targets).to(logits)
        return ((logits - targets) ** 2).sum(dim=2).mean()
    answers = torch.from_numpy(batch.answers)
    return nn.functional.cross_entropy(logits.flatten(0, 1), answers.flatten(), ignore_index=IGNORE)


def attention_loss(weights: Sequence[Tensor], targets: Sequence[tuple[int, int, Any]]) -> Tensor:
    """The mean squared error between heads and what they should be, summed over heads.

    `targets` has (layer, head, weights (batch, query, key)), numbers from 0. A query that selects no key is left out:
    softmax has no such row.
    """
    total = torch.zeros(())
    for layer, head, matrix in targets:
        target = torch.from_numpy(matrix).to(weights[layer])
        selects = target.sum(dim=2, keepdim=True) > 0
        error = ((weights[layer][:, head] - target) ** 2) * selects
        total = total + error.sum() / (selects.sum() * target.shape[2]).clamp(min=1)
    return total
