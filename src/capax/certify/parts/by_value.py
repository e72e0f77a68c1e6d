"""Numbers of the stream that are functions of an s-op, as numbers over the s-op's own axis.

Lemma. Let an s-op be an axis, and let its value follow from those of some other axes, perhaps through s-ops between
them. A number that lies in an interval for each combination of these axes lies, where the s-op has the value v, in the
union of the intervals of all combinations that give v. So the s-op may take their place, whatever else the number
depends on; it pays where the union is hardly wider.
"""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from capax.certify.intervals.arithmetic import IntervalArithmetic
from capax.certify.intervals.axis_merge import AxisMerge, plain
from capax.certify.intervals.tensor import IntervalTensor, between
from capax.certify.values.axes import MOST_TOGETHER, Axes
from capax.model.parts import Array
from capax.rasp.ir.graph import postorder
from capax.rasp.ir.nodes import Node


def by_value(
    slots: list[IntervalTensor], axes: Axes, arithmetic: IntervalArithmetic, *, narrow: bool = False
) -> list[IntervalTensor]:
    """The numbers, with those that are functions of an s-op that is an axis as numbers over that axis.

    With `narrow` also numbers over a single axis are tried, if they take few values.
    """
    values = _ByValue(axes, arithmetic)
    within: dict[tuple[Any, ...], bool] = {
        kind: any({*plain(kind)} <= {*source.axes} for source in axes.cuts.values()) for kind in {x.axes for x in slots}
    }
    results: list[IntervalTensor] = []
    for slot in slots:
        if narrow or within[slot.axes]:
            tried = len(plain(slot.axes)) > 1 or (narrow and _few(slot))
            slot = arithmetic.split_axes(values.of(slot) if tried else slot)
        results.append(slot)
    return results


def _few(slot: IntervalTensor) -> bool:
    return slot.error == 0 and slot.low.size >= 32 and 4 * len(np.unique(slot.low)) <= slot.low.size


@dataclass(frozen=True, slots=True, eq=False)
class _ByValue:
    """Numbers over axes that s-ops have, and what is known of these: it is the same for all numbers."""

    axes: Axes
    arithmetic: IntervalArithmetic
    pairs: dict[tuple[tuple[Any, ...], Node], tuple[Array, Array]] = field(default_factory=dict)
    """For some axes and an s-op, the pairs of a combination and a value that happen together."""

    def of(self, slot: IntervalTensor) -> IntervalTensor:
        """The number with s-ops in place of axes from which they follow, wherever it is a function of them.

        An s-op may be an axis of the number already, beside those from which it follows.

        S-ops come after those that they were made from, so that flags take the place of numbers, and then one flag
        that of several.
        """
        for node in self.axes.cuts:
            roots = self._roots(node, slot.axes)
            group = tuple(a for a in slot.axes if {*plain((a,))} <= {*roots, node})
            if node in plain(tuple(a for a in slot.axes if a not in group)):
                continue
            count, cells = len(self.axes.values[node]), math.prod(self.arithmetic.sizes[a] for a in group)
            if not group or ((len(plain(group)) == 1 or group != slot.axes) and 2 * count > cells):
                continue
            if (group, node) not in self.pairs:
                self.pairs[group, node] = self._met(group, node, roots)
            slot = _replaced(slot, group, node, count, self.pairs[group, node])
        return slot

    def _roots(self, node: Node, known: tuple[Any, ...]) -> tuple[Node, ...]:
        """The axes from which an s-op follows: those of a number as far as it has them, others down to bases.

        None where the combinations of s-ops between them are too many.
        """
        cuts, has = self.axes.cuts, {*plain(known)}
        if has.issuperset(cuts[node].axes):
            return cuts[node].axes
        needed = postorder((node,), lambda n: cuts[n].axes if n in cuts and (n is node or n not in has) else ())
        roots = tuple(n for n in needed if n is not node and (n in has or n not in cuts))
        cells = math.prod(len(self.axes.values[a]) for a in roots)
        return roots if has.intersection(roots) and cells * len(needed) <= MOST_TOGETHER else cuts[node].axes

    def _rows(self, node: Node, roots: tuple[Node, ...]) -> Array:
        """For each combination of the axes from which an s-op follows, which of its values it has; -1 for none."""
        axes = self.axes
        if roots == axes.cuts[node].axes:
            return axes.rows(node)
        shape = [len(axes.values[a]) for a in roots]
        self.arithmetic.spend(math.prod(shape))
        at: dict[Node, Array] = dict(zip(roots, np.indices(shape).reshape(len(roots), -1), strict=True))
        for made in postorder((node,), lambda n: () if n in at else axes.cuts[n].axes):
            if made not in at:
                source = axes.cuts[made]
                fine = np.logical_and.reduce([at[a] >= 0 for a in source.axes])
                flat = np.ravel_multi_index([np.maximum(at[a], 0) for a in source.axes], source.codes.shape)
                at[made] = np.where(fine, axes.rows(made)[flat], -1)
        return at[node]

    def _met(self, over: tuple[Any, ...], node: Node, roots: tuple[Node, ...]) -> tuple[Array, Array]:
        """The combinations of values of axes, some of which may be merged, and the values of an s-op that they meet."""
        known, rows = self.arithmetic.sizes, self._rows(node, roots)
        sizes, fine, count = [known[a] for a in over], np.nonzero(rows >= 0)[0], len(self.axes.values[node])
        shape = [len(self.axes.values[a]) for a in roots]
        at: dict[Any, Array] = dict(zip(roots, np.unravel_index(fine, shape), strict=True))
        at[node] = rows[fine]
        cells: Array = np.zeros(len(fine), np.int64)
        for axis, size in zip(over, sizes, strict=True):
            index = at.get(axis)
            if isinstance(axis, AxisMerge):
                index = axis.index[np.ravel_multi_index([at[a] for a in axis.inner], [known[a] for a in axis.inner])]
            cells = cells * size + index
        pairs = cells * count + rows[fine]
        if math.prod(sizes) * count <= 8 * len(rows):
            taken: Array = np.zeros(math.prod(sizes) * count, bool)
            taken[pairs] = True
            pairs = np.nonzero(taken)[0]
        return pairs // count, pairs % count


def _replaced(
    slot: IntervalTensor, group: tuple[Any, ...], node: Node, count: int, pairs: tuple[Array, Array]
) -> IntervalTensor:
    """The number with an axis in place of some of its axes, where all that meet a value of it have the same bounds.

    `pairs` are the combinations of these axes and the values that happen together.
    """
    kept = tuple(a for a in slot.axes if a not in group)
    order = [slot.axes.index(a) for a in (*group, *kept)]
    rest = [slot.low.shape[k] for k in order[len(group) :]]
    low, high = (np.transpose(end, order).reshape(-1, *rest) for end in (slot.low, slot.high))
    least, most = np.full((count, *rest), np.inf), np.full((count, *rest), -np.inf)
    cells, rows = pairs
    np.minimum.at(least, rows, low[cells])
    np.maximum.at(most, rows, high[cells])
    if (most - least).max(initial=0.0) > 2 * slot.error:
        return slot
    return between((node, *kept), least, most)
