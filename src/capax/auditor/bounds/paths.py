"""The best word of a class for gains that add up over positions: a max-plus dynamic program, or sorting.

A class is a set of words of N letters: `letters` (N, alphabet) says which letter may stand where, and `goal` says in
which states a word may be after its first `layer` letters. Both kinds of paths answer the same two questions: the
greatest sum of gains over the words of a class, with the sum of the weights of a word that has it, and that word.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from capax.auditor.spec import NOWHERE, SpecStates
from capax.model.parts import Array


@dataclass(frozen=True, slots=True, eq=False)
class StatePaths:
    """Paths through the states of a specification, times a count of labelled letters.

    `sources[j]` (states of layer j + 1, most) numbers the arrivals: letter times the states of layer j, plus the state;
    places that are left over hold the number of arrivals. `state` and `count` describe the states of the goal's layer.
    """

    sources: tuple[Array, ...]
    widths: tuple[int, ...]
    layer: int
    state: Array
    count: Array

    def best(self, gains: Array, weights: Array, goal: Array) -> tuple[Array, Array]:
        """The greatest sum (rows,) of gains (N, alphabet, rows), and the sum of weights (N, alphabet) of its word.

        Gains of letters that may not stand somewhere are minus infinity; `goal` is (rows, states). By induction over
        the layers the value of a state is the greatest sum over the paths to it.
        """
        n, letters, rows = gains.shape
        value, total = np.zeros((1, rows)), np.zeros((1, rows))
        for j in range(n):
            value, total = self._at_goal(j, value, goal), total
            size = len(value)
            arrive = np.empty((letters * size + 1, rows))
            weigh = np.empty_like(arrive)
            arrive[-1], weigh[-1] = -np.inf, 0.0
            for a in range(letters):
                np.add(value, gains[j, a], out=arrive[a * size : (a + 1) * size])
                np.add(total, weights[j, a], out=weigh[a * size : (a + 1) * size])
            source = self.sources[j]
            value, total = arrive[source[:, 0]], weigh[source[:, 0]]
            for k in range(1, source.shape[1]):
                other = arrive[source[:, k]]
                better = other > value
                np.copyto(value, other, where=better)
                np.copyto(total, weigh[source[:, k]], where=better)
        value = self._at_goal(n, value, goal)
        last = value.argmax(axis=0)
        row = np.arange(rows)
        return value[last, row], total[last, row]

    def words(self, gains: Array, goal: Array) -> Array:
        """A word (rows, N) with the greatest sum of gains (N, alphabet, rows)."""
        n, letters, rows = gains.shape
        value, choices = np.zeros((1, rows)), []
        for j in range(n):
            value = self._at_goal(j, value, goal)
            arrive = np.full((letters * len(value) + 1, rows), -np.inf)
            arrive[:-1] = (value[None] + gains[j][:, None]).reshape(-1, rows)
            options = arrive[self.sources[j]]
            pick = options.argmax(axis=1)
            choices.append(pick)
            value = np.take_along_axis(options, pick[:, None], axis=1)[:, 0]
        state = self._at_goal(n, value, goal).argmax(axis=0)
        word, row = np.zeros((rows, n), np.int64), np.arange(rows)
        for j in range(n - 1, -1, -1):
            arrival = self.sources[j][state, choices[j][state, row]]
            arrival = np.minimum(arrival, letters * self.widths[j] - 1)
            word[:, j], state = arrival // self.widths[j], arrival % self.widths[j]
        return word

    def _at_goal(self, layer: int, value: Array, goal: Array) -> Array:
        return np.where(goal.T, value, -np.inf) if layer == self.layer else value


@dataclass(frozen=True, slots=True, eq=False)
class CountPaths:
    """All words with so many labelled letters, where that number alone decides the state.

    `labels` (N, alphabet) marks letters. For a count k the best word takes the best unlabelled letter everywhere and
    the best labelled one at the k positions where it gains most: an exchange argument, so sorting is exact.
    """

    labels: Array
    layer: int
    state: Array
    count: Array

    def best(self, gains: Array, weights: Array, goal: Array) -> tuple[Array, Array]:
        """The greatest sum (rows,) of gains (N, alphabet, rows), and the sum of weights (N, alphabet) of its word."""
        value, k, order, pick = self._sorted(gains, goal)
        n = len(order)
        row = np.arange(len(k))
        chosen = np.take_along_axis(pick, order[:, None], axis=0)
        taken = (np.arange(n)[:, None] < k).astype(np.int64)
        letter = np.take_along_axis(chosen, taken[:, None], axis=1)[:, 0]
        return value, weights[order, letter].sum(axis=0) if n else np.zeros(len(row))

    def words(self, gains: Array, goal: Array) -> Array:
        """A word (rows, N) with the greatest sum of gains (N, alphabet, rows)."""
        _, k, order, pick = self._sorted(gains, goal)
        rank = np.empty_like(order)
        np.put_along_axis(rank, order, np.arange(len(order))[:, None], axis=0)
        return np.take_along_axis(pick, (rank < k).astype(np.int64)[:, None], axis=1)[:, 0].T

    def _sorted(self, gains: Array, goal: Array) -> tuple[Array, Array, Array, Array]:
        """The values (rows,), their counts, the positions (N, rows) by gain, and both letters (N, 2, rows) there."""
        split = np.stack([np.where(self.labels[..., None] == b, gains, -np.inf) for b in (0, 1)], axis=1)
        pick = split.argmax(axis=2)
        low, high = np.moveaxis(np.take_along_axis(split, pick[:, :, None], axis=2)[:, :, 0], 1, 0)
        free = np.isfinite(low) & np.isfinite(high)
        dead = ~np.isfinite(low) & ~np.isfinite(high)
        gain = np.where(free, high - np.where(free, low, 0.0), np.where(np.isfinite(high), np.inf, -np.inf))
        base = np.where(np.isfinite(low), low, high).sum(axis=0)
        order = np.argsort(-gain, axis=0, kind="stable")
        steps = np.take_along_axis(np.where(free, gain, 0.0), order, axis=0)
        sums = np.concatenate([np.zeros((1, gains.shape[2])), np.cumsum(steps, axis=0)])
        k = np.arange(len(sums))[:, None]
        least, most = np.isposinf(gain).sum(axis=0), len(gain) - np.isneginf(gain).sum(axis=0)
        wide = np.zeros((len(sums), goal.shape[0]), bool)
        wide[self.count] = goal.T
        value = np.where(wide & (k >= least) & (k <= most), sums + base, -np.inf)
        best = value.argmax(axis=0)
        result = np.where(dead.any(axis=0), -np.inf, value[best, np.arange(len(best))])
        return result, best, order, pick


Paths: TypeAlias = StatePaths | CountPaths


def state_paths(states: SpecStates, n: int, layer: int, labels: Array | None = None) -> StatePaths:
    """The paths of n letters from the start, counting the labelled letters among the first `layer`."""
    size = 1 if labels is None else n + 1
    codes = np.array([states.start * size])
    sources, widths = [], [1]
    state, count = codes // size, codes % size
    for j in range(n):
        if j == layer:
            state, count = codes // size, codes % size
        after = states.step[codes // size]
        label = np.zeros(after.shape[1], np.int64) if labels is None or j >= layer else labels[j].astype(np.int64)
        targets = np.where(after == NOWHERE, -1, after * size + (codes % size)[:, None] + label)
        edge = np.arange(targets.size).reshape(targets.shape[::-1]).T.ravel()  # letter times states, plus state
        alive = targets.ravel() >= 0
        codes, index = np.unique(targets.ravel()[alive], return_inverse=True)
        sources.append(_arrivals(edge[alive], index, len(codes), targets.size))
        widths.append(len(codes))
    if layer == n:
        state, count = codes // size, codes % size
    return StatePaths(tuple(sources), tuple(widths), layer, state, count)


def _arrivals(edges: Array, targets: Array, size: int, none: int) -> Array:
    """For each target the edges (size, most) that lead to it, filled up with `none`."""
    order = np.argsort(targets, kind="stable")
    ordered = targets[order]
    first = np.searchsorted(ordered, np.arange(size))
    rank = np.arange(len(ordered)) - first[ordered]
    result = np.full((size, int(rank.max(initial=0)) + 1), none)
    result[ordered, rank] = edges[order]
    return result


def count_paths(states: SpecStates, n: int, layer: int, labels: Array) -> CountPaths | None:
    """All words of n letters by their number of labels, if it decides the state and no word is left out; else None."""
    labels = np.where(np.arange(n)[:, None] < layer, labels, 0)
    reach = np.zeros(states.size, bool)
    reach[states.start] = True
    for _ in range(n):
        after = states.step[reach]
        if (after == NOWHERE).any():
            return None
        reach = np.zeros(states.size, bool)
        reach[after.ravel()] = True
    product = state_paths(states, n, layer, labels)
    if len(np.unique(product.count)) < len(product.count):
        return None
    return CountPaths(labels, layer, product.state, product.count)
