"""The layers of a model in one size for all, as stock classes have them: what a layer has too little of is zeros."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from capax.model.model import Model
from capax.model.parts import Affine, Array, Block, Head, Mlp, Norm

ACTIVATION: Final = {"relu": "relu", "gelu": "gelu", "gelu-tanh": "gelu_new"}
"""What Hugging Face and TransformerLens call the activations."""


@dataclass(frozen=True, slots=True, eq=False)
class UniformLayer:
    """The queries, keys and values of all heads side by side, each (width, heads * dimension), the map of what they
    average to the stream, and the two maps of the MLP."""

    query: Affine
    key: Affine
    value: Affine
    output: Affine
    first: Affine
    second: Affine


@dataclass(frozen=True, slots=True, eq=False)
class UniformModel:
    """A plain model whose layers all have `heads` heads of one dimension, and MLPs of as many units as the largest."""

    model: Model
    heads: int
    dimension: int

    @property
    def hidden(self) -> int:
        """The most units of an MLP, at least 1."""
        return max((b.mlp.maps[0].outputs for b in self.model.blocks if isinstance(b.mlp, Mlp)), default=1) or 1

    @property
    def activation(self) -> str:
        """The activation of the MLPs, which all have the same, by the name that the libraries use."""
        kind = next((b.mlp.activation for b in self.model.blocks if isinstance(b.mlp, Mlp)), "relu")
        return ACTIVATION[kind]

    @property
    def table(self) -> Array:
        """The table of positions."""
        assert self.model.positions.table is not None
        return self.model.positions.table

    def layer(self, block: Block, usual: float = 1.0) -> UniformLayer:
        """The maps of a block; queries hold the head's scale as a multiple of the usual one, which the class has."""
        width, dtype, size = self.model.width, self.model.embedding.dtype, self.dimension
        weights: Array = np.zeros((3, width, self.heads * size), dtype)
        biases: Array = np.zeros((3, self.heads * size), dtype)
        output: Array = np.zeros((self.heads * size, width), dtype)
        for number, head in enumerate(block.heads):
            assert isinstance(head, Head)
            for part, (map, times) in enumerate(((head.query, head.scale / usual), (head.key, 1.0), (head.value, 1.0))):
                columns = slice(number * size, number * size + map.outputs)
                weights[part, :, columns] = map.weight * dtype.type(times)
                biases[part, columns] = map.bias * dtype.type(times)
            output[number * size : number * size + len(head.output)] = head.output
        q, k, v = (Affine(w, b) for w, b in zip(weights, biases, strict=True))
        return UniformLayer(q, k, v, Affine(output, block.bias), *self._mlp(block))

    def _mlp(self, block: Block) -> tuple[Affine, Affine]:
        dtype, width = self.model.embedding.dtype, self.model.width
        first: Array = np.zeros((width, self.hidden), dtype)
        middle: Array = np.zeros(self.hidden, dtype)
        second: Array = np.zeros((self.hidden, width), dtype)
        last: Array = np.zeros(width, dtype)
        if isinstance(block.mlp, Mlp):
            one, two = block.mlp.maps
            first[:, : one.outputs], middle[: one.outputs] = one.weight, one.bias
            second[: one.outputs], last = two.weight, two.bias
        return Affine(first, middle), Affine(second, last)


def needed(model: Model) -> tuple[int, int]:
    """The most heads of a block, and the largest dimension of a head; at least 1 each."""
    heads = [h for block in model.blocks for h in block.heads if isinstance(h, Head)]
    dimension = max((max(h.query.outputs, h.value.outputs) for h in heads), default=1)
    return max((len(block.heads) for block in model.blocks), default=1) or 1, max(dimension, 1)


def put_map(tensors: dict[str, Array], name: str, map: Affine) -> None:
    """Adds the tensors of a map, kept as (outputs, inputs)."""
    tensors[f"{name}.weight"], tensors[f"{name}.bias"] = map.weight.T, map.bias


def put_norm(tensors: dict[str, Array], name: str, norm: Norm) -> None:
    """Adds the tensors of a norm."""
    tensors[f"{name}.weight"], tensors[f"{name}.bias"] = norm.gain, norm.bias


def padded_embedding(model: Model, rows: int) -> Array:
    """The embedding with more rows, the last ones zero."""
    return np.pad(model.embedding, ((0, rows - len(model.embedding)), (0, 0)))
