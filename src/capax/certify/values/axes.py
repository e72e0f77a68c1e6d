"""The values of a program's bases, and of its element-wise s-ops over them.

A base is the token, the position, or the result of an aggregate or a width; everything else is computed from bases
position by position. Each base is an axis with finitely many values, and an s-op is an array over the axes that it
depends on.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from capax.certify.certify_budget import WorkBudget
from capax.certify.not_certified import NotCertified
from capax.certify.values.coded_values import (
    Values,
    at_cells,
    both_of,
    coded,
    distinct,
    expand,
    numbered,
    or_impossible,
)
from capax.certify.values.elementwise import coded_results
from capax.certify.values.joint_axes import JointMeans
from capax.certify.values.means import are_sums, in_ranges, same_values, unit_of
from capax.certify.values.prefix_means import CAUSAL, PrefixMeans, count_axis, means_by_sum, met, read_by_heads
from capax.certify.values.selectors import FilledSelectors, is_rank, selects_one_pair
from capax.certify.values.short_words import means_or_listed
from capax.certify.values.width_limits import (
    by_position,
    distinct_rows,
    is_one_to_one,
    ordered_counts,
    positional_counts,
    sums_of,
)
from capax.model.parts import Array
from capax.rasp.analysis.key_limits import most_keys, tells_positions_apart
from capax.rasp.analysis.position_values import position_values
from capax.rasp.analysis.split_sums import sum_ranges
from capax.rasp.ir.describe import FULL, describe
from capax.rasp.ir.graph import conjuncts, postorder, topological
from capax.rasp.ir.loop_nodes import State
from capax.rasp.ir.nodes import (
    Aggregate,
    And,
    Best,
    Const,
    Indices,
    Input,
    Map,
    Node,
    Select,
    SelectorNode,
    SOpNode,
    Table,
    Width,
)
from capax.rasp.ir.ops import apply_op
from capax.rasp.ir.triple_nodes import (
    HEAD_SOPS,
    MEANS,
    AnySelector,
    PairAggregate,
    PairWidth,
    TripleNode,
    selector_of,
)
from capax.rasp.ir.types import Atom
from capax.rasp.meaning.reference import look_up, read_token

TOKEN = Input("asis")
MOST_CELLS = 6_000_000
FINE, FLAGS, NARROW = 0, 1, 2
"""How coarse axes are."""
MOST_FLAGS = 4
"""So many values are a handful."""
FEW_TOKENS = 256
"""Functions of so many tokens stay functions of the token: it tells which of their values go together."""
MOST_TOGETHER = 1_000_000
"""Up to so many combinations it is listed which values of several s-ops can be at one position."""
FEW_CELLS = 64
"""Up to this many combinations are computed one by one."""


class Axes:
    """The axes of a program on all words up to a length, and the values of its s-ops."""

    def __init__(
        self,
        roots: SOpNode | Sequence[SOpNode],
        alphabet: Sequence[Atom],
        longest: int,
        parts: Mapping[Node, Sequence[SelectorNode]] | None = None,
        *,
        coarse: int = FINE,
        budget: WorkBudget | None = None,
        filled: FilledSelectors | None = None,
    ) -> None:
        """`parts` has, for widths that are computed as sums, the selectors that are counted; each is an axis.

        `coarse`: s-ops with few values in many combinations become axes of their own, so that there are fewer
        combinations; what two such s-ops have in common is forgotten. `FLAGS` does so with a handful of values,
        `NARROW` with as many as there are positions.
        """
        roots = (roots,) if isinstance(roots, SOpNode) else tuple(roots)
        self.longest = longest
        self.budget = budget or WorkBudget()
        self.values: dict[Node, tuple[Atom, ...]] = {TOKEN: tuple(alphabet), Indices(): tuple(range(longest))}
        self._sops: dict[Node, Values] = {}
        self.unique: dict[Node, bool] = {}
        self.cuts: dict[Node, Values] = {}
        self._rows: dict[Node, Array] = {}
        self._sets: dict[Node, list[Atom]] = {}
        self._possible_by_position: dict[Node, Array | None] = {}
        self._counts: dict[Node, Array] = {}
        self._made: dict[tuple[Node, tuple[Node, ...]], Array] = {}
        self._together: dict[tuple[Node, ...], Array | None] = {}
        self.means: dict[Node, PrefixMeans] = {}
        self._joint = JointMeans(longest, self.values, self.means, self.unique, self.of, self.feasible)
        self._filled = filled or FilledSelectors()
        self._positions = position_values((*roots, *positional_counts(parts or {})), longest)
        self._positional: dict[Node, Array | None] = {}
        read = read_by_heads(*roots)
        self._met = met(roots, read)
        for node in topological(*roots):
            if isinstance(node, SelectorNode):
                self.unique[node] = self._is_unique(node)
                continue
            if isinstance(node, TripleNode):
                self.unique[node] = self.longest == 1 or selects_one_pair(node, self.unique)
                continue
            assert isinstance(node, SOpNode)
            self._sops[node] = self._values_of(node, parts or {})
            if isinstance(node, HEAD_SOPS):
                if isinstance(node, MEANS) and all(isinstance(v, str) for v in self.set_of(node.value)):
                    self.unique[selector_of(node)] = True  # strings have no mean: with several the word fails
                continue
            if (node in read and len(self._sops[node].axes) > 1) or self._is_narrow(node, coarse):
                self._cut(node)

    def _values_of(self, node: SOpNode, parts: Mapping[Node, Sequence[SelectorNode]]) -> Values:
        """The values of an s-op, whose operands are known; an aggregate or a width becomes an axis."""
        if isinstance(node, Width) and node in parts:
            return self._sum_of_counts(node.selector, parts[node])
        if isinstance(node, Aggregate) and self._positions.of(node) is None and self._is_met(node, parts):
            return self._mean_by_sum(node)
        if isinstance(node, HEAD_SOPS):
            self.values[node] = self._result_values(node)
            return self._axis(node)
        return self._sop(node)

    def is_filled(self, selector: AnySelector) -> bool:
        """Whether every query surely selects a key; it is not known of one over triples."""
        if isinstance(selector, TripleNode):
            return False
        return self._filled.at(selector, self.longest)

    def of(self, node: SOpNode) -> Values:
        """The values of an s-op over its axes."""
        if node not in self._sops and node in (TOKEN, Indices()):
            self._sops[node] = self._axis(node)
        if node not in self._sops and isinstance(node, Const):
            self._sops[node] = self._sop(node)
        return self._sops[node]

    def set_of(self, node: SOpNode) -> list[Atom]:
        """All values of an s-op, each once."""
        if node not in self._sets:
            self._sets[node] = distinct(self.of(node).occurring())
        return self._sets[node]

    def expand(self, values: Values, axes: tuple[Node, ...]) -> Array:
        """The codes of values over more axes."""
        return expand(values.codes, values.axes, axes, [len(self.values[a]) for a in axes])

    def feasible(self, axes: tuple[Node, ...]) -> Array | None:
        """Which combinations of values of some axes can happen at one position of a word; None if all may."""
        shape = [len(self.values[a]) for a in axes]
        possible = self._plainly_feasible(axes, shape)
        for axis in axes:
            source = self.cuts.get(axis)
            known = () if source is None else tuple(a for a in source.axes if a in axes)
            if known:
                # the s-op has a value that can follow from what is known of what it was made of
                possible = both_of(possible, expand(self._made_from(axis, known), (*known, axis), axes, shape))
        cuts = tuple(a for a in axes if a in self.cuts)
        if cuts and cuts not in self._together:
            self._together[cuts] = self._made_together(cuts)
        together = self._together.get(cuts)
        return possible if together is None else both_of(possible, expand(together, cuts, axes, shape))

    def _plainly_feasible(self, axes: tuple[Node, ...], shape: list[int]) -> Array | None:
        """What positions and counts tell of the other axes; None for nothing."""
        possible = self._possible_positions(axes, shape)
        for axis in axes:
            limit = self._possible_at(axis) if Indices() in axes else None
            if limit is not None:
                possible = both_of(possible, expand(limit, (Indices(), axis), axes, shape))
            if isinstance(axis, Aggregate) and (count := Width(axis.selector)) in axes:
                possible = both_of(possible, expand(self._counted(axis, count), (count, axis), axes, shape))
        for over, together in (*self._joint.masks(axes), *ordered_counts(axes, self.values)):
            possible = both_of(possible, expand(together, over, axes, shape))
        return possible

    def _made_from(self, axis: Node, known: tuple[Node, ...]) -> Array:
        """For each combination of some axes that a cut s-op was made from, and each value, whether both can happen."""
        key = axis, known
        if key not in self._made:
            source = self.cuts[axis]
            shape = [len(self.values[a]) for a in known]
            rows = self.rows(axis)
            cells = np.nonzero(rows >= 0)[0]
            at = dict(zip(source.axes, np.unravel_index(cells, source.codes.shape), strict=True))
            possible: Array = np.zeros((*shape, len(self.values[axis])), bool)
            possible[(*(at[a] for a in known), rows[cells])] = True
            self._made[key] = possible
        return self._made[key]

    def _made_together(self, cuts: tuple[Node, ...]) -> Array | None:
        """Which values of several cut s-ops can be at one position, by all that they were made from.

        None where they have nothing in common, or there are too many combinations to go through.
        """
        needed = postorder(cuts, lambda n: self.cuts[n].axes if n in self.cuts else ())
        bases = tuple(n for n in needed if n not in self.cuts)
        shape = [len(self.values[a]) for a in bases]
        if len(cuts) < 2 or math.prod(shape) * len(needed) > MOST_TOGETHER:
            return None
        self.budget.spend(math.prod(shape) * len(needed))
        feasible = self._plainly_feasible(bases, shape)
        possible = np.ones(shape, bool) if feasible is None else np.broadcast_to(feasible, shape)
        cells = np.nonzero(possible.reshape(-1))[0]
        at: dict[Node, Array] = dict(zip(bases, np.unravel_index(cells, shape), strict=True))
        fine: Array = np.ones(len(cells), bool)
        for node in needed:
            if node in self.cuts:
                source = self.cuts[node]
                flat = np.ravel_multi_index([at[a] for a in source.axes], source.codes.shape)
                at[node] = np.where(fine, self.rows(node)[np.where(fine, flat, 0)], -1)
                fine &= at[node] >= 0
                at[node] = np.maximum(at[node], 0)
        together: Array = np.zeros([len(self.values[a]) for a in cuts], bool)
        together[tuple(at[a][fine] for a in cuts)] = True
        return together

    def _possible_positions(self, axes: tuple[Node, ...], shape: list[int]) -> Array | None:
        """Which combinations have values that axes of position and length alone have together; None if all may."""
        rows = {a: r for a in axes if (r := self._at_positions(a)) is not None} if len(axes) > 1 else {}
        if len(rows) < 2:
            return None
        happens: Array = np.zeros([len(self.values[a]) for a in rows], bool)
        happens[tuple(rows.values())] = True
        return expand(happens, tuple(rows), axes, shape)

    def _at_positions(self, axis: Node) -> Array | None:
        """Which of its values an axis has at each position of each length; None where it is not known."""
        if axis not in self._positional:
            rank = {v: i for i, v in enumerate(self.values[axis])}
            found = [rank.get(v, -1) for v in self._positions.of(axis) or ()]
            self._positional[axis] = np.array(found, np.int64) if min(found, default=-1) >= 0 else None
        return self._positional[axis]

    def _possible_at(self, axis: Node) -> Array | None:
        """For each position and each value of an axis, whether both can happen together."""
        if axis not in self._possible_by_position:
            possible: Array | None = None
            if axis is Width(FULL):
                possible = np.arange(self.longest)[:, None] < np.array(self.values[axis])[None, :]
            elif isinstance(axis, Width):
                possible = by_position(axis.selector, np.array(self.values[axis]), self.longest)
            elif isinstance(axis, Aggregate) and axis.selector is CAUSAL:
                possible = self._sums(axis)
            self._possible_by_position[axis] = possible
        return self._possible_by_position[axis]

    def _sums(self, axis: Aggregate) -> Array:
        """For each count from 1 on and each value of an aggregate, whether it can be a mean of this many."""
        units = unit_of([v for v in self.set_of(axis.value) if not isinstance(v, str) and math.isfinite(v)])
        self.budget.spend(4 * len(self.values[axis]) * self.longest)
        sums = are_sums(self.values[axis], self.longest, units)
        ranges = sum_ranges(axis, self.values[TOKEN], self.longest)
        return sums if ranges is None else sums & in_ranges(self.values[axis], self.longest, ranges)

    def _counted(self, axis: Aggregate, count: Width) -> Array:
        """For each number of selected keys and each value of the aggregate over them, whether both can happen."""
        if axis in self.means:  # rows of positions are those of 1 to N keys
            rows = self.means[axis].index >= 0
            return rows[np.array(self.values[count], np.int64) - 1] if axis.selector is CAUSAL else rows
        if axis not in self._counts:
            default = [v == axis.default for v in self.values[axis]]
            self._counts[axis] = np.concatenate([[default], self._sums(axis)])
        return np.asarray(self._counts[axis][np.array(self.values[count], np.int64)])

    def _is_narrow(self, node: SOpNode, coarse: int) -> bool:
        if coarse == FINE:
            return False
        if self._sops[node].axes == (TOKEN,) and self._sops[node].codes.size <= FEW_TOKENS:
            return False
        cells = self._sops[node].codes.size
        few = min(cells // 4, 2 * self.longest + 2 if coarse == NARROW else MOST_FLAGS)
        return cells >= 8 and isinstance(node, (Map, Table)) and len(self.set_of(node)) <= few

    def _cut(self, node: SOpNode) -> None:
        """Makes an s-op that heads read an axis: from here on only its value counts, not how it came about."""
        self.cuts[node] = self._sops[node]
        self.values[node] = tuple(self.set_of(node))
        self._sops[node] = self._axis(node)

    def rows(self, node: Node) -> Array:
        """For each combination that an s-op was made from, which of its values it has; -1 where there is none."""
        if node not in self._rows:
            rank = {v: i for i, v in enumerate(self.values[node])}
            self._rows[node] = self.cuts[node].mapped(rank).reshape(-1)
        return self._rows[node]

    def _axis(self, node: Node) -> Values:
        if not self.values[node]:
            raise NotCertified(f"`{describe(node)}` has a value on no word up to length {self.longest}", empty=True)
        return Values((node,), np.arange(len(self.values[node])), self.values[node])

    def _sum_of_counts(self, selector: SelectorNode, parts: Sequence[SelectorNode]) -> Values:
        """The width of a selector as the sum of the counts of its parts."""
        axes = tuple(Width(p) for p in parts)
        for axis in axes:
            most = most_keys(axis.selector, self.values[TOKEN], self.longest)
            self.values[axis] = tuple(range(int(self.is_filled(axis.selector)), most + 1))
        shape = [len(self.values[axis]) for axis in axes]
        self.budget.spend(20 * math.prod(shape))  # it is gone through several times
        if math.prod(shape) > MOST_CELLS:
            raise NotCertified(f"a width in {len(axes)} parts has {math.prod(shape):,} combinations of counts")
        total = sums_of([self.values[axis] for axis in axes])
        most = 1 if self.unique[selector] else most_keys(selector, self.values[TOKEN], self.longest)
        possible = (total <= most) & (total >= self.is_filled(selector))
        rows = self._positions.of(Width(selector))
        if rows is not None:  # what reads no token has few widths
            possible &= np.isin(total, np.array(distinct(rows)))
        return Values(axes, np.where(possible, total, -1), tuple(range(self.longest + 1)))

    # element-wise s-ops

    def _sop(self, node: SOpNode) -> Values:
        match node:
            case Input():
                return self._read(node)
            case Indices():
                return self._axis(node)
            case State():
                self.values[node] = node.values
                return self._axis(node)
            case Const():
                if isinstance(node.value, (int, float)) and math.isfinite(node.value) and abs(node.value) >= 2**53:
                    raise NotCertified(f"`{describe(node)}` is beyond 2^53")
                return Values((), np.zeros((), np.int64), (node.value,))
            case Table():
                entries = dict(node.entries)
                kind = node.kind
                return self._elementwise(node, (node.arg,), lambda v: look_up(kind, entries, v))
            case Map():
                if node.op == "%" and self._has(node.args[0], text=True) and self._has(node.args[1], text=False):
                    # here equal numbers are one value, but 1 and 1.0 are written in different ways
                    raise NotCertified(f"`{describe(node)}` writes numbers into a string")
                op = node.op
                return self._elementwise(node, node.args, lambda *a: apply_op(op, *a))
            case _:
                raise AssertionError(node)

    def _has(self, node: SOpNode, *, text: bool) -> bool:
        return any(isinstance(v, str) is text for v in self.set_of(node))

    def _read(self, node: Input) -> Values:
        tokens = [or_impossible(lambda t: read_token(node.kind, t, 0), t) for t in self.values[TOKEN]]
        return Values((TOKEN,), *coded(tokens))

    def _elementwise(self, node: Node, args: tuple[SOpNode, ...], function: Any) -> Values:
        """The values of a function of s-ops, over all axes of its arguments.

        It is computed only where the arguments can have their values together, and there once for each combination of
        the arguments' values, of which there are often far fewer than combinations of the axes' values.
        """
        parts = [self._sops[a] for a in args]
        axes = tuple(dict.fromkeys(a for p in parts for a in p.axes))
        shape = [len(self.values[a]) for a in axes]
        cells, arguments = self._possible_arguments(node, parts, axes, shape)
        codes: Array = np.full(math.prod(shape), -1, np.int64)
        listed: tuple[Atom, ...] = ()
        if len(cells):
            codes[cells], listed = self._results(node, parts, arguments, function)
        if any(isinstance(v, (int, float)) and abs(v) >= 2**53 and math.isfinite(v) for v in listed):
            # here 3 and 3.0 are one value, and their operations agree only up to there
            raise NotCertified(f"`{describe(node)}` has numbers beyond 2^53")
        return Values(axes, codes.reshape(shape), listed)

    def _possible_arguments(
        self, node: Node, parts: Sequence[Values], axes: tuple[Node, ...], shape: list[int]
    ) -> tuple[Array, list[Array]]:
        """The combinations that can happen, in a list of all, and the codes of the arguments in each of them."""
        combinations = math.prod(shape)
        if combinations > MOST_CELLS:
            raise NotCertified(f"`{describe(node)}` depends on {combinations:,} combinations of values", too_many=True)
        self.budget.spend(combinations)
        expanded = [self.expand(p, axes) for p in parts]
        feasible = self.feasible(axes)
        possible: Array = np.ones(shape, bool) if feasible is None else np.broadcast_to(feasible, shape).copy()
        for codes in expanded:
            possible &= codes >= 0
        cells = np.nonzero(possible.reshape(-1))[0]
        self.budget.spend(10 * len(cells))
        return cells, [at_cells(codes, shape, cells) for codes in expanded]

    def _results(
        self, node: Node, parts: Sequence[Values], arguments: Sequence[Array], function: Any
    ) -> tuple[Array, tuple[Atom, ...]]:
        """The codes of a function's values for rows of arguments, which are codes too, and the list of the values."""
        if len(arguments[0]) <= FEW_CELLS:
            few = [[p.listed[c] for c in codes.tolist()] for p, codes in zip(parts, arguments, strict=True)]
            return coded(or_impossible(function, *row) for row in zip(*few, strict=True))
        # each combination of values of the arguments once
        sizes = [len(p.listed) for p in parts]
        if (below := math.prod(sizes)) >= 2**62:
            raise NotCertified(f"`{describe(node)}` depends on too many values", too_many=True)
        longer = [codes for codes, size in zip(arguments, sizes, strict=True) if size > 1]
        numbers = longer[0] if len(longer) == 1 else np.ravel_multi_index(list(arguments), sizes)
        rows, at = numbered(numbers, below)
        op = node.op if isinstance(node, Map) else None
        codes, listed = coded_results(op, lambda *a: or_impossible(function, *a), parts, np.unravel_index(rows, sizes))
        return at(codes), listed

    # aggregates and widths

    def most(self, node: SOpNode) -> int:
        """The most keys, or pairs of keys, that an aggregate or width may be over."""
        if isinstance(node, (PairAggregate, PairWidth)):
            return self.longest**2
        assert isinstance(node, (Aggregate, Width))
        return most_keys(node.selector, self.values[TOKEN], self.longest)

    def _result_values(self, node: SOpNode) -> tuple[Atom, ...]:
        rows = self._positions.of(node)
        if rows is not None:
            self.budget.spend(len(rows))
            return tuple(distinct(rows))
        selector = selector_of(node)
        unique, most = self.unique[selector], self.most(node)
        if not isinstance(node, MEANS):
            return tuple(range(int(self.is_filled(selector)), (1 if unique else most) + 1))
        inputs = self.set_of(node.value)
        results = list(inputs)
        same = isinstance(node, Aggregate) and same_values(node, inputs, self.longest)
        if not unique and any(not isinstance(v, (str, bool)) and math.isfinite(v) for v in inputs) and not same:
            results = means_or_listed(node, inputs, most, self.values[TOKEN], self.longest, self.budget)
            ranges = sum_ranges(node, self.values[TOKEN], self.longest) if isinstance(node, Aggregate) else None
            if ranges is not None:
                results = np.array(results)[in_ranges(results, self.longest, ranges).any(axis=0)].tolist()
        if not self.is_filled(selector):
            results.append(node.default)
        return tuple(distinct(results))

    def _is_met(self, node: Aggregate, parts: Mapping[Node, Sequence[SelectorNode]]) -> bool:
        """Whether the axis of an aggregate is to be the sum of what it averages, beside that of how many there are."""
        count = count_axis(node)
        if node not in self._met or self.longest == 1 or self.unique[node.selector] or count in parts:
            return False
        by_sum = means_by_sum(node, self.set_of(node.value), self.values[TOKEN], self.longest, self.budget)
        if by_sum is None:
            return False
        if isinstance(count, Width):
            self._sops.setdefault(count, self._values_of(count, parts))
            by_sum = by_sum.by_count(self.values[count], node.default)
        self.means[node] = by_sum
        return True

    def _mean_by_sum(self, node: Aggregate) -> Values:
        """A mean by the sum and by how many numbers it is of."""
        by_sum, count = self.means[node], count_axis(node)
        self.values[node] = tuple(range(by_sum.index.shape[1]))
        if node.selector is CAUSAL:
            self._possible_by_position[node] = by_sum.index >= 0
        known = {v: v for v in distinct([*by_sum.values, *self.set_of(node.value), node.default])}
        return Values((count, node), by_sum.index, tuple(known[v] for v in by_sum.values))

    # selectors

    def _is_unique(self, node: SelectorNode) -> bool:
        """Whether a query surely selects at most one key."""
        match node:
            case Best():
                return True
            case And():
                equal = [self._sops[c.key] for c in conjuncts(node) if isinstance(c, Select) and c.op == "=="]
                columns = [values.codes for values in equal if values.axes == (Indices(),)]
                return self.unique[node.left] or self.unique[node.right] or distinct_rows(columns)
            case Select(op="=="):
                ranked = is_rank(node.key) or is_rank(node.key, first=1) or tells_positions_apart(node.key)
                return ranked or self.longest == 1 or is_one_to_one(self._sops[node.key], self.longest)
            case _:
                return self.longest == 1
