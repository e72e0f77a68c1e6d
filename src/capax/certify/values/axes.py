"""The values of a program's bases, and of its element-wise s-ops over them.

A base is the token, the place, or the result of an aggregate or a width; everything else is computed from bases
position by position. Each base is an axis with finitely many values, and an s-op is an array over the axes that it
depends on.
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from capax.certify.budget import WorkBudget
from capax.certify.not_certified import NotCertified
from capax.certify.values.elementwise import apply_rowwise
from capax.certify.values.means import are_sums, means, same_values, unit_of
from capax.certify.values.prefix_means import CAUSAL, PrefixMeans, met, prefix_means
from capax.certify.values.values import IMPOSSIBLE, Values, coded, distinct
from capax.errors import CapaxError
from capax.model.parts import Array
from capax.rasp.ir.describe import FULL, describe
from capax.rasp.ir.graph import postorder, topological
from capax.rasp.ir.nodes import (
    Aggregate,
    And,
    Best,
    Const,
    Indices,
    Input,
    Map,
    Node,
    Or,
    Select,
    SelectorNode,
    SOpNode,
    Table,
    Width,
)
from capax.rasp.ir.ops import apply_op
from capax.rasp.ir.types import Atom
from capax.rasp.meaning.reference import look_up, read_token
from capax.rasp.rewrite.conjuncts import conjuncts

TOKEN = Input("asis")
MOST_CELLS = 4_000_000
FEW_CELLS = 64
"""Up to so many combinations are gone through one by one."""


class Axes:
    """The axes of a program on all words up to a length, and the values of its s-ops."""

    def __init__(
        self,
        root: SOpNode,
        alphabet: Sequence[Atom],
        longest: int,
        parts: Mapping[Node, Sequence[SelectorNode]] | None = None,
        *,
        coarse: bool = False,
        budget: WorkBudget | None = None,
    ) -> None:
        """`parts` has, for widths that are computed as sums, the selectors that are counted; each is an axis.

        `coarse`: s-ops with few values in many combinations become axes of their own, so that there are fewer
        combinations; what two such s-ops have in common is forgotten.
        """
        self.longest = longest
        self.budget = budget or WorkBudget()
        self.values: dict[Node, tuple[Atom, ...]] = {TOKEN: tuple(alphabet), Indices(): tuple(range(longest))}
        self._sops: dict[Node, Values] = {}
        self.unique: dict[Node, bool] = {}
        self.cuts: dict[Node, Values] = {}
        self._rows: dict[Node, Array] = {}
        self._sets: dict[Node, list[Atom]] = {}
        self._places: dict[Node, Array | None] = {}
        self._counts: dict[Node, Array] = {}
        self.means: dict[Node, PrefixMeans] = {}
        self._filled: dict[SelectorNode, bool] = {}
        read = _read_by_heads(root)
        self._met = met(root, read)
        for node in topological(root):
            if isinstance(node, SelectorNode):
                self.unique[node] = self._is_unique(node)
            elif isinstance(node, Width) and parts and node in parts:
                self._sops[node] = self._sum_of_counts(parts[node])
            elif isinstance(node, Aggregate) and self._is_met(node):
                self._sops[node] = self._prefix_mean(node)
            elif isinstance(node, (Aggregate, Width)):
                self.values[node] = self._result_values(node)
                self._sops[node] = self._axis(node)
            else:
                assert isinstance(node, SOpNode)
                self._sops[node] = self._sop(node)
                if (node in read and len(self._sops[node].axes) > 1) or (coarse and self._is_narrow(node)):
                    self._cut(node)

    def is_filled(self, selector: SelectorNode) -> bool:
        """Whether every query surely selects a key."""
        if selector not in self._filled:
            self._filled[selector] = is_filled(selector, self.longest)
        return self._filled[selector]

    def of(self, node: SOpNode) -> Values:
        """The values of an s-op over its axes."""
        if node in (TOKEN, Indices()) and node not in self._sops:
            self._sops[node] = self._axis(node)
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
        """Which combinations of values of some axes can happen at one place of a word; None if all may."""
        found: Array | None = None
        shape = [len(self.values[a]) for a in axes]
        for axis in axes:
            limit = self._possible_at(axis) if Indices() in axes else None
            if limit is not None:
                ok = expand(limit, (Indices(), axis), axes, shape)
                found = ok if found is None else found & ok
            if isinstance(axis, Aggregate) and (count := Width(axis.selector)) in axes:
                ok = expand(self._counted(axis, count), (count, axis), axes, shape)
                found = ok if found is None else found & ok
            made = self.cuts.get(axis)
            if made is not None and set(made.axes) <= set(axes):
                # the s-op has the value that follows from what it was made of
                rows = expand(self.rows(axis).reshape(made.codes.shape), made.axes, axes, shape)
                mine = expand(np.arange(len(self.values[axis])), (axis,), axes, shape)
                ok = rows == mine
                found = ok if found is None else found & ok
        return found

    def _possible_at(self, axis: Node) -> Array | None:
        """For each place and each value of an axis, whether both can happen together."""
        if axis not in self._places:
            self._places[axis] = self._found_at(axis)
        return self._places[axis]

    def _found_at(self, axis: Node) -> Array | None:
        values = self.values[axis]
        if axis is Width(FULL):
            return np.arange(self.longest)[:, None] < np.array(values)[None, :]
        return self._sums(axis) if isinstance(axis, Aggregate) and axis.selector is CAUSAL else None

    def _sums(self, axis: Aggregate) -> Array:
        """For each count from 1 on and each value of an aggregate, whether it can be a mean of so many."""
        units = unit_of([v for v in self.set_of(axis.value) if not isinstance(v, str) and math.isfinite(v)])
        self.budget.spend(4 * len(self.values[axis]) * self.longest)
        return are_sums(self.values[axis], self.longest, units)

    def _counted(self, axis: Aggregate, count: Width) -> Array:
        """For each number of selected keys and each value of the aggregate over them, whether both can happen."""
        if axis not in self._counts:
            default = [[v == axis.default for v in self.values[axis]]]
            self._counts[axis] = np.concatenate([np.array(default), self._sums(axis)])
        return np.asarray(self._counts[axis][np.array(self.values[count], np.int64)])

    def _is_narrow(self, node: SOpNode) -> bool:
        cells = self._sops[node].codes.size
        few = min(cells // 4, 2 * self.longest + 2)
        return cells >= 32 and isinstance(node, (Map, Table)) and len(self.set_of(node)) <= few

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

    def _sum_of_counts(self, parts: Sequence[SelectorNode]) -> Values:
        """A width as the sum of the counts of its parts."""
        axes = tuple(Width(p) for p in parts)
        counts = np.arange(self.longest + 1)
        self.budget.spend(20 * (self.longest + 1) ** len(axes))  # it is gone through several times
        if (self.longest + 1) ** len(axes) > MOST_CELLS:
            raise NotCertified(
                f"a width in {len(axes)} parts has {(self.longest + 1) ** len(axes):,} combinations of counts"
            )
        total: Array = np.zeros((1,) * len(axes), np.int64)
        for place, axis in enumerate(axes):
            self.values[axis] = tuple(range(self.longest + 1))
            total = total + counts.reshape([-1 if k == place else 1 for k in range(len(axes))])
        return Values(axes, np.where(total > self.longest, -1, total), tuple(range(self.longest + 1)))

    # element-wise s-ops

    def _sop(self, node: SOpNode) -> Values:
        match node:
            case Input():
                return self._read(node)
            case Indices():
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
        found = [_or_impossible(lambda t: read_token(node.kind, t, 0), t) for t in self.values[TOKEN]]
        return Values((TOKEN,), *coded(found))

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
        self.budget.spend(combinations)
        if combinations > MOST_CELLS:
            raise NotCertified(f"`{describe(node)}` depends on {combinations:,} combinations of values", too_many=True)
        expanded = [self.expand(p, axes) for p in parts]
        feasible = self.feasible(axes)
        possible: Array = np.ones(shape, bool) if feasible is None else np.broadcast_to(feasible, shape).copy()
        for codes in expanded:
            possible &= codes >= 0
        cells = np.nonzero(possible.reshape(-1))[0]
        self.budget.spend(10 * len(cells))
        return cells, [np.broadcast_to(codes, shape).reshape(-1)[cells] for codes in expanded]

    def _results(
        self, node: Node, parts: Sequence[Values], arguments: Sequence[Array], function: Any
    ) -> tuple[Array, tuple[Atom, ...]]:
        """The codes of a function's values for rows of arguments, which are codes too, and the list of the values."""
        if len(arguments[0]) <= FEW_CELLS:
            columns = [[p.listed[c] for c in codes.tolist()] for p, codes in zip(parts, arguments, strict=True)]
            return coded(_or_impossible(function, *row) for row in zip(*columns, strict=True))
        # each combination of values of the arguments once
        sizes = [len(p.listed) for p in parts]
        if math.prod(sizes) >= 2**62:
            raise NotCertified(f"`{describe(node)}` depends on too many values", too_many=True)
        rows, which = _numbered(np.ravel_multi_index(list(arguments), sizes), math.prod(sizes))
        distinct_columns = [p.at(c) for p, c in zip(parts, np.unravel_index(rows, sizes), strict=True)]
        op = node.op if isinstance(node, Map) else None
        values = apply_rowwise(op, lambda *a: _or_impossible(function, *a), distinct_columns)
        codes, listed = coded(values.tolist())
        return codes[which], listed

    # aggregates and widths

    def _result_values(self, node: Aggregate | Width) -> tuple[Atom, ...]:
        unique = self.unique[node.selector]
        if isinstance(node, Width):
            return tuple(range(int(self.is_filled(node.selector)), (1 if unique else self.longest) + 1))
        inputs = self.set_of(node.value)
        numbers = [v for v in inputs if not isinstance(v, str) and math.isfinite(v)]
        found = list(inputs)
        if not unique and any(not isinstance(v, bool) for v in numbers) and not same_values(node, inputs, self.longest):
            found += means(numbers, self.longest, self.budget, describe(node))
        if not self.is_filled(node.selector):
            found.append(node.default)
        return tuple(distinct(found))

    def _is_met(self, node: Aggregate) -> bool:
        """Whether the axis of an aggregate is to be the sum of what it averages."""
        if node not in self._met or self.longest == 1:
            return False
        made = prefix_means(self.set_of(node.value), self.longest, self.budget, describe(node))
        if made is not None:
            self.means[node] = made
        return made is not None

    def _prefix_mean(self, node: Aggregate) -> Values:
        """A mean over all places so far, by place and sum."""
        made = self.means[node]
        self.values[node] = tuple(range(made.index.shape[1]))
        self._places[node] = made.index >= 0
        known = {v: v for v in distinct([*made.values, *self.set_of(node.value)])}
        return Values((Indices(), node), made.index, tuple(known[v] for v in made.values))

    # selectors

    def _is_unique(self, node: SelectorNode) -> bool:
        """Whether a query surely selects at most one key."""
        match node:
            case Best():
                return True
            case And():
                return self.unique[node.left] or self.unique[node.right]
            case Select(op="=="):
                return (
                    self.longest == 1 or self._one_to_one(node.key) or is_rank(node.key) or is_rank(node.key, first=1)
                )
            case _:
                return self.longest == 1

    def _one_to_one(self, key: SOpNode) -> bool:
        """Whether a key tells all places of a word apart."""
        values = self._sops[key]
        listed = [values.listed[c] for c in values.codes.reshape(-1) if c >= 0]
        return values.axes == (Indices(),) and len(listed) == self.longest == len(set(listed))


