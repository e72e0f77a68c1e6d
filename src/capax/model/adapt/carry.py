"""What a stage of a deep MLP hands on to the next, through directions of the stream.

Lemma (clearing). The directions are 0 before a stage writes what it hands on, so it arrives as it was computed. The
next stage carries each number x by units of their own, relu(x) and, where x may be negative, relu(-x), and takes it
away: x - relu(x) + relu(-x) is exactly 0, so the directions are 0 again.

The units themselves can be handed on: nothing is rounded then that was not before. But the units of the next stage are
often relu(y - k) for many k and one y. Where there are fewer such sums than units, the sums are handed on: each is
rounded once more than before, as if it were added up in another order.
"""

from dataclasses import dataclass

import numpy as np

from capax.model.parts import Array, Mlp


@dataclass(frozen=True, slots=True, eq=False)
class Handed:
    """Numbers that are handed on: `write` (units, count) makes them, `read` (count, next units) takes them.

    `signs` are those that the numbers may have.
    """

    write: Array
    read: Array
    signs: tuple[int, ...]

    @property
    def count(self) -> int:
        """How many numbers there are."""
        return len(self.read)

    @property
    def carriers(self) -> int:
        """How many units of the next stage it takes to clear their directions."""
        return self.count * len(self.signs)


def handed_on(mlp: Mlp) -> list[Handed]:
    """What each stage of an MLP, but for the last, hands on to the next one."""
    return [_between(map.weight) for map in mlp.maps[1:-1]]


def _between(weight: Array) -> Handed:
    """The sums that the columns of a map are multiples of, or else the units themselves."""
    sums, read = _sums(weight)
    if sums.shape[1] < len(weight):
        return Handed(sums, read, (1, -1) if (sums < 0).any() else (1,))
    return Handed(np.eye(len(weight), dtype=weight.dtype), weight, (1,))


def _sums(weight: Array) -> tuple[Array, Array]:
    """Columns of which all columns are multiples, and by how much: their product is the map, exactly."""
    known: dict[bytes, int] = {}
    first: list[int] = []
    read: Array = np.zeros((weight.shape[1], weight.shape[1]), weight.dtype)
    fine = np.asarray(weight, np.float64)
    for column in range(weight.shape[1]):
        (places,) = np.nonzero(fine[:, column])
        if not len(places):
            continue
        shape = (fine[:, column] / fine[places[0], column]).tobytes()
        row = known.get(shape)
        if row is not None:
            ratio = fine[places[0], column] / fine[places[0], first[row]]
            if weight.dtype.type(ratio) == ratio and np.array_equal(fine[:, first[row]] * ratio, fine[:, column]):
                read[row, column] = ratio
                continue
        known.setdefault(shape, len(first))
        read[len(first), column] = 1
        first.append(column)
    return weight[:, first], read[: len(first)]
