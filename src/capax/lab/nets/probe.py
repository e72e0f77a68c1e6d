"""Probes: whether the program's intermediate values can be read from a network's streams by a linear map."""

from typing import Any

import numpy as np
import torch

from capax.errors import CapaxError
from capax.lab.lessons.frame.lesson import Array
from capax.lab.looks import program_of
from capax.lab.nets.make import Net, tensors
from capax.lab.nets.transformer import Transformer
from capax.lab.words import TEST, Data

WORDS = 200
RIDGE = 1e-2


def probes(net: Net, data: Data) -> list[dict[str, Any]]:
    """For each named value of the program and each place in the network, how often a linear probe reads it rightly.

    The probe is a ridge regression to one number per value, fitted on half of 200 words and tried on the others; the
    right answer is the highest. `layers` are the stream after the embedding and after each sublayer; `base` is the
    share of the commonest value among the words it is tried on. That a value can be read does not show that it is used.
    """
    settings = data.settings
    named = settings.lesson.values(settings.parameters, settings.first)
    if not isinstance(net, Transformer) or not named:
        return []
    batch = data.batch(TEST, 3, WORDS, settings.max_length)
    with torch.no_grad():
        streams, _ = net.stream(*tensors(batch))
    words = [data.shown(batch, row) for row in range(len(batch.inputs))]
    plain = [part.double().numpy() for part in streams]
    return [found for name, text in named.items() if (found := _probe(name, text, words, plain)) is not None]


def _probe(name: str, text: str, words: list[list[Any]], streams: list[Array]) -> dict[str, Any] | None:
    try:
        wanted = [list(row) for row in program_of(text).batch(words)]
    except CapaxError:
        return None  # a value that these words have not, for want of a type or a token
    values = sorted({value for row in wanted for value in row}, key=str)
    number = {value: k for k, value in enumerate(values)}
    labels = np.array([[number[value] for value in row] for row in wanted])
    half = len(words) // 2
    tried = labels[half:].ravel()
    layers = [_read(stream[:half], labels[:half], stream[half:], tried, len(values)) for stream in streams]
    base = float(np.bincount(tried).max() / len(tried))
    return {"name": name, "values": len(values), "base": base, "layers": layers}


def _read(known: Array, labels: Array, new: Array, tried: Array, count: int) -> float:
    """The share of values that a probe, fitted on known streams (word, place, d), reads rightly from new ones."""
    x, y = _with_one(known), np.eye(count)[labels.ravel()]
    weight = np.linalg.solve(x.T @ x + RIDGE * np.eye(x.shape[1]), x.T @ y)
    return float(((_with_one(new) @ weight).argmax(axis=1) == tried).mean())


def _with_one(stream: Array) -> Array:
    flat = stream.reshape(-1, stream.shape[2])
    return np.concatenate([flat, np.ones((len(flat), 1))], axis=1)