def _read_by_heads(root: SOpNode) -> set[Node]:
    """The s-ops that heads read: keys, queries, values and scores."""
    found: set[Node] = set()
    for node in topological(root):
        match node:
            case Select():
                found |= {node.key, node.query}
            case Aggregate():
                found.add(node.value)
            case Best():
                found.add(node.score)
    return found


def _or_impossible(function: Any, *args: Any) -> Any:
    try:
        found = function(*args)
    except CapaxError:
        return IMPOSSIBLE
    return found if isinstance(found, (str, int, float)) and found == found else IMPOSSIBLE


def _numbered(numbers: Array, below: int) -> tuple[Array, Array]:
    """Each of some numbers once, in order, and which of these each of them is."""
    if below > 4 * len(numbers) + 1000:
        found, which = np.unique(numbers, return_inverse=True)
        return found, which.reshape(-1)
    taken: Array = np.zeros(below, bool)
    taken[numbers] = True
    return np.nonzero(taken)[0], (np.cumsum(taken) - 1)[numbers]


def expand(array: Array, axes: tuple[Node, ...], onto: tuple[Node, ...], shape: list[int]) -> Array:
    """An array over some axes as a view over more of them, in their order."""
    order = sorted(range(len(axes)), key=lambda k: onto.index(axes[k]))
    moved = array.transpose(order) if axes else array
    full = [1] * len(onto)
    for axis in axes:
        full[onto.index(axis)] = shape[onto.index(axis)]
    return moved.reshape(full)


