"""Which values of two means over the same keys happen together, of axes of means or of sums beside their count."""

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from capax.certify.values.coded_values import Values, expand
from capax.certify.values.prefix_means import PrefixMeans, count_axis
from capax.model.parts import Array
from capax.rasp.analysis.joint_means import all_pairs, joint_means
from capax.rasp.ir.nodes import Aggregate, Indices, Node, SOpNode
from capax.rasp.ir.types import Atom

MOST_CELLS = 100_000
"""Up to so many combinations it is listed which values are at one key together."""


Pair = tuple[Aggregate, Aggregate]


@dataclass(slots=True)
class JointMeans:
    """Which values of means over the same keys happen together, of a program on words of up to a length.

    `values` are those of axes, `means` the means whose axis is the sum, `unique` the selectors of one key at most, `of`
    gives the values of an s-op, and `feasible` which values of axes happen together.
    """

    longest: int
    values: Mapping[Node, Sequence[Atom]]
    means: Mapping[Node, PrefixMeans]
    unique: Mapping[Node, bool]
    of: Callable[[SOpNode], Values]
    feasible: Callable[[tuple[Node, ...]], Array | None]
    _known: dict[tuple[Node, ...], Array | None] = field(default_factory=dict)

    def masks(self, axes: tuple[Node, ...]) -> Iterator[tuple[tuple[Node, ...], Array]]:
        """Axes, of some axes, with what can happen there: for each pair of means over the same keys."""
        for pair in itertools.combinations([a for a in axes if isinstance(a, Aggregate)], 2):
            over = self._over(pair) if pair[0].selector is pair[1].selector else ()
            if not over or not set(over) <= set(axes):
                continue
            if over not in self._known:
                self._known[over] = self._mask(over, pair)
            mask = self._known[over]
            if mask is not None:
                yield over, mask

    def _over(self, pair: Pair) -> tuple[Node, ...]:
        """The axes by which it is known which means go together: their own, or those of their sums and the count."""
        of_sums = [mean in self.means for mean in pair]
        return (count_axis(pair[0]), *pair) if all(of_sums) else () if any(of_sums) else pair

    def _mask(self, over: tuple[Node, ...], pair: Pair) -> Array | None:
        """What can happen over some axes; None where it is not known."""
        inputs = self.of(pair[0].value), self.of(pair[1].value)
        most = 1 if self.unique[pair[0].selector] else self.longest
        together = means_together(inputs, self.values, most, self.feasible)
        if together is None or over == pair:
            return None if together is None else mask_of_means(together, pair, self.values)
        counts = [i + 1 for i in range(most)] if over[0] is Indices() else self.values[over[0]]
        return mask_of_sums(together, (self.means[pair[0]], self.means[pair[1]]), counts)


def means_together(
    inputs: tuple[Values, Values],
    values: Mapping[Node, Sequence[Atom]],
    longest: int,
    feasible: Callable[[tuple[Node, ...]], Array | None],
) -> list[Array] | None:
    """For each number of keys the pairs of means that happen; None where they are not known.

    `inputs` are the values of what is averaged, `values` those of axes, `feasible` which of these are together.
    """
    over = tuple(dict.fromkeys(a for part in inputs for a in part.axes))
    shape = [len(values[a]) for a in over]
    if math.prod(shape) > MOST_CELLS:
        return None
    columns = [np.broadcast_to(expand(p.codes, p.axes, over, shape), shape).reshape(-1) for p in inputs]
    fine = (columns[0] >= 0) & (columns[1] >= 0)
    limit = feasible(over) if over else None
    if limit is not None:
        fine &= np.broadcast_to(limit, shape).reshape(-1)
    kinds = np.unique(np.stack([c[fine] for c in columns]), axis=1).T.tolist()
    return joint_means([(inputs[0].listed[a], inputs[1].listed[b]) for a, b in kinds], longest)


def mask_of_means(together: Sequence[Array], means: Pair, values: Mapping[Node, Sequence[Atom]]) -> Array:
    """For each value of the one mean and each of the other, whether both can happen; the defaults can."""
    ranks = [{v: k for k, v in enumerate(values[mean])} for mean in means]
    possible: Array = np.zeros([len(rank) for rank in ranks], bool)
    for one, two in (*all_pairs(together), (means[0].default, means[1].default)):
        if one in ranks[0] and two in ranks[1]:
            possible[ranks[0][one], ranks[1][two]] = True
    return possible


def mask_of_sums(together: Sequence[Array], by_sum: tuple[PrefixMeans, PrefixMeans], counts: Sequence[Any]) -> Array:
    """For each count, and each sum of the one and of the other, whether all can happen; any pair of no keys."""
    possible: Array = np.ones([len(counts), *(means.index.shape[1] for means in by_sum)], bool)
    for row, count in enumerate(counts):
        if 0 < count <= len(together):
            possible[row] = False
            own = [{m.values[k]: j for j, k in enumerate(m.index[row].tolist()) if k >= 0} for m in by_sum]
            for one, two in zip(*together[count - 1].tolist(), strict=True):
                if one in own[0] and two in own[1]:
                    possible[row, own[0][one], own[1][two]] = True
    return possible
