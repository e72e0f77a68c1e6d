"""What is known of a head's sink: bounds on its key and on its values."""

from dataclasses import dataclass

import numpy as np

from capax.certify.intervals.tensor import grain_of
from capax.certify.parts.pairs import Side
from capax.model.parts import Array, Head


@dataclass(frozen=True, slots=True, eq=False)
class SinkBounds:
    """The key of a sink as a side of one row, and the least and the greatest of each of its values."""

    key: Side
    low: Array
    high: Array

    def worth(self, number: int) -> tuple[float, float]:
        """The middle of a value, and how far it can be from there."""
        low, high = float(self.low[number]), float(self.high[number])
        middle = low if low == high else (low + high) / 2
        return middle, max(high - middle, middle - low)


def bounds_of(head: Head) -> SinkBounds | None:
    """What is known of a sink that is a constant of its head: all; None where there is no sink."""
    if head.sink is None:
        return None
    key = np.asarray(head.sink.key, np.float64)[None, :]
    value = np.asarray(head.sink.value, np.float64)
    return SinkBounds(Side(key, key, True, grain_of(key), {}, None), value, value)
