"""Fooling recurrent and fully connected networks, for 1-sparse averaging.

A fully connected network whose first layer has fewer units than there are numbers z_1 ... z_N (d' = 1) has z and -z
with the same pre-activations, whatever else is fed in; asked for a z_i that is not 0, it answers the same. Weights are
integers or fractions, and the vector is exact: the units agree to the last bit, not up to rounding.
Cite: Sanford, Hsu and Telgarsky (2023): width >= N d' / 2; for q = 1 the null space gives N d'.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import Any

import numpy as np

from capax.limits.witnesses.net import FullyConnected, IntegerRnn
from capax.limits.witnesses.search.fool import Fooling
from capax.limits.witnesses.search.fooling_result import Used
from capax.limits.witnesses.search.recurrent import batch_prefix_collision
from capax.model.parts import Array


def null_vector(
    weight: Sequence[Sequence[int | float | Fraction]], stop: Callable[[], bool] = lambda: False
) -> list[int] | None:
    """Integers v, not all 0, with weight @ v = 0 exactly, for rows of units; None where only 0 is such.

    Floats are taken as the fractions that they are. Where `stop` ends the work, the list is empty.
    """
    rows = [_whole(row) for row in weight]
    columns = len(rows[0]) if rows else 0
    last = 1  # the pivot before: it divides all that follows, and the pivots of all rows stay equal (Bareiss)
    for column in range(columns):
        pivot_row = next((r for r in range(column, len(rows)) if rows[r][column]), None)
        if pivot_row is None:
            vector = [-row[column] for row in rows[:column]] + [last] + [0] * (columns - column - 1)
            common = gcd(*vector)
            return [v // common for v in vector]
        rows[column], rows[pivot_row] = rows[pivot_row], rows[column]
        top = rows[column]
        pivot = top[column]
        for r, row in enumerate(rows):
            if stop():
                return []
            if r != column:
                factor = row[column]
                for c in range(column + 1, columns):
                    row[c] = (row[c] * pivot - factor * top[c]) // last
        last = pivot
    return None


def _whole(row: Sequence[int | float | Fraction]) -> list[int]:
    """A row times the least number that makes it whole."""
    exact = [Fraction(w) for w in row]
    scale = lcm(*(w.denominator for w in exact))
    return [int(w * scale) for w in exact]


LONG = 14_000
"""Whole numbers of this many bits are not written in decimal digits."""


def fool_net(net: IntegerRnn | FullyConnected, used: Used) -> Fooling:
    """Two inputs that a network cannot tell apart though it should."""
    return _recurrent(net, used) if isinstance(net, IntegerRnn) else _connected(net, used)


def _recurrent(net: IntegerRnn, used: Used) -> Fooling:
    n, half = net.length, 1 << (net.bits - 1)
    weight, entry, bias = (np.array(x, np.int64) for x in (net.state, net.input, net.bias))

    def step(states: Array, bit: int) -> Array:
        return np.asarray(np.clip(states @ weight + entry[bit] + bias, -half, half - 1))

    prefixes = batch_prefix_collision(step, np.array(net.start, np.int64), n, stop=lambda: used() > 1)
    guaranteed = net.state_bits < n
    why = (
        f"by counting: {n} bits are read, and a state has {net.state_bits} bits"
        if guaranteed
        else f"no statement at this size: {n} bits are read, and a state can have {net.state_bits} bits"
    )
    tried = (f"prefixes (up to {prefixes.prefixes:,} of {prefixes.length} bits)",)
    if prefixes.one is None or prefixes.two is None:
        return Fooling(None, guaranteed, prefixes.every and prefixes.length == n, why, tried)
    rest = (0,) * (n - len(prefixes.one))
    at = next(i for i in range(len(prefixes.one)) if prefixes.one[i] != prefixes.two[i])
    inputs = [[*prefixes.one, *rest, at], [*prefixes.two, *rest, at]]
    return Fooling(_witness_json(net, "equal-states", inputs, guaranteed, why), guaranteed, False, why, tried)


def _connected(net: FullyConnected, used: Used) -> Fooling:
    n, units = net.length, len(net.vectors)
    guaranteed = units < n
    why = (
        f"by the null space: the first layer has {units} units for {n} numbers"
        if guaranteed
        else f"no statement at this size: the first layer has {units} units for {n} numbers"
    )
    vector = null_vector(net.vectors, lambda: used() > 1)
    if not vector:  # None: there is none; empty: the time was over
        return Fooling(None, guaranteed, vector is None, why, ("null vector",))
    most = max(map(abs, vector))
    at = next(i for i, v in enumerate(vector) if abs(v) == most)
    inputs = [[*(_text(Fraction(sign * v, most)) for v in vector), at] for sign in (1, -1)]
    return Fooling(_witness_json(net, "null-vector", inputs, guaranteed, why), guaranteed, False, why, ("null vector",))


def _text(value: Fraction) -> str:
    """A fraction as a text; in hexadecimal digits where it is so long that Python refuses decimal ones."""
    if max(abs(value.numerator), value.denominator).bit_length() < LONG:
        return str(value)
    return f"{value.numerator:#x}/{value.denominator:#x}"


def _witness_json(
    net: IntegerRnn | FullyConnected, kind: str, inputs: Any, guaranteed: bool, why: str
) -> dict[str, Any]:
    return {
        "format": "capax-witness",
        "version": 1,
        "kind": kind,
        "task": {"task": "sparse-averaging", "q": 1, "n": net.length},
        "model": net.key,
        "inputs": inputs,
        "guaranteed": guaranteed,
        "why": why,
        "method": {"equal-states": "prefixes", "null-vector": "null vector"}[kind],
        "seed": 0,
    }
