"""Circuits to try a construction on: random ones that are not nearly constant, and parity."""

import numpy as np

from capax.formal.circuits.circuit import Circuit, Gate, Kind, table_circuit
from capax.model.parts import Array

TRIES = 40
WORDS = 512
BALANCED = 0.3
"""A gate that is true, and one that is false, on so large a share of random words is balanced enough."""


def random_circuit(inputs: int, width: int, depth: int, seed: int) -> Circuit:
    """A circuit of alternating layers of OR and AND gates, `width` in each and one in the last.

    A gate reads the layer before it and any other wires, or their opposites. Of several that are drawn, one is taken
    that is about as often true as false on random words, since large random circuits are constant otherwise.
    """
    random = np.random.default_rng(seed)
    truth: list[Array] = [random.random(WORDS) < 0.5 for _ in range(inputs)]
    gates: list[Gate] = []
    before = _with_opposites(list(range(inputs)), gates, truth)
    every = list(before)
    for layer in range(depth):
        kind: Kind = "and" if layer % 2 else "or"
        circuit: list[int] = []
        for _ in range(width if layer + 1 < depth else 1):
            gate = _balanced(random, kind, before, every, truth)
            circuit.append(inputs + len(gates))
            gates.append(gate)
            truth.append(_truth(gate, truth))
        before = _with_opposites(circuit, gates, truth) if layer + 1 < depth else circuit
        every += before
    return Circuit(inputs, tuple(gates), inputs + len(gates) - 1)


def _with_opposites(wires: list[int], gates: list[Gate], truth: list[Array]) -> list[int]:
    """Wires, and a NOT gate on each."""
    literals = list(wires)
    for wire in wires:
        literals.append(len(truth))
        gates.append(Gate("not", (wire,)))
        truth.append(~truth[wire])
    return literals


def _balanced(random: np.random.Generator, kind: Kind, before: list[int], every: list[int], truth: list[Array]) -> Gate:
    """The first of some random gates that is balanced, or the most balanced of them."""
    drawn: list[tuple[float, Gate]] = []
    for _ in range(TRIES):
        pool = before if random.random() < 0.7 else every
        more = [pool[int(x)] for x in random.integers(len(pool), size=int(random.integers(1, 4)))]
        gate = Gate(kind, tuple(sorted({before[int(random.integers(len(before)))], *more})))
        share = float(_truth(gate, truth).mean())
        drawn.append((min(share, 1 - share), gate))
        if drawn[-1][0] >= BALANCED:
            break
    return max(drawn, key=lambda one: one[0])[1]


def _truth(gate: Gate, truth: list[Array]) -> Array:
    values = np.stack([truth[wire] for wire in gate.inputs])
    return np.asarray(values.all(axis=0) if gate.kind == "and" else values.any(axis=0))


def parity_circuit(inputs: int) -> Circuit:
    """The circuit of depth 2, with 2^(n-1) AND gates, that tells whether the number of ones is odd."""
    words = [[bool(number >> at & 1) for at in range(inputs)] for number in range(2**inputs)]
    return table_circuit(inputs, [word for word in words if sum(word) % 2])


def parity_by_thresholds(inputs: int) -> Circuit:
    """The circuit of depth 2, with n + 1 gates besides NOT, that tells whether the number of ones is odd.

    The gates "at least k" are true up to the number of ones: those of odd k minus those of even k are 1 if it is odd.
    """
    wires = tuple(range(inputs))
    gates = [Gate("threshold", wires, k) for k in range(1, inputs + 1)]
    even = range(inputs + 1, 2 * inputs, 2)
    gates += [Gate("not", (wire,)) for wire in even]
    read = (*range(inputs, 2 * inputs, 2), *range(2 * inputs, 2 * inputs + len(even)))
    return Circuit(inputs, (*gates, Gate("threshold", read, 1 + len(even))), inputs + len(gates))


def random_thresholds(inputs: int, width: int, depth: int, seed: int) -> Circuit:
    """A circuit of layers of threshold gates, `width` in each and one in the last, which are true about half the time.

    A gate reads wires of the layer before it and some others, or their opposites, and some of them twice or more.
    """
    random = np.random.default_rng(seed)
    truth: list[Array] = [random.random(WORDS) < 0.5 for _ in range(inputs)]
    gates: list[Gate] = []
    before = _with_opposites(list(range(inputs)), gates, truth)
    every = list(before)
    for layer in range(depth):
        circuit: list[int] = []
        for _ in range(width if layer + 1 < depth else 1):
            read = [before[int(x)] for x in random.integers(len(before), size=int(random.integers(2, 7)))]
            read += [every[int(x)] for x in random.integers(len(every), size=int(random.integers(0, 3)))]
            count = np.stack([truth[wire] for wire in read]).sum(axis=0)
            least = int(np.median(count))
            least += (count >= least).mean() > 0.5 + (count == least).mean() / 2
            circuit.append(len(truth))
            gates.append(Gate("threshold", tuple(read), least))
            truth.append(count >= least)
        before = _with_opposites(circuit, gates, truth) if layer + 1 < depth else circuit
        every += before
    return Circuit(inputs, tuple(gates), inputs + len(gates) - 1)
