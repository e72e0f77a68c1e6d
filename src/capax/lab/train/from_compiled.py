"""A network that begins as the compiled program, or in its shape."""

import math
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from capax.compiler.compile import compile
from capax.errors import CapaxError
from capax.lab.attention_targets import program_of
from capax.lab.data import Data
from capax.lab.settings import Settings
from capax.model.model import Model
from capax.model.vocabulary import Classes, Nearest


class CompiledNet(nn.Module):
    """A compiled model as a network: every weight of it is trained. Its answers have the order of the task's outputs.

    Where the model answers with one number (counts), a logit for each output is less the larger its squared distance
    from that number is: the nearest has the highest.
    """

    def __init__(self, model: Model, outputs: tuple[Any, ...]) -> None:
        super().__init__()
        self.module: Any = model.to_torch()
        decoding = model.decoding
        if isinstance(decoding, Classes):
            column = {answer_key(value): k for k, value in enumerate(decoding.values)}
            self.columns: list[int] | None = [column.get(answer_key(value), -1) for value in outputs]
            self.codes: list[float] | None = None
        elif isinstance(decoding, Nearest):
            code = dict(zip(map(answer_key, decoding.values), decoding.codes, strict=True))
            self.columns, self.codes = None, [code.get(answer_key(value), math.inf) for value in outputs]
        else:
            what = f"the compiled model answers with {type(decoding).__name__.lower()}, not with one of several outputs"
            raise CapaxError("bad-settings", what, hint="start = random")

    def forward(self, inputs: Tensor, real: Tensor | None = None) -> tuple[Tensor, list[Tensor]]:
        """The logits (batch, position, output); the attention of a compiled model is not looked at."""
        outputs = self.module(inputs, None if real is None else real.sum(dim=1))
        if self.columns is not None:
            never = outputs.new_full((*outputs.shape[:2], 1), -30.0)
            return torch.cat([outputs, never], dim=2)[:, :, self.columns], []
        assert self.codes is not None
        far = [not math.isfinite(code) for code in self.codes]
        codes = torch.tensor([0.0 if gone else code for code, gone in zip(self.codes, far, strict=True)]).to(outputs)
        logits = -((outputs - codes) ** 2)
        return logits.masked_fill(torch.tensor(far), -30.0), []

    def stream(self, inputs: Tensor, real: Tensor | None) -> tuple[list[Tensor], list[Tensor]]:
        """Nothing: `Model.run` with a trace shows what is in a compiled model."""
        return [], []


def answer_key(value: Any) -> str:
    """Answers of programs and outputs of tasks are the same when they print the same: 2 and 2.0 are."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


@lru_cache(maxsize=4)
def _compiled(text: str, alphabet: tuple[Any, ...], longest: int) -> Model:
    program = program_of(text)
    return compile(program, alphabet=list(alphabet), max_length=longest, dtype="float32", certify=False).model


def compiled_model(settings: Settings) -> Model:
    """What the program of the settings' task is compiled to."""
    data = Data(settings)
    return _compiled(program_text(settings), data.vocabularies.inputs, data.positions)


def program_text(settings: Settings) -> str:
    """The program of the settings' task, which has one."""
    text = settings.training.program(settings.parameters, settings.has_bos)
    assert text is not None, "the settings are checked"
    return text


def compiled_net(settings: Settings) -> CompiledNet:
    """The network that the program of a task is compiled to; with random weights if the settings ask for its shape.

    Random weights have the spread of 1 / sqrt(inputs), as usual; biases and the embedding's have 0 and 1 / sqrt(width).
    """
    net = CompiledNet(compiled_model(settings), Data(settings).vocabularies.outputs)
    random = np.random.default_rng(settings.seed)
    with torch.no_grad():
        for name, parameter in net.named_parameters():
            if settings.start == "compiled-shape":
                inputs = parameter.shape[1 if name.endswith("embedding") else 0]
                spread = 0.0 if parameter.ndim == 1 else 1 / math.sqrt(max(1, inputs))
                values = random.normal(size=tuple(parameter.shape)) * spread
                parameter.copy_(torch.from_numpy(values).to(parameter))
            elif settings.start_noise:
                parameter.add_(_noise(parameter, settings, random))
    if settings.trained == "nonzero":
        for parameter in net.parameters():
            _keep_zeros(parameter)
    return net


def _noise(parameter: Tensor, settings: Settings, random: np.random.Generator) -> Tensor:
    """Normal noise, `start_noise` times the quadratic mean of the weights that are not 0; none on zeros that stay."""
    there = parameter != 0
    size = float(parameter[there].square().mean().sqrt()) if there.any() else 0.0
    values = torch.from_numpy(random.normal(size=tuple(parameter.shape))).to(parameter)
    return values * (settings.start_noise * size) * (there if settings.trained == "nonzero" else 1)


def _keep_zeros(parameter: Tensor) -> None:
    """Gives weights that are 0 no gradient: they stay 0, and so does what a proof needs of them."""
    there = (parameter.detach() != 0).to(parameter)
    parameter.register_hook(lambda gradient: gradient * there)  # type: ignore[no-untyped-call]
