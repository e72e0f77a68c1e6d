"""Slots that a deep MLP sets to zero: found, and taken out of it, so that its first stage can do so."""

from dataclasses import dataclass, replace

import numpy as np

from capax.model.parts import Affine, Array, Mlp


@dataclass(frozen=True, slots=True, eq=False)
class ClearedSlots:
    """An MLP without the units that carry slots to be taken away, and these: slot and sign of each part."""

    mlp: Mlp
    parts: tuple[tuple[int, int], ...] = ()


def without_clears(mlp: Mlp) -> ClearedSlots:
    """The MLP without its clearing of slots; where nothing else would be left of a stage, the MLP as it is.

    Lemma. Only the first stage reads the stream, and relu(x) and relu(-x) pass through the others unchanged. So a slot
    from which nothing but its own parts is taken can be cleared by the first stage as well: the number that is taken
    away is the same.
    """
    last = mlp.maps[-1]
    carried = _carried(mlp)
    weight: Array = np.array(last.weight)
    parts: list[tuple[int, int]] = []
    for slot in np.nonzero(weight.any(axis=0) & (np.asarray(last.bias) == 0))[0].tolist():
        units = np.nonzero(weight[:, slot])[0].tolist()
        own = [carried.get(u, (-1, 0)) for u in units]
        if all(s == slot and weight[u, slot] == -sign for u, (s, sign) in zip(units, own, strict=True)):
            parts += own
            weight[:, slot] = 0
    if not parts or mlp.activation != "relu" or len(set(parts)) < len(parts):
        return ClearedSlots(mlp)
    pruned = _pruned(mlp, Affine(weight, last.bias))
    return ClearedSlots(mlp) if pruned is None else ClearedSlots(pruned, tuple(parts))


def _carried(mlp: Mlp) -> dict[int, tuple[int, int]]:
    """The units of the last stage that hold a slot, or its negative part, as it was: slot and sign."""
    carried: dict[int, tuple[int, int]] = {}
    for number, map in enumerate(mlp.maps[:-1]):
        weight, before = np.asarray(map.weight), carried
        carried = {}
        for unit in np.nonzero(((weight != 0).sum(axis=0) == 1) & (np.asarray(map.bias) == 0))[0].tolist():
            read = int(np.nonzero(weight[:, unit])[0][0])
            factor = float(weight[read, unit])
            if not number and abs(factor) == 1:
                carried[unit] = read, int(factor)
            elif number and factor == 1 and read in before:
                carried[unit] = before[read]
    return carried


def _pruned(mlp: Mlp, last: Affine) -> Mlp | None:
    """The MLP with another last map and without units that nothing reads; None where a stage would be empty."""
    maps: list[Affine] = [last]
    names = list(mlp.units)
    for stage in reversed(range(mlp.depth)):
        kept = np.nonzero(np.asarray(maps[0].weight).any(axis=1))[0]
        if not len(kept):
            return None
        map = mlp.maps[stage]
        maps[0] = Affine(maps[0].weight[kept], maps[0].bias)
        maps.insert(0, Affine(map.weight[:, kept], map.bias[kept]))
        if names:
            names[stage] = tuple(names[stage][u] for u in kept.tolist())
    return replace(mlp, maps=tuple(maps), units=tuple(names))
