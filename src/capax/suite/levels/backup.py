"""Backup heads: two heads that compute the same, of which either suffices; and three that vote.

Two heads: an MLP takes the greater of what they write. What a head writes is shifted so that it is never below 1; an
ablated head writes 0, and the other one decides. With donors the pair can still be seen, where a donor's number is the
greater one. More cannot be hidden with two heads: if the one says a and the other b, the readout would have to say a
where the second was exchanged, and b where the first was.

Three heads: MLPs take the median of what they write. Whatever one of them writes, the answers stay the same: no method
that changes one edge at a time can see any of the three.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from capax.model.interpretability.circuit import CircuitEdge
from capax.model.interpretability.graph import head_name, head_of, mlp_name
from capax.model.interpretability.lens_model import LensModel, run, words_of_length
from capax.model.parts import Array
from capax.suite.levels.level_model import UnfitLevelError, widened


def backed_head(lens: LensModel, edges: tuple[CircuitEdge, ...], seed: int) -> str:
    """The head of the circuit that gets a backup: one of them, by the seed."""
    heads = sorted({e.edge.source for e in edges if head_of(e.edge.source) and e.same_length is not None})
    if not heads:
        raise UnfitLevelError("no head of the program matters for words of one length")
    return heads[int(np.random.default_rng(seed).integers(len(heads)))]


def with_backup(lens: LensModel, head: str, copies: int = 2) -> tuple[LensModel, tuple[str, ...]]:
    """The model in which a head has copies, and all of them; there are as many more layers as MLPs are needed."""
    place = head_of(head)
    assert place is not None
    layer, number = place
    columns = np.flatnonzero(lens.block(layer, "attn.W_O")[number].any(0))
    shift = 1.0 - _least(lens, head, columns)
    count, old, size = len(columns), lens.shape.heads, int(lens.config["d_head"])
    free = 4 * count
    split = widened(
        _split_layer(widened(lens, units=max(0, free - int(lens.config["d_mlp"]))), layer, STAGES[copies]),
        width=(copies if copies == 2 else 6) * count,
        heads=copies - 1,
        size=1,
    )
    tensors = {name: array.copy() for name, array in split.tensors.items()}
    heads = [number, *range(old, old + copies - 1)]
    for copy, target in enumerate(heads):
        _copy_head(tensors, f"blocks.{layer}.attn.", number, target, size)
        into = lens.width + count * copy + np.arange(count)
        output = tensors[f"blocks.{layer}.attn.W_O"]
        output[target] = 0
        output[target, :size][:, into] = lens.block(layer, "attn.W_O")[number][:, columns]
        output[target, size, into] = shift
    for index, column in enumerate(columns):
        numbers = [lens.width + count * part + index for part in range(copies if copies == 2 else 6)]
        _join(tensors, layer, numbers, int(column), float(shift[index]), 4 * index)
    return split.changed(tensors), tuple(head_name(layer, one) for one in heads)


STAGES: Final = {2: 1, 3: 3}
"""How many MLPs join what copies of a head write."""


def _copy_head(tensors: dict[str, Array], place: str, source: int, target: int, size: int) -> None:
    """Gives a head the queries, keys and values of another, and a number that is 1 wherever it attends."""
    for name in ("W_Q", "W_K", "W_V", "b_Q", "b_K", "b_V"):
        tensors[place + name][target] = tensors[place + name][source]
    tensors[f"{place}b_V"][target, size] = 1.0


def _join(tensors: dict[str, Array], layer: int, numbers: Sequence[int], column: int, shift: float, unit: int) -> None:
    """Weights of MLPs that join the numbers of copies of a head into one direction: their maximum, or their median.

    All numbers are at least 0, so that a unit that reads one gives it back. The median of a, b and c is the greater of
    min(a, b) and min(max(a, b), c).
    """
    if len(numbers) == 2:
        a, b = numbers
        _put_units(tensors, layer, unit, [({a: 1.0}, {column: 1.0}), ({b: 1.0, a: -1.0}, {column: 1.0})])
    else:
        a, b, c, least, most, second = numbers
        more = {a: 1.0, b: -1.0}
        first = [({a: 1.0}, {least: 1.0}), ({b: 1.0}, {most: 1.0}), (more, {least: -1.0, most: 1.0})]
        _put_units(tensors, layer, unit, first)
        _put_units(tensors, layer + 1, unit, [({most: 1.0}, {second: 1.0}), ({most: 1.0, c: -1.0}, {second: -1.0})])
        last = [({least: 1.0}, {column: 1.0}), ({second: 1.0, least: -1.0}, {column: 1.0})]
        _put_units(tensors, layer + 2, unit, last)
    tensors[f"blocks.{layer + STAGES[3 if len(numbers) > 2 else 2] - 1}.mlp.b_out"][column] = -shift


def _put_units(
    tensors: dict[str, Array], layer: int, first: int, units: Sequence[tuple[Mapping[int, float], Mapping[int, float]]]
) -> None:
    """Puts units into an MLP: each with what it reads and what it writes."""
    for number, (reads, writes) in enumerate(units, first):
        for direction, weight in reads.items():
            tensors[f"blocks.{layer}.mlp.W_in"][direction, number] = weight
        for direction, weight in writes.items():
            tensors[f"blocks.{layer}.mlp.W_out"][number, direction] = weight


def _least(lens: LensModel, head: str, columns: Array) -> Array:
    """The least number that a head writes to each direction, on all words."""
    results = [
        run(lens, words_of_length(lens, n, 20_000)).outputs[head][..., columns].min((0, 1))
        for n in range(lens.min_length, lens.max_length + 1)
    ]
    return np.asarray(np.floor(np.min(results, axis=0)))


def _split_layer(lens: LensModel, layer: int, stages: int) -> LensModel:
    """The model with a layer cut apart: its heads, so many MLPs that are free, then its own MLP without heads."""
    tensors = {name: array for name, array in lens.tensors.items() if not name.startswith("blocks.")}
    for name, array in lens.tensors.items():
        if not name.startswith("blocks."):
            continue
        _, number, short = name.split(".", 2)
        old, none = int(number), np.zeros_like(array)
        if old != layer:
            tensors[f"blocks.{old + stages * (old > layer)}.{short}"] = array
            continue
        mlp = short.startswith("mlp.")
        tensors[f"blocks.{layer}.{short}"] = none if mlp else array
        tensors[f"blocks.{layer + stages}.{short}"] = array if mlp else none
        tensors |= {f"blocks.{layer + stage}.{short}": none for stage in range(1, stages)}
    return replace(lens, tensors=tensors, config={**lens.config, "n_layers": lens.shape.layers + stages})


def moved_node(node: str, layer: int, stages: int) -> str:
    """The name that a node has after a layer was cut apart: its MLP, and all later parts, are further on."""
    place = head_of(node)
    if place is not None:
        return head_name(place[0] + stages * (place[0] > layer), place[1])
    return mlp_name(int(node[1:]) + stages * (int(node[1:]) >= layer)) if node[:1] == "m" else node
