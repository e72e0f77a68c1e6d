"""The head that reads the latest earlier position at which a bit is set: a memory of one value."""

from collections.abc import Sequence
from typing import Final

from capax.model.parts import Head
from capax.theorems.weights.stream import Stream, Terms

STEEP: Final = {"float64": 2048.0, "float32": 256.0}
"""So steep that a softmax is exactly 0 on every key whose score is 1/2 below the highest."""


def latest(
    stream: Stream,
    selected: Terms,
    values: Sequence[Terms],
    into: Sequence[str],
    default: Sequence[float],
    *,
    name: str,
) -> Head:
    """A head that attends to the last j < i where the sum `selected` is 1, and gives `default` where it is 0 at all."""
    return stream.head(
        query=[{"": 1.0}],
        key=[selected],
        value=values,
        into=into,
        sink=((0.5,), default),
        attention="rightmost-hard",
        mask="strict past",
        name=name,
    )


def latest_soft(
    stream: Stream,
    recency: Terms,
    values: Sequence[Terms],
    into: Sequence[str],
    default: Sequence[float],
    *,
    scale: float,
    name: str,
) -> Head:
    """The same by softmax, where `recency` is j + 1 at the positions j that are selected and 0 at the others."""
    return stream.head(
        query=[{"": 1.0}],
        key=[recency],
        value=values,
        into=into,
        sink=((0.5,), default),
        mask="strict past",
        scale=scale,
        name=name,
    )


def recency_unit(selected: Terms, length: int, position: str = "i") -> dict[str, float]:
    """The ReLU unit that is j + 1 where the sum `selected` is 1 and 0 where it is 0, at positions j below `length`."""
    unit = {source: coefficient * (length + 1) for source, coefficient in selected.items()}
    unit[position] = unit.get(position, 0.0) + 1.0
    unit[""] = unit.get("", 0.0) - length
    return unit
