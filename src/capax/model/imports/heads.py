"""Heads that lie side by side in one matrix, taken apart."""

from capax.model.parts import Affine, Array, Head, Mask


def split_columns(map: Affine, count: int) -> list[Affine]:
    """A map as several, of so many equal groups of its outputs."""
    size = map.outputs // count
    return [Affine(map.weight[:, i * size : (i + 1) * size], map.bias[i * size : (i + 1) * size]) for i in range(count)]


def heads_of(
    query: Affine, key: Affine, value: Affine, output: Array, count: int, *, mask: Mask, scale: float
) -> tuple[Head, ...]:
    """The heads of a layer, each with its columns of the maps and its rows of the output."""
    size = len(output) // count
    parts = zip(*(split_columns(m, count) for m in (query, key, value)), strict=True)
    return tuple(
        Head(q, k, v, output[i * size : (i + 1) * size], mask=mask, scale=scale) for i, (q, k, v) in enumerate(parts)
    )
