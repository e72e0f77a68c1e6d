"""Probes: whether the program's intermediate values can be read from a network's streams by a linear map."""

from dataclasses import dataclass
from typing import Any, TypedDict

import numpy as np
import torch

from capax.errors import CapaxError
from capax.lab.attention_targets import program_of
from capax.lab.data import TEST, Data
from capax.lab.train.make import Net, tensors
from capax.lab.train.transformer import TransformerNet
from capax.tasks.base.training import Array

WORDS, MOST_LENGTHS = 200, 10
RIDGE = 1e-2


class Probe(TypedDict):
    """How well a value of the program can be read from each stream, as it is stored."""

    name: str
    values: int
    base: float
    layers: list[float]


def probes(net: Net, data: Data) -> list[Probe]:
    """For each named value of the program and each point of the network, how often a linear probe reads it rightly.

    The probe is a ridge regression to one number per value, fitted on half of about 200 words of all lengths of
    training and tried on the others; the right answer is the highest. `layers` are the stream after the embedding and
    after each sublayer; `base` is the share of the commonest value among those it is tried on. Marks are left out. That
    a value can be read does not show that it is used.
    """
    settings = data.settings
    named = settings.training.values(settings.parameters, settings.has_bos)
    if not isinstance(net, TransformerNet) or not named:
        return []
    known, tried = _Streams([], []), _Streams([], [])
    lengths = range(settings.min_length, settings.max_length + 1)
    lengths = lengths[:: -(-len(lengths) // MOST_LENGTHS)]
    for n in lengths:
        batch = data.batch(TEST, 3, 2 * -(-WORDS // (2 * len(lengths))), n)
        with torch.no_grad():
            streams, _ = net.stream(*tensors(batch))
        plain = [part.double().numpy() for part in streams]
        for row in range(len(batch.inputs)):
            half = known if row < len(batch.inputs) // 2 else tried
            half.words.append(data.tokens(batch, row))
            half.streams.append([part[row] for part in plain])
    marks = int(settings.has_bos), int(settings.has_eos)
    return [probe for name, text in named.items() if (probe := _probe(name, text, known, tried, marks)) is not None]


@dataclass(frozen=True, slots=True)
class _Streams:
    """Vocabularies, and for each the streams (position, d) that it has in the network."""

    words: list[list[Any]]
    streams: list[list[Array]]

    def stream(self, layer: int, marks: tuple[int, int]) -> Array:
        """One stream of all words, position after position, without marks."""
        before, after = marks
        return np.concatenate(
            [row[layer][before : len(word) - after] for word, row in zip(self.words, self.streams, strict=True)]
        )


def _probe(name: str, text: str, known: _Streams, tried: _Streams, marks: tuple[int, int]) -> Probe | None:
    before, after = marks
    try:
        rows = [list(row) for row in program_of(text).batch([*known.words, *tried.words])]
    except CapaxError:
        return None  # these words lack a type or token that the value needs
    labels = [row[before : len(row) - after] for row in rows]
    values = sorted({value for row in labels for value in row}, key=str)
    number = {value: k for k, value in enumerate(values)}
    half = len(known.words)
    old, new = (np.array([number[value] for row in part for value in row]) for part in (labels[:half], labels[half:]))
    depth = len(known.streams[0])
    layers = [_read(known.stream(k, marks), old, tried.stream(k, marks), new, len(values)) for k in range(depth)]
    return {"name": name, "values": len(values), "base": float(np.bincount(new).max() / len(new)), "layers": layers}


def _read(known: Array, labels: Array, new: Array, tried: Array, count: int) -> float:
    """The share of values that a probe, fitted on known streams (..., d), reads rightly from new ones."""
    x, y = _with_one(known), np.eye(count)[labels.ravel()]
    weight = np.linalg.solve(x.T @ x + RIDGE * np.eye(x.shape[1]), x.T @ y)
    return float(((_with_one(new) @ weight).argmax(axis=1) == tried).mean())


def _with_one(stream: Array) -> Array:
    flat = stream.reshape(-1, stream.shape[-1])
    return np.concatenate([flat, np.ones((len(flat), 1))], axis=1)
