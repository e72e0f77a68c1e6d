"""One attention layer in exact integers, trained: whatever it passes on fits into a number of bits that is known.

Bounds on what one layer can compute count the bits that its heads pass on, H (d + 1) p. A layer in float32 has hundreds
of them, so that the bounds are vacuous at every size that can be trained. Here weights, values and sums are integers of
a few bits in the forward pass; the gradient is that of the numbers before rounding (straight through).
"""

from typing import Any, Final

import numpy as np
import torch
from torch import Tensor, nn

from capax.lab.data import NetShape
from capax.lab.settings import Settings
from capax.model.model import Model
from capax.model.parts import Affine, Array, Block, Head, Mlp, Readout
from capax.model.positions import Positions
from capax.model.provenance import Provenance
from capax.model.vocabulary import Classes, Token, Vocabulary

BITS: Final = 8
"""The bits of a weight, and of a number of the stream."""
MOST: Final = 2 ** (BITS - 1) - 1
FINE: Final = 4
"""Scores between two powers of two in the table of attention weights."""
TEMPERATURE: Final = 16.0
"""What logits are divided by in the loss: they are integers, and far apart."""


def attention_table(weight_bits: int) -> tuple[int, ...]:
    """The attention weights of the scores 0, 1, 2, ...: powers of 2^(1/4), rounded."""
    return tuple(round(2 ** (k / FINE)) for k in range(FINE * weight_bits + 1))


def straight_through(exact: Tensor, smooth: Tensor) -> Tensor:
    """The exact value, with the gradient of the smooth one."""
    return smooth + (exact - smooth).detach()


def whole(x: Tensor) -> Tensor:
    """Numbers rounded to integers of 8 bits, with the gradient of what they were."""
    return straight_through(x.round().clamp(-MOST - 1, MOST), x)


class IntegerLayerNet(nn.Module):
    """One layer of the settings in integers, read at the last position: all other logits are 0.

    Heads have `head_dim` dimensions, attention weights up to `weight_bits` bits and values of `value_bits`.
    """

    def __init__(self, settings: Settings, shape: NetShape) -> None:
        super().__init__()
        self.settings, self.shape = settings, shape
        width, heads, dim = settings.width, settings.heads, settings.head_dim or settings.width // settings.heads
        hidden = settings.hidden or 2 * width

        def weights(*size: int, scale: float = 1.0) -> nn.Parameter:
            return nn.Parameter(scale * torch.randn(*size, dtype=torch.float64))

        self.tokens, self.positions = weights(shape.inputs, width, scale=2), weights(shape.positions, width, scale=2)
        self.query, self.key = weights(heads, width, dim, scale=0.6), weights(heads, width, dim, scale=0.6)
        self.value, self.output = weights(heads, width, dim), weights(heads, dim, width)
        self.up, self.up_bias = weights(width, hidden), weights(hidden)
        self.down, self.readout = weights(hidden, width), weights(width, shape.outputs)
        self.table = torch.tensor(attention_table(settings.weight_bits), dtype=torch.float64)

    def forward(self, inputs: Tensor, real: Tensor | None = None) -> tuple[Tensor, list[Tensor]]:
        """The logits (batch, position, output), which are 0 but at the last position; attention is not looked at."""
        x = whole(whole(self.tokens)[inputs] + whole(self.positions)[: inputs.shape[1]])
        last = x[:, -1]
        y = whole(last + torch.einsum("bhk,hkd->bd", self._attended(x), whole(self.output)))
        hidden = torch.relu(y @ whole(self.up) + whole(self.up_bias))
        y = whole(y + straight_through(hidden.clamp(0, MOST), hidden) @ whole(self.down))
        logits = y.new_zeros((*inputs.shape, self.shape.outputs))
        logits[:, -1] = y @ whole(self.readout) / TEMPERATURE
        return logits, []

    def _attended(self, x: Tensor) -> Tensor:
        """What each head gives at the last position (batch, head, dimension): a weighted mean, rounded."""
        query = whole(torch.einsum("bd,hdk->bhk", x[:, -1], whole(self.query)))
        key = whole(torch.einsum("bnd,hdk->bhnk", x, whole(self.key)))
        value = torch.einsum("bnd,hdk->bhnk", x, whole(self.value))
        half = 2 ** (self.settings.value_bits - 1)
        value = straight_through(value.clamp(-half, half - 1), value)
        score = torch.einsum("bhk,bhnk->bhn", query, key)
        cut = score.clamp(0, len(self.table) - 1)
        weight = straight_through(self.table[cut.round().long()], 2 ** (cut / FINE) + 0.01 * score)
        mean = torch.einsum("bhn,bhnk->bhk", weight, value) / weight.sum(dim=-1, keepdim=True)
        return straight_through(mean.round(), mean)

    def stream(self, inputs: Tensor, real: Tensor | None) -> tuple[list[Tensor], list[Tensor]]:
        """Nothing: `Model.run` with a trace shows what is in the model."""
        return [], []

    def to_model(self, tokens: tuple[Token, ...], outputs: tuple[Token, ...], provenance: Provenance) -> Model:
        """The layer as a model in exact integers, with the same answers."""
        at, n = self.settings, self.shape.positions
        heads = tuple(
            Head(
                _affine(self.query[h]),
                _affine(self.key[h]),
                _affine(self.value[h]),
                _integers(self.output[h]),
            )
            for h in range(at.heads)
        )
        mlp = Mlp((_affine(self.up, self.up_bias), _affine(self.down)))
        table = ",".join(map(str, attention_table(at.weight_bits)))
        return Model(
            vocabulary=Vocabulary(tokens),
            embedding=_integers(self.tokens),
            positions=Positions((), np.zeros((0, at.width), np.int64), _integers(self.positions)),
            blocks=(Block(heads, np.zeros(at.width, np.int64), mlp),),
            readout=Readout(_affine(self.readout)),
            decoding=Classes(outputs),
            names=tuple(f"d{k}" for k in range(at.width)),
            numbers=f"integer:{BITS},{at.weight_bits},{at.value_bits};0:{table}",
            min_length=n,
            max_length=n,
            provenance=provenance,
        )


def _integers(weights: Tensor) -> Array:
    rounded: Any = weights.detach().round().clamp(-MOST - 1, MOST)
    return np.asarray(rounded.numpy().astype(np.int64))


def _affine(weights: Tensor, bias: Tensor | None = None) -> Affine:
    matrix = _integers(weights)
    return Affine(matrix, np.zeros(matrix.shape[1], np.int64) if bias is None else _integers(bias))


def layout_of(settings: Settings) -> dict[str, Any]:
    """Where the parts of an input stand, for the search for inputs that fool the layer; known for composition."""
    if settings.task != "composition" or settings.parameters["functions"] != 2:
        return {}
    return {"task": "composition", "n": settings.parameters["domain"] or settings.max_length}
