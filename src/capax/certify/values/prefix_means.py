"""Means over all positions so far: their axis is the sum, from which, with the position, the mean follows.

At position i a mean of 0s and 1s is k/(i + 1). There are about 0.3 n^2 such fractions up to the length n, of which few
can be at one position, but only n + 1 sums k. So a number that depends on the position and two such means has n^3
combinations of position and sums, and n^5 of position and means. The sums at one position are numbered from 0.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from capax.certify.certify_budget import WorkBudget
from capax.certify.not_certified import NotCertified
from capax.certify.values.coded_values import MANY
from capax.certify.values.means import quotients, totals, unit_of
from capax.model.parts import Array
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import Aggregate, Best, Indices, Node, Select, SOpNode, Width
from capax.rasp.ir.triple_nodes import PairAggregate, PairWidth, SumSelect
from capax.rasp.ir.types import Atom

CAUSAL = Select(Indices(), Indices(), "<=")


@dataclass(frozen=True, slots=True, eq=False)
class PrefixMeans:
    """The means of some numbers over all positions so far.

    `values` are the means, in order; `index` has for each position, and each number of a sum among those that can be
    there, which mean it gives; -1 where there are fewer sums.
    """

    values: tuple[float, ...]
    index: Array


def prefix_means(numbers: list[Any], longest: int, budget: WorkBudget, what: str) -> PrefixMeans | None:
    """The means of numbers over the first 1 to `longest` positions; None where the sums are no shorter list than these.

    Every position so far is selected, so at position i the mean is the rounded sum of i + 1 numbers divided by i + 1.
    """
    if any(isinstance(v, (str, bool)) or not math.isfinite(v) for v in numbers):
        return None
    try:
        sums_by_count = totals(numbers, longest, budget, what)
    except NotCertified as failure:
        if failure.too_many:
            raise
        return None  # there are other ways to list them
    if sums_by_count is None:
        return None
    most = max(map(len, sums_by_count))
    budget.spend(4 * most * longest)
    unit = unit_of(numbers)
    values, which = np.unique(
        np.concatenate([quotients(sums, unit, count) for count, sums in enumerate(sums_by_count, 1)]),
        return_inverse=True,
    )
    if most >= len(values):
        return None
    index: Array = np.full((longest, most), -1, np.int64)
    index[np.arange(most) < np.array([[len(sums)] for sums in sums_by_count])] = which.reshape(-1)
    return PrefixMeans(tuple(values.tolist()), index)


def met(roots: Sequence[SOpNode], read: set[Node]) -> set[Node]:
    """The means over all positions so far on which an s-op depends together with the position, or with another mean.

    `read` are the s-ops that heads read: they depend on their own values alone from there on, and a mean among them
    keeps its values as an axis.
    """
    together: set[Node] = set()
    bases: dict[Node, set[Node]] = {}
    for node in topological(*roots):
        if isinstance(node, Aggregate):
            bases[node] = {node} if node.selector is CAUSAL and node not in read else set()
        elif isinstance(node, Indices):
            bases[node] = {node}
        elif isinstance(node, SOpNode) and not isinstance(node, (Width, PairAggregate, PairWidth)):
            own = {b for a in node.operands for b in bases.get(a, ())}
            if len(own) > 1:
                together |= own
            bases[node] = set() if node in read else own
    return together - {Indices()}


def read_by_heads(*roots: SOpNode) -> set[Node]:
    """The s-ops that heads read: keys, queries, values and scores."""
    read: set[Node] = set()
    for node in topological(*roots):
        match node:
            case Select():
                read |= {node.key, node.query}
            case Aggregate() | PairAggregate():
                read.add(node.value)
            case SumSelect():
                read |= {node.key1, node.key2, node.query}
            case Best():
                read.add(node.score)
    return read


def bounds_of_means(
    means: Sequence[Any],
    own: set[Any],
    at: Callable[[Atom], tuple[float, float]],
    off: float | None,
    fixed: Mapping[Atom, tuple[float, float]],
) -> tuple[Array, Array]:
    """The bounds of a column for each of some means: `off` around them, but for those of which more is known.

    `fixed` has bounds that `at` would give as they are: there are many where means are tokens.
    """
    if off is None:
        both = np.array([fixed.get(mean) or at(mean) for mean in means], float)
        return both[:, 0], both[:, 1]
    values = np.array(means)
    low, high = values - off, values + off
    for k in np.nonzero(np.array([v in own for v in means]))[0].tolist():
        low[k], high[k] = at(means[k])
    return low, high


def fixed_bounds(
    bounds: dict[Atom, tuple[float, float]], default: Atom | None, *, sink: bool, mixes: bool
) -> dict[Atom, tuple[float, float]]:
    """The bounds that the values of an aggregate have as they are, without those of a sink or around a mean."""
    if mixes:
        return {}
    return {value: ends for value, ends in bounds.items() if value != default} if sink else bounds


def are_many_numbers(values: Sequence[Any]) -> bool:
    """Whether values are numbers, and so many that all are bounded at once; means are finite."""
    return len(values) > MANY and set(map(type, values)) <= {int, float}