def is_rank(node: Node, first: int = 0) -> bool:
    """Whether an s-op is the rank of every place in an order of the places: `first`, which is 0 or 1, and so on."""
    return isinstance(node, Width) and _orders_places(node.selector, with_itself=first == 1)


def _orders_places(selector: SelectorNode, *, with_itself: bool) -> bool:
    """Whether exactly one of any two places selects the other, transitively: checked on all outcomes of comparisons.

    For each key x that is compared with itself the outcome is <, = or >; of two places < or >. The selector must be the
    lexicographic order of some sequence of keys that ends with the place. `with_itself`: each place selects itself,
    where all outcomes are =, and counts go from 1 to n; otherwise none does, and they go from 0 to n - 1.
    """
    leaves = [n for n in made_of(selector) if isinstance(n, Select)]
    keys = list(dict.fromkeys(leaf.key for leaf in leaves))
    if not leaves or any(leaf.key is not leaf.query for leaf in leaves) or Indices() not in keys or len(keys) > 5:
        return False
    others = [k for k in keys if k is not Indices()]
    if outcome(selector, dict.fromkeys(keys, 0)) is not with_itself:
        return False
    cells = list(itertools.product(*[(-1, 0, 1)] * len(others), (-1, 1)))
    for order in itertools.permutations(others):
        for signs in itertools.product((-1, 1), repeat=len(keys)):
            if all(
                outcome(selector, dict(zip((*order, Indices()), cell, strict=True))) is _lexicographic(cell, signs)
                for cell in cells
            ):
                return True
    return False


