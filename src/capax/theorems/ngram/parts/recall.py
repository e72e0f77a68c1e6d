"""The MLP that recognises a history and writes the logits of what follows it.

Attention leaves k symbols in the stream, in code: bit x of a position is at least 1 / gain in size and has the sign of
the code. Where each is exactly -1 or 1, a history is one unit: relu(sum of sign * bit - (k b - 1)) is 1 on it and 0 on
all others. Else a first stage has two units for each bit, relu(1 - gain x) and relu(1 + gain x): the first is exactly 0
if the sign is plus and at least 2 if it is minus, the second the other way round. A history is then relu(1 - sum of the
units that must be 0), which is exactly 1 or 0: small errors of attention are not made smaller but removed.

When position r of the stream holds the symbol at the last position that is r mod k, the ages must be turned first:
relu(phase - unit) is exactly 1 when the phase is on and the unit is 0, and exactly 0 otherwise.

When the stream holds all k symbols in one number for each bit, sum_h (1 - r) r^h x_h and what is older, its first k
digits are one of 2^k patterns: relu(d - 2) + relu(-d - 2), d the distance from a pattern's number in units of r^k, is
exactly 0 on that pattern and at least 1 on any other.
"""

from dataclasses import dataclass

import numpy as np

from capax.formal.ngram.ngram import NGram
from capax.model.parts import Affine, Array, Mlp


def bits_for(count: int) -> int:
    """How many bits tell `count` symbols apart."""
    return max(1, (count - 1).bit_length())


def code(count: int) -> Array:
    """The code words (count, bits) of symbols 0, 1, ...: their binary digits, -1 for 0."""
    digits = np.arange(count)[:, None] >> np.arange(bits_for(count)) & 1
    return 2.0 * digits - 1.0


def bit_names(kind: str, bits: int) -> tuple[str, ...]:
    """The names of the directions that hold a symbol."""
    return tuple(f"{kind}.{bit}" for bit in range(bits))


@dataclass(frozen=True, slots=True)
class Recalled:
    """Where attention leaves symbols: the directions (k, b) of their bits, and a gain for each of the k positions.

    Position h holds the symbol at distance h or, if there are `phases` (directions that are 1 when the position is
    0, 1, ... mod k), position r the newest symbol at a position that is r mod k. `exact`: every bit is -1 or 1.
    """

    bits: Array
    gains: tuple[float, ...]
    exact: bool = False
    phases: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Digits:
    """Where attention leaves sums of all symbols before: the directions (b,) of their bits, and the ratio r."""

    bits: Array
    ratio: float


def recall_mlp(model: NGram, recalled: Recalled | Digits, width: int, written: Array) -> Mlp:
    """The MLP that writes a row of `written` (histories, d) to the stream when that history is the one before."""
    signs = _signs(model)
    if isinstance(recalled, Digits):
        return Mlp((*_read_digits(recalled, signs, width), Affine(written, np.zeros(width))))
    k, b = recalled.bits.shape
    if recalled.exact:
        weight = np.zeros((width, len(signs)))
        weight[recalled.bits.reshape(-1)] = signs.reshape(len(signs), k * b).T
        first = Affine(weight, np.full(len(signs), 1.0 - k * b))
        return Mlp((first, Affine(written, np.zeros(width))))
    needed = np.stack([signs > 0, signs < 0], axis=-1).astype(float).reshape(len(signs), k * b * 2)
    stages = [_sign_units(recalled, width)]
    if recalled.phases:
        stages.append(_turn(k, b))
        needed = np.repeat(needed.reshape(len(signs), k, 1, b * 2), k, axis=2).reshape(len(signs), -1)
        stages.append(Affine(needed.T, np.full(len(signs), 1.0 - k * b)))
    else:
        stages.append(Affine(-needed.T, np.ones(len(signs))))
    return Mlp((*stages, Affine(written, np.zeros(width))))


def _read_digits(recalled: Digits, signs: Array, width: int) -> tuple[Affine, Affine]:
    """Two units for each bit and pattern of k signs, and a unit for each history that needs b of these pairs at 0."""
    count, k, b = signs.shape
    r, patterns = recalled.ratio, 1 << k
    ages = 2.0 * (np.arange(patterns)[:, None] >> np.arange(k) & 1) - 1.0
    numbers = (ages * (1 - r) * r ** np.arange(k)).sum(axis=1)
    first, bias = np.zeros((width, b, patterns, 2)), np.zeros((b, patterns, 2))
    unit = r**-k
    for bit, at in enumerate(recalled.bits):
        first[at, bit] = unit, -unit
        bias[bit] = np.stack([-numbers * unit - 2, numbers * unit - 2], axis=-1)
    chosen = ((signs > 0) << np.arange(k)[:, None]).sum(axis=1)  # the pattern (histories, b) of each bit
    second = np.zeros((count, b, patterns, 2))
    second[np.arange(count)[:, None], np.arange(b), chosen] = -1
    return (
        Affine(first.reshape(width, -1), bias.reshape(-1)),
        Affine(second.reshape(count, -1).T, np.ones(count)),
    )


def _signs(model: NGram) -> Array:
    """The code (histories, age, bit) of each history, the newest symbol first."""
    return np.asarray(code(model.bos + 1)[model.histories[:, ::-1]])


def _sign_units(recalled: Recalled, width: int) -> Affine:
    """relu(1 - gain x) and relu(1 + gain x) for each bit x, and the phases as they are."""
    k, b = recalled.bits.shape
    weight = np.zeros((width, k * b * 2 + len(recalled.phases)))
    for r in range(k):
        for i in range(b):
            at = (r * b + i) * 2
            weight[recalled.bits[r, i], at : at + 2] = -recalled.gains[r], recalled.gains[r]
    for number, phase in enumerate(recalled.phases):
        weight[phase, k * b * 2 + number] = 1
    bias = np.ones(weight.shape[1])
    bias[k * b * 2 :] = 0
    return Affine(weight, bias)


def _turn(k: int, b: int) -> Affine:
    """relu(phase p - unit), for age h the units of position (p - h) mod k; the axes are age, phase, bit and sign."""
    inputs = k * b * 2
    weight = np.zeros((inputs + k, k, k, b * 2))
    for h in range(k):
        for p in range(k):
            slot = (p - h) % k
            weight[slot * b * 2 : (slot + 1) * b * 2, h, p] = -np.eye(b * 2)
            weight[inputs + p, h, p] = 1
    return Affine(weight.reshape(inputs + k, -1), np.zeros(k * k * b * 2))
