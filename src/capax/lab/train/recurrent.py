"""LSTM, GRU and the plain recurrent network, to compare transformers with."""

from itertools import pairwise

import torch
from torch import Tensor, nn

from capax.lab.data import NetShape
from capax.lab.settings import Settings


class RecurrentNet(nn.Module):
    """A recurrent network: an embedding, layers of LSTM, GRU or tanh units (one way or both ways), and a readout."""

    def __init__(self, settings: Settings, shape: NetShape) -> None:
        super().__init__()
        self.settings = settings
        width = settings.width
        self.embedding: nn.Module = (
            nn.Linear(shape.features, width) if shape.features else nn.Embedding(shape.inputs, width)
        )
        both = settings.both_ways and settings.mask != "causal"
        self.cells = {"lstm": nn.LSTM, "gru": nn.GRU, "rnn": nn.RNN}[settings.net](
            width, width, num_layers=max(1, settings.layers), batch_first=True, bidirectional=both
        )
        self.readout = nn.Linear(width * (1 + both), shape.outputs)

    def forward(self, inputs: Tensor, real: Tensor | None = None) -> tuple[Tensor, list[Tensor]]:
        """The logits (batch, position, output); there is no attention."""
        x = self.embedding(inputs)
        if real is None:
            states, _ = self.cells(x)
            return self.readout(states), []
        lengths = real.sum(dim=1).cpu()
        packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        states, _ = nn.utils.rnn.pad_packed_sequence(self.cells(packed)[0], batch_first=True, total_length=x.shape[1])
        return self.readout(states), []

    def stream(self, inputs: Tensor, real: Tensor | None) -> tuple[list[Tensor], list[Tensor]]:
        """The states after the last layer (batch, position, width)."""
        x = self.embedding(inputs)
        return [x, self.cells(x)[0]], []


class ConnectedNet(nn.Module):
    """A fully connected network: it reads all positions at once and gives the logits of all positions."""

    def __init__(self, settings: Settings, shape: NetShape) -> None:
        super().__init__()
        self.shape = shape
        each = shape.features or shape.inputs
        sizes = [shape.positions * each] + [settings.width] * max(1, settings.layers)
        self.maps = nn.ModuleList(nn.Linear(one, two) for one, two in pairwise(sizes))
        self.readout = nn.Linear(sizes[-1], shape.positions * shape.outputs)

    def stream(self, inputs: Tensor, real: Tensor | None) -> tuple[list[Tensor], list[Tensor]]:
        """The hidden stages, each the same for all positions (batch, position, unit)."""
        batch, n = inputs.shape[:2]
        read = inputs if self.shape.features else nn.functional.one_hot(inputs, self.shape.inputs)
        read = read.to(self.readout.weight.dtype)
        if real is not None:
            read = read * real[:, :, None]
        x = torch.zeros(batch, self.shape.positions, read.shape[2])
        x[:, :n] = read
        x = x.flatten(1)
        stages = []
        for one in self.maps:
            x = torch.relu(one(x))
            stages.append(x[:, None, :].expand(-1, n, -1))
        return stages, []

    def forward(self, inputs: Tensor, real: Tensor | None = None) -> tuple[Tensor, list[Tensor]]:
        """The logits (batch, position, output); there is no attention."""
        streams, _ = self.stream(inputs, real)
        logits = self.readout(streams[-1][:, 0]).view(len(inputs), self.shape.positions, self.shape.outputs)
        return logits[:, : inputs.shape[1]], []
