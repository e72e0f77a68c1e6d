"""The heads of a layer side by side: one matrix for all queries, keys and values, and groups of like heads."""

from collections.abc import Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from capax.model.arithmetic.interface import Arithmetic
from capax.model.parts import Affine, Array, AttentionKind, Block, Head, Mask, RotaryHead, TensorHead


@dataclass(frozen=True, slots=True, eq=False)
class HeadGroup:
    """Heads of one kind, mask and size, with or without sinks.

    `heads` are their numbers in the layer. `start` is the first column of their queries in the packed map; keys and
    values follow, head by head. `offset` is the first column of their means. `frequencies` are those of rotary heads.
    `one_query` says that the queries of a word do not differ: their maps are constant.
    """

    heads: tuple[int, ...]
    kind: AttentionKind
    mask: Mask
    k: int
    v: int
    start: int
    offset: int
    scale: float | Array
    sink: tuple[Array, Array] | None
    frequencies: Array | None = None
    one_query: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Pairing:
    """A third-order head: its number in the layer, its first column in the packed map and of its means."""

    head: int
    mask: Mask
    k: int
    v: int
    start: int
    offset: int
    scale: float
    sink: tuple[Array, Array, Array, Array] | None


@dataclass(frozen=True, slots=True, eq=False)
class Packed:
    """The maps of all heads of a layer as one, (d, columns), and their outputs stacked, (means, d)."""

    weight: Array
    bias: Array
    groups: tuple[HeadGroup, ...]
    pairings: tuple[Pairing, ...]
    output: Array
    own_bias: Array


_PACKED: WeakKeyDictionary[Block, dict[str, Packed]] = WeakKeyDictionary()


def packed(block: Block, arithmetic: Arithmetic) -> Packed:
    """The packed heads of a block; they are made once per block and number system."""
    known = _PACKED.setdefault(block, {})
    heads = known.get(arithmetic.name)
    if heads is None:
        heads = known[arithmetic.name] = _pack(block, arithmetic)
    return heads


def _pack(block: Block, arithmetic: Arithmetic) -> Packed:
    alike: dict[tuple[AttentionKind, Mask, int, int, bool, bytes], list[int]] = {}
    for number, head in enumerate(block.heads):
        if isinstance(head, Head):
            key = (head.attention, head.mask, head.query.outputs, head.value.outputs, head.sink is not None, b"")
            alike.setdefault(key, []).append(number)
        elif isinstance(head, RotaryHead):
            kind: AttentionKind = "softmax"
            key = (kind, head.mask, head.query.outputs, head.value.outputs, False, head.frequencies.tobytes())
            alike.setdefault(key, []).append(number)
    maps: list[Affine] = []
    groups: list[HeadGroup] = []
    pairings: list[Pairing] = []
    order: list[int] = []
    start = offset = 0
    for (kind, mask, k, v, _, _), numbers in alike.items():
        heads = [head for head in (block.heads[i] for i in numbers) if not isinstance(head, TensorHead)]
        maps += [h.query for h in heads] + [h.key for h in heads] + [h.value for h in heads]
        group = (tuple(numbers), kind, mask, k, v, start, offset)
        turns = heads[0].frequencies if isinstance(heads[0], RotaryHead) else None
        one_query = kind == "softmax" and turns is None and not any(h.query.weight.any() for h in heads)
        groups.append(HeadGroup(*group, _scale(heads), _sinks(heads, arithmetic), turns, one_query))
        order += numbers
        start, offset = start + len(heads) * (2 * k + v), offset + len(heads) * v
    for number, head in enumerate(block.heads):
        if isinstance(head, TensorHead):
            k, v = head.query.outputs, head.value1.outputs
            maps += [head.query, head.key1, head.key2, head.value1, head.value2]
            sink = pair_sink(head, arithmetic)
            pairings.append(Pairing(number, head.mask, k, v, start, offset, head.scale, sink))
            order.append(number)
            start, offset = start + 3 * k + 2 * v, offset + v
    d = len(block.bias)
    return Packed(
        _joined([arithmetic.weights(m.weight, "a head's map") for m in maps], 1, (d, 0), arithmetic),
        _joined([arithmetic.weights(m.bias, "a head's bias") for m in maps], 0, (0,), arithmetic),
        tuple(groups),
        tuple(pairings),
        _joined([arithmetic.weights(block.heads[i].output, "a head's output") for i in order], 0, (0, d), arithmetic),
        arithmetic.weights(block.bias, "a layer's bias"),
    )


def _joined(arrays: list[Array], axis: int, empty: tuple[int, ...], arithmetic: Arithmetic) -> Array:
    return np.concatenate(arrays, axis=axis) if arrays else np.zeros(empty, arithmetic.dtype)


def _scale(heads: Sequence[Head | RotaryHead]) -> float | Array:
    scales = [float(head.scale) for head in heads]
    return scales[0] if len(set(scales)) == 1 else np.array(scales)[:, None, None]


def pair_sink(head: TensorHead, arithmetic: Arithmetic) -> tuple[Array, Array, Array, Array] | None:
    """The keys and values of the sink of a third-order head, if it has one."""
    if head.sink is None:
        return None
    key1, key2 = (arithmetic.weights(key, "a sink's key") for key in (head.sink.key1, head.sink.key2))
    value1, value2 = (arithmetic.weights(value, "a sink's value") for value in (head.sink.value1, head.sink.value2))
    return key1, key2, value1, value2


def _sinks(heads: Sequence[Head | RotaryHead], arithmetic: Arithmetic) -> tuple[Array, Array] | None:
    sinks = [head.sink for head in heads if isinstance(head, Head) and head.sink is not None]
    if not sinks:
        return None
    keys = np.stack([arithmetic.weights(sink.key, "a sink's key") for sink in sinks])
    return keys, np.stack([arithmetic.weights(sink.value, "a sink's value") for sink in sinks])
