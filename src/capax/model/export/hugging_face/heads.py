"""The heads and MLPs of a block as matrices of one size for all blocks, filled up with zeros."""

from collections.abc import Callable
from typing import Final

import numpy as np

from capax.model.model import Model
from capax.model.parts import Affine, AnyHead, Array, Block, Head, Mlp, Norm

ACTIVATION: Final = {"relu": "relu", "gelu": "gelu", "gelu-tanh": "gelu_new"}
"""What Hugging Face calls the activations."""


def packed_heads(
    block: Block, model: Model, split: tuple[int, int], factor: Callable[[Head], float]
) -> tuple[Affine, Affine, Affine, Array]:
    """The queries, keys and values of all heads side by side, each (width, heads * dimension), and the output map.

    Queries are multiplied by a factor of their head.
    """
    count, size = split
    dtype = model.embedding.dtype
    weights: Array = np.zeros((3, model.width, count * size), dtype)
    biases: Array = np.zeros((3, count * size), dtype)
    output: Array = np.zeros((count * size, model.width), dtype)
    for number, head in enumerate(block.heads):
        assert isinstance(head, Head)
        for part, (map, times) in enumerate(((head.query, factor(head)), (head.key, 1.0), (head.value, 1.0))):
            columns = slice(number * size, number * size + map.outputs)
            weights[part, :, columns] = map.weight * dtype.type(times)
            biases[part, columns] = map.bias * dtype.type(times)
        output[number * size : number * size + len(head.output)] = head.output
    q, k, v = (Affine(w, b) for w, b in zip(weights, biases, strict=True))
    return q, k, v, output


def scale_factor(head: AnyHead, usual: float) -> float:
    """What queries are multiplied by, so that scores have the head's scale where the class has the usual one."""
    return head.scale / usual


def hidden_size(model: Model) -> int:
    """The most units of an MLP, at least 1."""
    return max((b.mlp.maps[0].outputs for b in model.blocks if isinstance(b.mlp, Mlp)), default=1) or 1


def mlp_activation(model: Model) -> str:
    """The activation of a model's MLPs, which all have the same."""
    return next((b.mlp.activation for b in model.blocks if isinstance(b.mlp, Mlp)), "relu")


def mlp_arrays(block: Block, model: Model, hidden: int) -> tuple[Affine, Affine]:
    """The two maps of a block's MLP with `hidden` units; all zero where it has none."""
    dtype, width = model.embedding.dtype, model.width
    first: Array = np.zeros((width, hidden), dtype)
    middle: Array = np.zeros(hidden, dtype)
    second: Array = np.zeros((hidden, width), dtype)
    last: Array = np.zeros(width, dtype)
    if isinstance(block.mlp, Mlp):
        one, two = block.mlp.maps
        first[:, : one.outputs], middle[: one.outputs] = one.weight, one.bias
        second[: one.outputs], last = two.weight, two.bias
    return Affine(first, middle), Affine(second, last)


def put_map(tensors: dict[str, Array], name: str, map: Affine) -> None:
    """Adds the tensors of a map, kept as (outputs, inputs)."""
    tensors[f"{name}.weight"], tensors[f"{name}.bias"] = map.weight.T, map.bias


def put_norm(tensors: dict[str, Array], name: str, norm: Norm) -> None:
    """Adds the tensors of a norm."""
    tensors[f"{name}.weight"], tensors[f"{name}.bias"] = norm.gain, norm.bias


def padded_embedding(model: Model, rows: int) -> Array:
    """The embedding with more rows, the last ones zero."""
    return np.pad(model.embedding, ((0, rows - len(model.embedding)), (0, 0)))