def _lexicographic(cell: tuple[int, ...], signs: tuple[int, ...]) -> bool:
    """Whether the first difference has the sign that is asked for its key."""
    return next((c == s for c, s in zip(cell, signs, strict=True) if c), False)


HOLDS = {
    "==": lambda s: s == 0,
    "!=": lambda s: s != 0,
    "<": lambda s: s < 0,
    ">": lambda s: s > 0,
    "<=": lambda s: s <= 0,
    ">=": lambda s: s >= 0,
}


def made_of(selector: SelectorNode) -> list[Node]:
    """A selector and the selectors that it is made of, operands first; not those inside keys and queries."""
    return postorder([selector], lambda n: [o for o in n.operands if isinstance(o, SelectorNode)])


def outcome(selector: SelectorNode, signs: dict[SOpNode, int]) -> bool:
    """Whether a pair is selected, given how its key compares with its query in each s-op."""
    found: dict[Node, bool] = {}
    for node in made_of(selector):
        match node:
            case Select():
                found[node] = bool(HOLDS[node.op](signs[node.key]))
            case And():
                found[node] = found[node.left] and found[node.right]
            case Or():
                found[node] = found[node.left] or found[node.right]
    return found.get(selector, False)


def is_filled(selector: SelectorNode, longest: int) -> bool:
    """Whether every query surely selects a key: itself, or a place that exists."""
    match selector:
        case Best():
            return is_filled(selector.selector, longest)
        case Or():
            return is_filled(selector.left, longest) or is_filled(selector.right, longest)
        case And():
            return _selects_itself(selector)
        case Select(op="==") if selector.key is Indices() or is_rank(selector.key):
            return selector.query is selector.key or _is_a_place(selector.query, longest)
        case Select():
            return _selects_itself(selector)
        case _:
            return False


def _selects_itself(selector: SelectorNode) -> bool:
    return all(
        leaf is FULL or (isinstance(leaf, Select) and leaf.key is leaf.query and leaf.op in ("==", "<=", ">="))
        for leaf in conjuncts(selector)
    )


def _is_a_place(node: SOpNode, longest: int) -> bool:
    """Whether an s-op made of place, length and constants by + and - is a place of the word, on every word."""
    if not all(isinstance(n, (Indices, Const, Map)) or n in (Width(FULL), FULL) for n in topological(node)):
        return False
    if any(isinstance(n, Map) and n.op not in ("+", "-", "neg", "pos") for n in topological(node)):
        return False
    if any(isinstance(n, Const) and type(n.value) is not int for n in topological(node)):
        return False  # sums of floats are rounded, and not linear
    corners = ((1, 0), (longest, 0), (longest, longest - 1))
    try:
        return all(0 <= _at(node, n, i) <= n - 1 for n, i in corners)
    except (CapaxError, TypeError):
        return False


def _at(root: SOpNode, n: int, i: int) -> Any:
    """The value at a place of a word of a length."""
    found: dict[Node, Any] = {}
    for node in topological(root):
        if isinstance(node, Indices):
            found[node] = i
        elif isinstance(node, Const):
            found[node] = node.value
        elif isinstance(node, Width):
            found[node] = n
        elif isinstance(node, Map):
            found[node] = apply_op(node.op, *(found[a] for a in node.args))
    return found[root]
