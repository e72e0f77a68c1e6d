"""Networks from settings."""

from collections.abc import Callable
from typing import TypeAlias

import torch
from torch import Tensor

from capax.lab.data import NetShape, shape_of
from capax.lab.settings import Settings
from capax.lab.train.from_compiled import CompiledNet
from capax.lab.train.recurrent import ConnectedNet, RecurrentNet
from capax.lab.train.transformer import TransformerNet
from capax.tasks.base.training import TrainingBatch

Net: TypeAlias = TransformerNet | RecurrentNet | ConnectedNet | CompiledNet


def make_net(settings: Settings) -> Net:
    """A network with random weights, the same for the same settings; the generator of PyTorch stays as it was."""
    kinds: dict[str, Callable[[Settings, NetShape], Net]] = {
        "transformer": TransformerNet,
        "lstm": RecurrentNet,
        "gru": RecurrentNet,
        "mlp": ConnectedNet,
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
