"""A recurrent network for q-sparse averaging, and two words that a smaller one confuses.

It reads the positions one by one: the vector, the position as a one-hot vector, the bits of the subset. After the last
position it gives the mean for that position.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from capax.display import parts
from capax.model.parts import Affine, Array
from capax.tasks.q_sparse_averaging import TASK, SparseToken


@dataclass(frozen=True, slots=True, eq=False)
class ReluRnn:
    """A step: state + relu(inner(input)) @ write. The answer: outer(relu(middle(state and input)))."""

    inner: Affine
    write: Array
    middle: Affine
    outer: Affine

    @property
    def state_size(self) -> int:
        """The numbers of the state."""
        return int(self.write.shape[1])

    def state(self, inputs: Sequence[Array]) -> Array:
        """The state after some inputs, from zero."""
        state = np.zeros(self.state_size)
        for x in inputs:
            state = state + np.maximum(x @ self.inner.weight + self.inner.bias, 0) @ self.write
        return state

    def answer(self, state: Array, last: Array) -> Array:
        """The answer after the last input."""
        units = np.maximum(np.concatenate([state, last]) @ self.middle.weight + self.middle.bias, 0)
        return np.asarray(units @ self.outer.weight + self.outer.bias)

    def __call__(self, word: Sequence[SparseToken]) -> Array:
        """The answer (d',) for the last position of a word."""
        inputs = inputs_of(word)
        return self.answer(self.state(inputs[:-1]), inputs[-1])


def inputs_of(word: Sequence[SparseToken]) -> list[Array]:
    """The inputs of a word: vector, position, bits."""
    length = len(word)
    bits = np.zeros((length, length))
    for row, (_, subset) in zip(bits, word, strict=True):
        row[list(subset)] = 1
    return [np.concatenate([np.array(z, float), np.eye(length)[i], bits[i]]) for i, (z, _) in enumerate(word)]


def recurrent(length: int, q: int, dimension: int) -> ReluRnn:
    """The network whose state has a slot for each coordinate of each position but the last: (N - 1) d' numbers.

    A slot of position j becomes relu((z + 1)/2 + [now j] - 1), which is (z + 1)/2 at position j and 0 elsewhere: one
    bit for signs. At the end, relu(slot + bit - 1) picks the positions of the subset, and the last vector is at hand.
    """
    slots = (length - 1) * dimension
    own = np.tile(np.eye(dimension), (1, length)) / 2
    now = np.repeat(np.eye(length), dimension, axis=1)
    inner = np.concatenate([own[:, :slots], now[:, :slots], np.zeros((length, slots))])
    # The units at the end: one for each slot, then one for each coordinate of the last vector.
    units = length * dimension
    middle = np.zeros((slots + dimension + 2 * length, units))
    middle[:slots, :slots] = np.eye(slots)
    middle[slots : slots + dimension, slots:] = np.eye(dimension) / 2
    middle[slots + dimension + length :] = np.repeat(np.eye(length), dimension, axis=1)
    constants = np.append(np.full(slots, -1.0), np.full(dimension, -0.5))
    outer = Affine(np.tile(np.eye(dimension), (length, 1)) * (2 / q), -np.ones(dimension))
    return ReluRnn(Affine(inner, np.full(slots, -0.5)), np.eye(slots), Affine(middle, constants), outer)


def merged(network: ReluRnn) -> ReluRnn:
    """The network with the last two slots of the state made one."""
    size = network.state_size
    join = np.eye(size)[:, :-1]
    join[-1, -1] = 1
    middle = np.concatenate([join.T @ network.middle.weight[:size], network.middle.weight[size:]])
    return ReluRnn(network.inner, network.write @ join, Affine(middle, network.middle.bias), network.outer)


@dataclass(frozen=True, slots=True)
class SameState:
    """Two words of signs with equal states before the last position, the right answers, and the network's."""

    subset: tuple[int, ...]
    signs: tuple[tuple[float, ...], tuple[float, ...]]
    right: tuple[float, ...]
    answers: tuple[float, ...]

    @property
    def error(self) -> float:
        """The larger error of the two answers."""
        return max(abs(a - b) for a, b in zip(self.right, self.answers, strict=True))

    def to_json(self) -> dict[str, Any]:
        """The words and answers as plain data."""
        return parts(self, "subset", "signs", "right") | {"network": list(self.answers)}


def same_state(network: ReluRnn, length: int, q: int) -> SameState | None:
    """Two words of signs (d' = 1) with equal states before the last position and different answers, or None.

    Every state of fewer than N - 1 bits has some: there are 2^(N-1) beginnings. If two of them differ at position j,
    then some subset of q positions tells them apart, by 2/q at least: exchange j for a position where they differ less.
    So the answers err by 1/q or more on one of them. All beginnings are tried.
    """
    known: dict[bytes, tuple[float, ...]] = {}
    named = tuple(range(q))
    for signs in product((-1.0, 1.0), repeat=length - 1):
        word = [((z,), named) for z in (*signs, 1.0)]
        state = network.state(inputs_of(word)[:-1]).tobytes()
        other = known.setdefault(state, signs)
        if other != signs:
            return _separated(network, other, signs, length, q)
    return None


def _separated(network: ReluRnn, one: tuple[float, ...], two: tuple[float, ...], length: int, q: int) -> SameState:
    """Two beginnings with a subset at the last position for which their right answers differ."""
    gaps = np.append(np.array(one) - np.array(two), 0.0)
    order = np.argsort(gaps, kind="stable").tolist()
    subset = max((tuple(sorted(s)) for s in (order[:q], order[-q:])), key=lambda s: abs(float(gaps[list(s)].sum())))
    words = [[((z,), subset) for z in (*signs, 1.0)] for signs in (one, two)]
    right = tuple(TASK.reference(word, q=q, dimension=1)[-1][0] for word in words)
    return SameState(subset, (one, two), right, tuple(float(network(word)[0]) for word in words))
