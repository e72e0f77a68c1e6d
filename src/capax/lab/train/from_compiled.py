"""A network that begins as the compiled program, or in its shape."""

import math
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from capax.compiler.compile import compile
from capax.errors import CapaxError
from capax.lab.attention_targets import program_of
from capax.lab.settings import Settings
from capax.lab.words import Data
from capax.model.model import Model
from capax.model.vocabulary import Classes, Nearest


class Compiled(nn.Module):
    """A compiled model as a network: every weight of it is trained. Its answers are brought into the lesson's order.

    Where the model answers with one number (counts), a logit for each output is less the larger its squared distance
    from that number is: the nearest has the highest.
    """

    def __init__(self, model: Model, outputs: tuple[Any, ...]) -> None:
        super().__init__()
        self.module: Any = model.to_torch()
        decoding = model.decoding
        if isinstance(decoding, Classes):
            column = {_key(value): k for k, value in enumerate(decoding.values)}
            self.columns: list[int] | None = [column.get(_key(value), -1) for value in outputs]
            self.places: list[float] | None = None
        elif isinstance(decoding, Nearest):
            place = dict(zip(map(_key, decoding.values), decoding.places, strict=True))
            self.columns, self.places = None, [place.get(_key(value), math.inf) for value in outputs]
        else:
            what = f"the compiled model answers with {type(decoding).__name__.lower()}, not with one of several outputs"
            raise CapaxError("bad-settings", what, hint="start = random")

    def forward(self, inputs: Tensor, real: Tensor | None = None) -> tuple[Tensor, list[Tensor]]:
        """The logits (batch, place, output); the attention of a compiled model is not looked at."""
        given = self.module(inputs, None if real is None else real.sum(dim=1))
        if self.columns is not None:
            never = given.new_full((*given.shape[:2], 1), -30.0)
            return torch.cat([given, never], dim=2)[:, :, self.columns], []
        assert self.places is not None
        far = [not math.isfinite(place) for place in self.places]
        places = torch.tensor([0.0 if gone else place for place, gone in zip(self.places, far, strict=True)]).to(given)
        logits = -((given - places) ** 2)
        return logits.masked_fill(torch.tensor(far), -30.0), []

    def stream(self, inputs: Tensor, real: Tensor | None) -> tuple[list[Tensor], list[Tensor]]:
        """Nothing: `Model.run` with a trace shows what is in a compiled model."""
        return [], []


def _key(value: Any) -> str:
    """Answers of programs and outputs of lessons are the same when they print the same: 2 and 2.0 are."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def compiled_net(settings: Settings) -> Compiled:
    """The network that the program of a lesson is compiled to; with random weights if the settings ask for its shape.

    Random weights have the spread of 1 / sqrt(inputs), as usual; biases and the embedding's have 0 and 1 / sqrt(width).
    """
    data = Data(settings)
    text = settings.lesson.program(settings.parameters, settings.first)
    assert text is not None, "the settings are checked"
    made = compile(
        program_of(text), alphabet=list(data.words.inputs), max_length=data.places, dtype="float32", certify=False
    )
    net = Compiled(made.model, data.words.outputs)
    if settings.start == "compiled-shape":
        random = np.random.default_rng(settings.seed)
        with torch.no_grad():
            for name, parameter in net.named_parameters():
                inputs = parameter.shape[1 if name.endswith("embedding") else 0]
                spread = 0.0 if parameter.ndim == 1 else 1 / math.sqrt(max(1, inputs))
                values = random.normal(size=tuple(parameter.shape)) * spread
                parameter.copy_(torch.from_numpy(values).to(parameter))
    return net
