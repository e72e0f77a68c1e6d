"""Fooling recurrent and fully connected networks that claim 1-sparse averaging."""

from fractions import Fraction
from typing import Any

import numpy as np

from capax.limits.witnesses.net import FullyConnected, Recurrent
from capax.limits.witnesses.search.fool import Fooling
from capax.limits.witnesses.search.fooling_result import Used
from capax.limits.witnesses.search.fully_connected import null_vector
from capax.limits.witnesses.search.recurrent import batch_prefix_collision
from capax.model.parts import Array

LONG = 14_000
"""Whole numbers of so many bits are not written in decimal digits."""


def fool_net(net: Recurrent | FullyConnected, used: Used) -> Fooling:
    """Two inputs that a network cannot tell apart though it should."""
    return _recurrent(net, used) if isinstance(net, Recurrent) else _connected(net, used)


def _recurrent(net: Recurrent, used: Used) -> Fooling:
    n, half = net.length, 1 << (net.bits - 1)
    weight, entry, bias = (np.array(x, np.int64) for x in (net.state, net.input, net.bias))

    def step(states: Array, bit: int) -> Array:
        return np.asarray(np.clip(states @ weight + entry[bit] + bias, -half, half - 1))

    found = batch_prefix_collision(step, np.array(net.start, np.int64), n, stop=lambda: used() > 1)
    guaranteed = net.state_bits < n
    why = (
        f"by counting: {n} bits are read, and a state has {net.state_bits} bits"
        if guaranteed
        else f"no statement at this size: {n} bits are read, and a state can have {net.state_bits} bits"
    )
    tried = (f"prefixes (up to {found.prefixes:,} of {found.length} bits)",)
    if found.one is None or found.two is None:
        return Fooling(None, guaranteed, found.every and found.length == n, why, tried)
    rest = (0,) * (n - len(found.one))
    at = next(i for i in range(len(found.one)) if found.one[i] != found.two[i])
    inputs = [[*found.one, *rest, at], [*found.two, *rest, at]]
    return Fooling(_witness(net, "equal-states", inputs, guaranteed, why), guaranteed, False, why, tried)


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
    return Fooling(_witness(net, "null-vector", inputs, guaranteed, why), guaranteed, False, why, ("null vector",))


def _text(value: Fraction) -> str:
    """A fraction as a text; in hexadecimal digits where it is so long that Python refuses decimal ones."""
    if max(abs(value.numerator), value.denominator).bit_length() < LONG:
        return str(value)
    return f"{value.numerator:#x}/{value.denominator:#x}"


def _witness(net: Recurrent | FullyConnected, kind: str, inputs: Any, guaranteed: bool, why: str) -> dict[str, Any]:
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
