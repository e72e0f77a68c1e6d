"""Parts without empty axes: onnxruntime leaves a product over no terms as it finds the memory, and not 0."""

from dataclasses import replace
from itertools import pairwise

import numpy as np

from capax.model.parts import Affine, Array, Head, Mlp, Sink


def filled_head(head: Head) -> Head:
    """The head, with a coordinate that is always 0 where its keys or values have none."""
    if head.query.outputs == 0:
        query, key = _wider(head.query), _wider(head.key)
        sink = head.sink and Sink(_zero(head.sink.key, 1), head.sink.value)
        head = replace(head, query=query, key=key, sink=sink)
    if head.value.outputs == 0:
        sink = head.sink and Sink(head.sink.key, _zero(head.sink.value, 1))
        output = _zero(head.output, 1, head.query.inputs)
        head = replace(head, value=_wider(head.value), output=output, sink=sink)
    return head


def filled_mlp(mlp: Mlp) -> Mlp:
    """The MLP, with a hidden unit that is always 0 in a stage that has none."""
    maps = list(mlp.maps)
    for i, (one, two) in enumerate(pairwise(mlp.maps)):
        if one.outputs == 0:
            maps[i] = _wider(maps[i])
            maps[i + 1] = Affine(_zero(two.weight, 1, two.outputs), two.bias)
    return replace(mlp, maps=tuple(maps), units=())


def _wider(map: Affine) -> Affine:
    return Affine(_zero(map.weight, map.inputs, 1), _zero(map.bias, 1))


def _zero(like: Array, *shape: int) -> Array:
    return np.zeros(shape, like.dtype)
