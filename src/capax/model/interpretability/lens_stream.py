"""The stream of a plain model at its hooks, and from which hook to which a direction stands for what."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from capax.model.interpretability.lens_model import LensModel, run, words_of_length
from capax.model.model import REUSED
from capax.model.parts import Array

ZERO: Final = 1e-6
"""A direction of which no number is larger stands for nothing."""
LENGTHS: Final = (1, 2, 3, 5, 8)
DIGITS: Final = 3
"""Numbers of a direction that agree to so many digits after the point are one."""
WORDS: Final = 60
"""How many words of each length are looked at."""


@dataclass(frozen=True, slots=True)
class DirectionUse:
    """What a direction stands for between two hooks of the stream; None for hooks that cannot be told."""

    name: str
    first: str | None
    last: str | None

    def to_json(self) -> dict[str, Any]:
        """The use as plain data."""
        return {"name": self.name, "from": self.first, "to": self.last}


def stream_hooks(lens: LensModel) -> list[str]:
    """The hooks of the stream, in order."""
    inner = [f"blocks.{layer}.hook_resid_{place}" for layer in range(lens.shape.layers) for place in ("mid", "post")]
    return ["blocks.0.hook_resid_pre", *inner]


def distinct_states(stream: Array) -> tuple[Array, Array]:
    """The rows of a stream (rows, d) that differ after rounding: the first of each kind, and what they are rounded to.

    Rounded numbers are in units of the last digit.
    """
    rounded = np.round(stream.astype(np.float64) * 10**DIGITS).astype(np.int64)
    draw = np.random.default_rng(0).integers(1, 1 << 40, rounded.shape[1]) * 2 + 1
    _, first = np.unique(rounded @ draw, return_index=True)  # products that overflow tell rows apart as well
    return first, rounded[first]


def stream_points(lens: LensModel, streams: Sequence[Array], outputs: Any) -> list[Array]:
    """The stream at each of its hooks."""
    points = [streams[0]]
    for layer in range(lens.shape.layers):
        written = outputs[f"m{layer}"] + lens.block(layer, "mlp.b_out")
        points += [streams[layer + 1] - written, streams[layer + 1]]
    return points


def direction_uses(lens: LensModel, names: Sequence[str]) -> list[tuple[DirectionUse, ...]]:
    """For each direction what it stands for, in turn, and at which hooks.

    A direction that is reused is cleared first: between two uses it is 0 at every position of every word. Where that
    does not show as many uses as there are names, their hooks are None. One that is 0 on words is looked at on the
    tokens that stand before them.
    """
    used, hooks = _used(lens, slice(lens.start, None)), stream_hooks(lens)
    used = np.where(used.any(0), used, _used(lens, slice(None)))
    return [_uses(name.split(REUSED), used[:, number], hooks) for number, name in enumerate(names)]


def _used(lens: LensModel, positions: slice) -> Array:
    """At which hooks (hooks, d) a direction is not 0 at all positions."""
    lengths = sorted({min(max(n, lens.min_length), lens.max_length) for n in LENGTHS})
    used = np.zeros((2 * lens.shape.layers + 1, lens.width), bool)
    for length in lengths:
        result = run(lens, words_of_length(lens, length, WORDS))
        points = stream_points(lens, result.streams, result.outputs)
        used |= np.array([(np.abs(point[:, positions]) > ZERO).any((0, 1)) for point in points])
    return used


def _uses(names: Sequence[str], used: Array, hooks: Sequence[str]) -> tuple[DirectionUse, ...]:
    """The uses of a direction by the hooks at which it is not 0."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], used, [False]]).astype(int)))
    spans = [(hooks[first], hooks[end - 1]) for first, end in edges.reshape(-1, 2)]
    if len(spans) != len(names):
        return tuple(DirectionUse(name, None, None) for name in names)
    return tuple(DirectionUse(name, *span) for name, span in zip(names, spans, strict=True))
