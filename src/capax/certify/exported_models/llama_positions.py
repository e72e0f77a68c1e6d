"""The two blocks of a Llama directory from which its positions come: that they give the exact rows of a table.

Lemma (counting). In a head whose scores are all 0 the weight of the first token at position a is 1 / (a + 1) up to a
factor 1 + d, |d| <= 4 u: exp(0) is 1, sums of ones are exact, and there are at most two roundings more. If what the
MLP makes of that is less than 1/2 from a for every such d, with all its rounding, then adding it to 2^23 gives
2^23 + a: the numbers there are the integers, and the sum is rounded to the nearest.
Lemma (table). A unit of the next block reads f (2^23 + a) - f (2^23 + k), both products of a power of two and an
integer below 2^24 + 2^23, so f (a - k) is exact; SiLU of it is f max(a - k, 0), since f is large; and products and sums
of integers, in units of which all are multiples, are exact in any order below 2^24.
"""

from typing import Any, Final, Protocol

import numpy as np

from capax.certify.exported_models.curves import span
from capax.certify.not_certified import NotCertified
from capax.certify.systems import ROUNDOFF
from capax.model.export.llama.positions import EXACT, SNAP, rounded, sums_exactly
from capax.model.parts import Array

SILU: Final = 0.28
"""silu(x) is within this of relu(x), rounding included."""
STEEP: Final = 1024.0
"""Units of the second block have at least this factor, so that SiLU of an integer times it is exact."""
UNIT: Final = ROUNDOFF["float32"]


class LayerMaps(Protocol):
    """The maps of a layer, each (inputs, outputs)."""

    @property
    def query(self) -> Array: ...
    @property
    def key(self) -> Array: ...
    @property
    def value(self) -> Array: ...
    @property
    def output(self) -> Array: ...
    @property
    def gate(self) -> Array: ...
    @property
    def up(self) -> Array: ...
    @property
    def down(self) -> Array: ...


def _need(holds: Any, why: str) -> None:
    if not holds:
        raise NotCertified(f"positions are not counted as they should be: {why}", "the positions")


def check_counter(layer: LayerMaps, embedding: Array, first: int, positions: int, numbers: str) -> None:
    """Refuses a first block that does not write 2^23 + a to direction 2 at position a (2^7 + a in bfloat16).

    `embedding` has the rows of tokens that words have, and `first` is the id of the one before every word.
    """
    _need(not embedding[:, 1].any() and (embedding[:, 2] == SNAP[numbers]).all(), "they start at another number")
    _need(positions <= SNAP[numbers], "there are too many")
    _need(not layer.query.any() and not layer.key.any(), "the scores of the first block are not 0")
    rows = np.nonzero(layer.output.any(axis=1))[0]
    _need(len(rows) == 1 and layer.output[rows[0], 1] == 1, "the first block writes something else")
    _need(np.count_nonzero(layer.output) == 1, "the first block writes something else")
    _need(rows[0] == 0, "the first block has its value in another head")
    read = layer.value[:, 0]
    at = np.nonzero(read)[0]
    _need(len(at) == 1 and at[0] > 2 and read[at[0]] == 1, "the first block reads something else")
    column = embedding[:, at[0]]
    _need(column[first] == 1 and np.count_nonzero(column) == 1, "other tokens are counted as the first one")
    units = np.nonzero(layer.down.any(axis=1))[0]
    one = np.eye(1, len(layer.up))[0]
    _need((one == layer.up.T).all(), "the second factor of a unit is not 1")
    _need(not layer.gate[2:, units].any(), "a unit of the first block reads more than the weight of the first token")
    _need(layer.gate[1, units].all(), "a unit of the first block does not read the weight of the first token")
    down = layer.down[units]
    _need(not np.delete(down, 2, axis=1).any(), "the first MLP writes something else")
    error = _count_error(layer.gate[1, units], layer.gate[0, units], down[:, 2], positions, numbers)
    _need(error < 0.5 - 2.0**-10, f"a position may be off by {error:.3g} before rounding")


