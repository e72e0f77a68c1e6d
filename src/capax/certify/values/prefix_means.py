"""Means whose axis is the sum, from which, with the number of what is averaged, the mean follows.

At position i a mean of 0s and 1s so far is k/(i + 1). There are about 0.3 n^2 such fractions up to the length n, of
which few can be at one position, but only n + 1 sums k. So a number that depends on the position and two such means has
n^3 combinations of position and sums, and n^5 of position and means. So it is with the number of selected keys in place
of the position, where both are used together: the mean of all tokens times the length. The sums of one number of keys
are numbered from 0.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from capax.certify.certify_budget import WorkBudget
from capax.certify.not_certified import NotCertified
from capax.certify.values.coded_values import MANY
from capax.certify.values.means import quotients, same_values, totals, unit_of
from capax.model.parts import Array
from capax.rasp.analysis.split_sums import SumRange, sum_ranges
from capax.rasp.ir.describe import describe
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import Aggregate, Best, Indices, Node, Select, SOpNode, Width
from capax.rasp.ir.triple_nodes import PairAggregate, PairWidth, SumSelect
from capax.rasp.ir.types import Atom

CAUSAL = Select(Indices(), Indices(), "<=")


@dataclass(frozen=True, slots=True, eq=False)
class PrefixMeans:
    """The means of some numbers over 1 to n keys, by their number and sum.

    `values` are the means, in order; `index` has for each number of keys from 1 on, and each number of a sum among
    those that can be there, which mean it gives; -1 where there are fewer sums.
    """

    values: tuple[Atom, ...]
    index: Array

    def by_count(self, counts: Sequence[Any], default: Atom) -> "PrefixMeans":
        """The same with a row for each of some numbers of keys; of none the mean is the default."""
        rows = self.index[[count - 1 for count in counts]]
        if 0 not in counts:
            return PrefixMeans(self.values, rows)
        known = {v: k for k, v in enumerate(self.values)}
        rows[list(counts).index(0)] = [known.get(default, len(known)), *[-1] * (rows.shape[1] - 1)]
        return PrefixMeans(self.values if default in known else (*self.values, default), rows)


def count_axis(mean: Aggregate) -> Node:
    """The axis that tells, for a mean whose axis is the sum, of how many numbers it is."""
    return Indices() if mean.selector is CAUSAL else Width(mean.selector)


def means_by_sum(
    node: Aggregate, inputs: list[Any], tokens: tuple[Atom, ...], longest: int, budget: WorkBudget
) -> PrefixMeans | None:
    """The means of an aggregate by number and sum; None where they need not be listed, or are no shorter list so."""
    if same_values(node, inputs, longest):
        return None
    return prefix_means(inputs, longest, budget, describe(node), sum_ranges(node, tokens, longest))


def prefix_means(
    numbers: list[Any], longest: int, budget: WorkBudget, what: str, ranges: Mapping[int, SumRange] | None = None
) -> PrefixMeans | None:
    """The means of 1 to `longest` numbers; None where the sums are no shorter list than these.

    The mean of k numbers is their rounded sum divided by k. With `ranges` only sums within the range of their number
    can be.
    """
    if not numbers or any(isinstance(v, (str, bool)) or not math.isfinite(v) for v in numbers):
        return None
    unit = unit_of(numbers)
    try:
        sums_by_count = totals(numbers, longest, budget, what)
    except NotCertified as failure:
        if failure.too_many:
            raise
        return None  # there are other ways to list them
    if sums_by_count is None:
        return None
    if ranges is not None:
        sums_by_count = [_within(sums, unit, ranges.get(count)) for count, sums in enumerate(sums_by_count, 1)]
    most = max(map(len, sums_by_count))
    budget.spend(4 * most * longest)
    values, which = np.unique(
        np.concatenate([quotients(sums, unit, count) for count, sums in enumerate(sums_by_count, 1)]),
        return_inverse=True,
    )
    if not most or most >= len(values):
        return None
    index: Array = np.full((longest, most), -1, np.int64)
    index[np.arange(most) < np.array([[len(sums)] for sums in sums_by_count])] = which.reshape(-1)
    return PrefixMeans(tuple(values.tolist()), index)


def _within(sums: Array, unit: Fraction, limit: SumRange | None) -> Array:
    """The sums, as multiples of a unit, in a range; none where there is no range. What has a range are integers."""
    if limit is None:
        return sums[:0]
    return sums[(limit.low <= sums * unit.numerator) & (sums * unit.numerator <= limit.high)]


def met(roots: Sequence[SOpNode], read: set[Node]) -> set[Node]:
    """The means over all positions so far on which an s-op depends together with the position, or with another mean.

    And the means of other keys on which one depends together with their number.

    `read` are the s-ops that heads read: they depend on their own values alone from there on, and a mean among them
    keeps its values as an axis.
    """
    together: set[Node] = set()
    bases: dict[Node, set[Node]] = {}
    for node in topological(*roots):
        if isinstance(node, Aggregate):
            bases[node] = set() if node in read else {node}
        elif isinstance(node, (Indices, Width)):
            bases[node] = {node}
        elif isinstance(node, SOpNode) and not isinstance(node, (PairAggregate, PairWidth)):
            own = {b for a in node.operands for b in bases.get(a, ())}
            together |= {b for b in own if isinstance(b, Aggregate) and _meets(b, own)}
            bases[node] = set() if node in read else own
    return together


def _meets(mean: Aggregate, bases: set[Node]) -> bool:
    """Whether there is, beside a mean, what makes its sum the better axis."""
    if mean.selector is CAUSAL:
        return any(b is not mean and (isinstance(b, Indices) or _is_so_far(b)) for b in bases)
    return Width(mean.selector) in bases


def _is_so_far(node: Node) -> bool:
    return isinstance(node, Aggregate) and node.selector is CAUSAL


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
