"""Refinement: choices of a discrete network changed for better ones, a few at a time.

After training, every choice is the likeliest one. The readout is then solved for: for two variables, the best entry of
each pair of codes is the commonest answer. Other choices are tried in turn (`capax.lab.discrete.changes`), and a change
is taken if the answers become surer, or as sure with a simpler network. How sure they are is the log-likelihood of the
answers given the two variables of the readout, so that a variable that tells something counts before every answer is
right.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement
from typing import Final, TypeAlias

import numpy as np

from capax.lab.discrete.changes import changes
from capax.lab.discrete.examples import DiscreteExamples
from capax.lab.discrete.network import (
    Array,
    CountHead,
    DiscreteNetwork,
    PairTable,
    Part,
    PickHead,
    used,
)

Score: TypeAlias = tuple[float, int]
"""The log-likelihood of the answers, and the cost of the network, negative; more is better."""
TABLE_COST: Final = 40
HEAD_COST: Final = 20
PAIR_COST: Final = 10
RELATION_COST: Final = {"any": 0, "==": 1, "value": 2, "table": 20}


@dataclass(frozen=True, slots=True)
class Solved:
    """A network with the best readout that it can have, its score, and what that was computed from.

    `values` are its variables on the examples, `likelihoods` those of the answers given each pair of variables.
    """

    network: DiscreteNetwork
    score: Score
    values: tuple[Array, ...]
    likelihoods: Mapping[tuple[int, int], float]


def solve(network: DiscreteNetwork, examples: DiscreteExamples, like: Solved | None = None) -> Solved:
    """The network with the readout that gives the best score; what is as in a network like it is not computed again."""
    same = 0 if like is None else _same_parts(network, like.network)
    values = network.variables(examples.tokens, () if like is None else like.values[: 2 + same])
    kept = [
        like is not None and np.array_equal(old, new) for old, new in zip(_values(like, values), values, strict=True)
    ]
    flat = [value[examples.scored] for value in values]
    likelihoods = {
        (first, second): like.likelihoods[first, second]
        if like is not None and kept[first] and kept[second]
        else _likelihood(_tally(network.codes, flat[first], flat[second], examples))
        for first, second in combinations_with_replacement(range(len(values)), 2)
    }
    costs = [0, 0, *map(_cost, network.parts)]
    needs = [used(network, variable) for variable in range(len(values))]

    def score(pair: tuple[int, int]) -> Score:
        cost = sum(costs[v] for v in needs[pair[0]] | needs[pair[1]]) + PAIR_COST * (pair[0] != pair[1])
        return likelihoods[pair], -cost

    first, second = best = max(likelihoods, key=score)
    entries = _entries(_tally(network.codes, flat[first], flat[second], examples), network.codes)
    solved = replace(network, readout=PairTable(first, second, entries))
    return Solved(solved, score(best), tuple(values), likelihoods)


def _values(like: Solved | None, values: Sequence[Array]) -> Sequence[Array]:
    return values if like is None else like.values


def _tally(codes: int, first: Array, second: Array, examples: DiscreteExamples) -> Array:
    """How often each answer goes with each pair of codes (pair, output)."""
    joint = (first * codes + second) * examples.outputs + examples.flat
    return np.bincount(joint, minlength=codes * codes * examples.outputs).reshape(-1, examples.outputs)


def _likelihood(tally: Array) -> float:
    """The log-likelihood of the answers given the pair, by their frequencies."""
    cells, totals = tally[tally > 0], tally.sum(axis=1)
    totals = totals[totals > 0]
    return round(float((cells * np.log(cells)).sum() - (totals * np.log(totals)).sum()), 6)


def _entries(tally: Array, codes: int) -> tuple[int, ...]:
    """The commonest answer of each pair; a pair that does not occur gets that of its first code, or of all."""
    rows = tally.reshape(codes, codes, -1)
    by_first = rows.sum(axis=1)
    by_first[by_first.sum(axis=1) == 0] = tally.sum(axis=0)
    entries = np.where(rows.sum(axis=2) > 0, rows.argmax(axis=2), by_first.argmax(axis=1)[:, None])
    return tuple(int(entry) for entry in entries.ravel())


def _cost(part: Part) -> int:
    """The cost of a part: tables cost most, then heads, then what heads need besides one comparison."""
    match part:
        case PairTable():
            return TABLE_COST
        case CountHead(selection=selection) | PickHead(selection=selection):
            ranked = isinstance(part, PickHead) and part.rank != "last"
            return HEAD_COST + RELATION_COST.get(selection.relation, 2) + (selection.view != "all") + ranked


def refine(
    network: DiscreteNetwork, examples: DiscreteExamples, *, rounds: int, stop: Callable[[], bool] = lambda: False
) -> DiscreteNetwork:
    """The network after rounds of changes, each taken as soon as it is better, until a round changes nothing."""
    best = solve(network, examples)
    for _ in range(rounds):
        before = best.score
        for change in changes(best.network):
            if stop():
                return best.network
            layers = change(best.network.layers)
            if layers is None or layers == best.network.layers:
                continue
            other = replace(best.network, layers=layers)
            solved = solve(other, examples, best)
            if solved.score > best.score:
                best = solved
        if best.score == before:
            break
    return best.network


def _same_parts(network: DiscreteNetwork, other: DiscreteNetwork) -> int:
    """How many of the first parts are the same."""
    pairs = enumerate(zip(network.parts, other.parts, strict=True))
    return next((k for k, (old, new) in pairs if old != new), len(network.parts))