def _count_error(factors: Array, biases: Array, written: Array, positions: int, numbers: str) -> float:
    """How far what the first MLP writes can be from the position, at most.

    Units and the result are rounded to the number system, and sums are added up in float32.
    """
    a = np.arange(positions, dtype=np.float64)
    if numbers == "bfloat16":
        return _coarse_error(factors, biases, written, a)
    low, high = (1 - 4 * UNIT) / (a + 1), (1 + 4 * UNIT) / (a + 1)
    least, most = span(low, high, factors, biases, written)
    size = np.abs(factors) * high[:, None] + np.abs(biases)
    ends = (factors * s[:, None] + biases for s in (low, high))
    held = np.maximum(np.maximum(*ends), 0) + size * 2 * UNIT
    terms = len(factors) + 4
    off = (size * 2 * UNIT + SILU) @ np.abs(written) + (held + SILU) @ np.abs(written) * (2 * terms * UNIT)
    return float(np.maximum(np.abs(least - a), np.abs(most - a)).max() + off.max() + 2.0**-20)


def _coarse_error(factors: Array, biases: Array, written: Array, a: Array) -> float:
    """The same in bfloat16, where the share of the first token is one number, or one of two, for each position.

    Rounding never changes an order, so the bounds are those of rounded bounds.
    """
    shares = [rounded((1 + side * 2.0**-21) / (a + 1), "bfloat16") for side in (-1, 1)]
    gates = [rounded(factors * share[:, None] + biases, "bfloat16") for share in shares]
    low, high = np.maximum(np.minimum(*gates), 0), np.maximum(np.maximum(*gates), 0)
    up, down = np.maximum(written, 0), np.minimum(written, 0)
    off = (high * 2.0**-18 + SILU) @ np.abs(written)
    least, most = low @ up + high @ down - off, high @ up + low @ down + off
    return float(max(np.abs(rounded(end, "bfloat16") - a).max() for end in (least, most)))


def table_of(layer: LayerMaps, embedding: Array, positions: int, numbers: str) -> Array:
    """The rows (positions, width) that the second block writes; refused where they may be rounded.

    The row at position 0, that of the token before every word, is one of them.
    """
    snap = SNAP[numbers]
    _need(not layer.output.any(), "the second block has heads")
    units = np.nonzero(layer.down.any(axis=1))[0]
    gate, up, down = layer.gate[:, units], layer.up[:, units], layer.down[units]
    idle = np.delete(layer.up, units, axis=1)
    _need((np.eye(1, len(idle))[0] == idle.T).all(), "the second factor of a unit that writes nothing is not 1")
    _need(not gate[1].any() and not gate[3:].any(), "a unit of the second block reads more than the position")
    _need(not up[1].any() and not up[3:].any(), "a unit of the second block reads more than the position")
    _need(not down[:, :3].any(), "the second block writes to what is counted")
    factor = gate[2]
    mantissa, _ = np.frexp(factor)
    large = (factor >= STEEP).all() and (factor <= 2.0**60).all()
    _need((mantissa == 0.5).all() and large, "a gate is not a power of two")
    a = np.arange(positions, dtype=np.float64)[:, None]
    gates, ups = (snap + a) + gate[0] / factor, (snap + a) * up[2] + up[0]
    whole = np.concatenate([gate[0] / factor, up[0], up[2]])
    _need((whole == np.rint(whole)).all() and (np.abs(whole) <= 2 * EXACT).all(), "a knot is not an integer")
    _need(np.isin(up[2], (0.0, 1.0)).all() and (np.abs(ups) < EXACT).all(), "a square is too large to be exact")
    held = np.maximum(gates, 0) * ups
    most = 1 / ROUNDOFF[numbers]
    _need(np.abs(gates).max() < most and np.abs(held).max() < most, "a unit of the table is rounded")
    scaled = down * factor[:, None]
    _need(all(sums_exactly(np.abs(held), column) for column in scaled.T), "sums of the table are not exact")
    return np.asarray(held @ scaled)
