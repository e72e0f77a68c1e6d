"""Selectors as scores: bilinear forms that are 0 on selected pairs and at most -1 on all others.

Lemma. If T1 and T2 are such forms of s and t, then T1 + T2 is one of `s and t`. For integers x, y the score
-(x - y)^2 = 2xy - x^2 - y^2 is one of x == y. For any table of pairs of values, grouping equal columns gives a score
with one product per group: [key in group] * -[query fails the group].
"""

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, reduce

import numpy as np

from capax.compiler.analysis.value_sets import Finite, Interval, finite
from capax.compiler.attention.comparison_tables import TableCells, cells_of
from capax.compiler.attention.matched_codes import (
    MatchedCodes,
    by_thresholds,
    matched_codes,
    matched_feature,
)
from capax.compiler.attention.membership import Membership, membership_of
from capax.compiler.attention.selector_score import SelectorScore
from capax.compiler.attention.windows import is_window, mask_of, offsets_of, window_score
from capax.compiler.domain import spend
from capax.compiler.encode.elementwise import compare
from capax.compiler.encode.features import FeatureBuilder
from capax.compiler.encode.signals import SignalSum, add_all
from capax.errors import CapaxError
from capax.model.parts import Array, Mask
from capax.rasp.analysis.offsets import Offsets
from capax.rasp.ir.describe import FULL, describe
from capax.rasp.ir.graph import conjuncts, postorder
from capax.rasp.ir.nodes import And, Const, Or, Select, SelectorNode, SOpNode
from capax.rasp.ir.ops import apply_op
from capax.rasp.ir.types import Atom

MOST_ENTRIES = 25_000_000

MANY_SQUARES = 64
"""Functions of several bases with more values than this are squared digit by digit, by fewer units."""


def score_of(
    builder: FeatureBuilder,
    selector: SelectorNode,
    *,
    room: float = math.inf,
    shifted: bool = False,
    only: Mask | None = None,
) -> SelectorScore:
    """The score of a selector, with the mask that takes comparisons of positions away from it.

    The terms of no comparison's score sum up to more than `room`, at the price of more products. A `shifted` score is 0
    on selected pairs, and at most -1 on others, up to a number of each query: softmax without a sink does not see it.
    `only` allows one mask.
    """
    seen, rest = _masked(builder, selector, only)
    mask = mask_of(seen)
    assert mask is not None
    score = SelectorScore(mask=mask)
    window = reduce(operator.and_, (offsets for _, offsets in rest if offsets is not None), seen)
    in_window = window_score(builder, window, seen, room=room, shifted=shifted) if window != seen else None
    if in_window is not None:
        score += in_window
        seen = window
    for conjunct, offsets in rest:
        if conjunct is FULL or (offsets is not None and (seen & offsets) == seen):
            continue  # the mask or the window implies it
        if isinstance(conjunct, Select):
            score += _comparison(builder, conjunct, room=room, shifted=shifted)
        else:
            score += _joint(builder, conjunct)
    return score


def _masked(
    builder: FeatureBuilder, selector: SelectorNode, only: Mask | None
) -> tuple[Offsets, list[tuple[SelectorNode, Offsets | None]]]:
    """The offsets that one mask shows, and the conjuncts that it does not take away, each with its offsets."""
    domain = builder.domain
    seen, rest = Offsets(), []
    for conjunct in conjuncts(selector):
        offsets = offsets_of(conjunct, builder.analysis)
        mask = None if offsets is None else mask_of(offsets)
        allowed = domain.masks or (domain.causal and mask == "causal")
        allowed = allowed and (only is None or mask == only)
        if allowed and offsets is not None and mask_of(seen & offsets) is not None:
            seen &= offsets
        else:
            rest.append((conjunct, offsets))
    return seen, rest


def _comparison(builder: FeatureBuilder, node: Select, *, room: float, shifted: bool) -> SelectorScore:
    key, query = _value(builder, node.key), _value(builder, node.query)
    if isinstance(query, Const):
        return SelectorScore(key=_fails(builder, node.key, query.value, node.op, key_first=True))
    if isinstance(key, Const):
        return SelectorScore(query=_fails(builder, node.query, key.value, node.op, key_first=False))
    equality = _equality(builder, node, room=room, shifted=shifted) if node.op == "==" else None
    return equality if equality is not None else _table(builder, node)


def _value(builder: FeatureBuilder, node: SOpNode) -> SOpNode:
    """The node, or a constant where it has one value only."""
    values = builder.analysis.values(node)
    if isinstance(values, Finite) and len(values) == 1:
        return Const(values.values[0])
    return node


def _fails(builder: FeatureBuilder, node: SOpNode, constant: Atom, op: str, *, key_first: bool) -> SignalSum:
    """-1 where the comparison of the node with a constant fails, 0 where it holds."""
    name = f"{builder.title(node)} not {op} {constant}"
    if isinstance(builder.analysis.values(node), Interval):
        flipped = op if key_first else {"<": ">", ">": "<", "<=": ">=", ">=": "<="}.get(op, op)
        holds = compare(builder, node, Const(constant), flipped, builder.layer(node)).signal
        return builder.in_stream(holds - 1.0, node, name)

    def output(value: Atom) -> float:
        try:
            return 0.0 if apply_op(op, *((value, constant) if key_first else (constant, value))) else -1.0
        except CapaxError:
            return 0.0

    return builder.stream_feature(node, output, name)


def _equality(builder: FeatureBuilder, node: Select, *, room: float, shifted: bool) -> SelectorScore | None:
    """The score -(x - y)^2 over integer codes, by digits around zero where codes are large; None where it has no room.

    The `shifted` score 2xy - x^2 leaves out what only the query knows: no squares of the query are needed.
    """
    most = min(4 * builder.domain.exact_below - 1, room)  # all products must be exact, and their sums in any order
    codes = matched_codes(builder, node)
    if codes is not None and 4 * codes.largest**2 <= most:
        return _of_matched(builder, node, codes)
    sets = [builder.analysis.finite_values(n) for n in (node.key, node.query)]
    union = finite([*sets[0].values, *sets[1].values])
    code = _code(union)
    low, high = code(union.values[0]), code(union.values[-1])
    largest = max(abs(low), abs(high))
    squared = (node.key,) if shifted else (node.key, node.query)
    joint = [n for n in squared if builder.analysis.base_of(n) is None]
    by_digits = any(len(builder.analysis.finite_values(n)) > MANY_SQUARES for n in joint)
    if (3 if shifted else 4) * largest**2 <= most and not by_digits:
        return _of_code(builder, node, code, shifted=shifted)
    for count in range(1 + by_digits, math.ceil(math.log2(high - low + 2)) + 1):
        base = _root(high - low + 1, count)
        half = base // 2
        if count * (2.5 if shifted else 4) * (half + 1) ** 2 <= most:
            digits = [_Digit(code, low, base**i, base, half) for i in reversed(range(count))]
            return _of_digits(builder, node, digits, shifted=shifted, taken=count * half**2 // 2 if shifted else 0.0)
    return None


def _of_matched(builder: FeatureBuilder, node: Select, codes: MatchedCodes) -> SelectorScore:
    """The score over codes of the values that both sides have."""
    parts = []
    for side, sop in (("query", node.query), ("key", node.key)):
        name = f"{builder.title(sop)} among common values"
        number = matched_feature(builder, node, side, codes, lambda c: c, name)
        parts.append((number, matched_feature(builder, node, side, codes, lambda c: c**2, f"({name})^2")))
    (y, yy), (x, xx) = parts
    return SelectorScore(((y * 2.0, x),), -yy, -xx)


@dataclass(frozen=True, slots=True)
class _Digit:
    """The digit of a code, counted from the lowest, at a place value; around zero."""

    code: Callable[[Atom], float]
    low: float
    place: float
    base: float
    half: float

    def __call__(self, value: Atom) -> float:
        return self.down_to(value, self.place) % self.base - self.half

    def down_to(self, value: Atom, place: float) -> float:
        """The code without the digits below a place."""
        return (self.code(value) - self.low) // place

    def read(self, builder: FeatureBuilder, node: SOpNode, name: str) -> SignalSum:
        """The digit of a node, for a head to read.

        Where units compute it, by the code down to this digit, minus that down to the next: both have few jumps.
        """
        if builder.is_column(node):
            return builder.stream_feature(node, self, name)
        below, above = (
            builder.stream_feature(node, partial(self.down_to, place=place), f"{name}{what}")
            for place, what in ((self.place, " and above"), (self.place * self.base, ", above"))
        )
        return below - above * self.base - self.half


def _root(number: float, count: int) -> float:
    """The least base in which `count` digits have at least this many numbers."""
    base = math.floor(number ** (1 / count))
    while base**count < number:
        base += 1
    return float(base)


def _of_digits(
    builder: FeatureBuilder, node: Select, digits: list[_Digit], *, shifted: bool, taken: float
) -> SelectorScore:
    """The score over digits: 2xy summed over them, minus one number of the key, and one of the query, for all squares.

    `taken` is taken off the squares, so that they are around zero.
    """

    score = SelectorScore()
    for number, digit in enumerate(digits):
        tag = f", digit {len(digits) - number}" if len(digits) > 1 else ""
        x, y = (digit.read(builder, n, f"{builder.title(n)}{tag}") for n in (node.key, node.query))
        score += SelectorScore(((y * 2.0, x),))
    key = -_squares(builder, node.key, digits, taken)
    return score + SelectorScore(
        query=SignalSum() if shifted else -_squares(builder, node.query, digits, taken), key=key
    )


def _squares(builder: FeatureBuilder, node: SOpNode, digits: list[_Digit], taken: float) -> SignalSum:
    """The sum of the squares of the digits of a node, less a number.

    Where it is a function of several bases, each square by itself: that of a low digit repeats itself, that of a high
    one has few jumps.
    """
    name = f"{builder.title(node)}, squares"
    if builder.is_column(node) or builder.analysis.base_of(node) is not None:
        return builder.stream_feature(node, lambda v: sum(digit(v) ** 2 for digit in digits) - taken, name)
    squares = [
        builder.feature(node, lambda v, digit=digit: digit(v) ** 2, f"{name} of digit {len(digits) - number}")  # type: ignore[misc]
        for number, digit in enumerate(digits)
    ]
    return builder.in_stream(add_all(squares) - taken, node, name)


def _of_code(builder: FeatureBuilder, node: Select, code: Callable[[Atom], float], *, shifted: bool) -> SelectorScore:
    """The score over codes as they are."""
    x, xx = _with_square(builder, node.key, code)
    if shifted:
        return SelectorScore(((builder.stream_feature(node.query, code, builder.title(node.query)) * 2.0, x),), key=-xx)
    y, yy = _with_square(builder, node.query, code)
    return SelectorScore(((y * 2.0, x),), -yy, -xx)


def _with_square(builder: FeatureBuilder, node: SOpNode, code: Callable[[Atom], float]) -> tuple[SignalSum, SignalSum]:
    """A code of a node and its square, for a head to read."""
    name = builder.title(node)
    squared = f"({name})^2" if " " in name else f"{name}^2"
    return builder.stream_feature(node, code, name), builder.stream_feature(node, lambda v: code(v) ** 2, squared)


def _code(union: Finite) -> Callable[[Atom], float]:
    """Integers for values: themselves where they are integers close together, else their ranks."""
    if not union.integral:
        return lambda v: float(union.rank(v))
    low, high = int(union.values[0]), int(union.values[-1])
    if high - low > 4 * len(union):
        return lambda v: float(union.rank(v))
    shift = low if low > 1024 or low < -1024 else 0
    return lambda v: float(int(v) - shift)  # floats would confuse integers beyond 2^53


def _table(builder: FeatureBuilder, node: Select) -> SelectorScore:
    """The score -1 where a comparison fails, by a table over the values of key and query."""
    if (beside := _listed_beside_interval(builder, node)) is not None:
        return _table_of_classes(builder, node, beside)
    sets = [builder.analysis.finite_values(n) for n in (node.key, node.query)]
    if len(sets[0]) * len(sets[1]) > MOST_ENTRIES:
        raise builder.analysis.too_large(node.key, "a score table")
    union = finite([*sets[0].values, *sets[1].values])
    ranks: list[Array] = [np.array([union.rank(v) for v in s.values]) for s in sets]
    fails = ~COMPARE[node.op](ranks[0][None, :], ranks[1][:, None])
    keys, queries = (
        partial(_column, builder, n, values, ordered=node.op not in ("==", "!="))
        for n, values in zip((node.key, node.query), sets, strict=True)
    )
    return _table_score(builder, fails, queries, keys, node)


def _listed_beside_interval(builder: FeatureBuilder, node: Select) -> Finite | None:
    """The numbers of one side of a comparison, where these are listed and the values of the other are not."""
    sets = [builder.analysis.values(n) for n in (node.key, node.query)]
    lists = [s for s in sets if isinstance(s, Finite)]
    return lists[0] if len(lists) == 1 and lists[0].numeric else None


def _table_of_classes(builder: FeatureBuilder, node: Select, listed: Finite) -> SelectorScore:
    """The score -1 where a comparison fails with an interval, which is cut at the values of the other side."""
    count = len(listed)
    classes, own = np.arange(2 * count + 1), 2 * np.arange(count) + 1
    key_listed = isinstance(builder.analysis.values(node.key), Finite)
    keys, queries = (own, classes) if key_listed else (classes, own)
    fails = ~COMPARE[node.op](keys[None, :], queries[:, None])

    def cut(side: SOpNode, outputs: Array, name: str) -> SignalSum:
        return by_thresholds(builder, side, listed, outputs.tolist(), f"{builder.title(side)}{name}")

    def whole(side: SOpNode, outputs: Array, name: str) -> SignalSum:
        return _column(builder, side, listed, outputs, name, ordered=node.op not in ("==", "!="))

    of_key, of_query = (whole, cut) if key_listed else (cut, whole)
    return _table_score(builder, fails, partial(of_query, node.query), partial(of_key, node.key), node)


def _column(
    builder: FeatureBuilder, node: SOpNode, values: Finite, outputs: Array, name: str, *, ordered: bool
) -> SignalSum:
    """The number that has an output for each value of a node, for a head to read.

    In an order it is a sum of thresholds, `node >= value`: keys and queries of the same s-op share their directions.
    """
    title = builder.title(node)
    if not ordered:
        return builder.stream_feature(node, lambda v: float(outputs[values.rank(v)]), f"{title}{name}")
    column = SignalSum(constant=float(outputs[0]))
    for rank in (np.flatnonzero(np.diff(outputs)) + 1).tolist():
        label = f"{title}>={values.values[rank]}"
        above = builder.stream_feature(node, lambda v, rank=rank: float(values.rank(v) >= rank), label)  # type: ignore[misc]
        column += above * float(outputs[rank] - outputs[rank - 1])
    return column


COMPARE: dict[str, Callable[[Array, Array], Array]] = {
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    ">": np.greater,
    "<=": np.less_equal,
    ">=": np.greater_equal,
}

Column = Callable[[Array, str], SignalSum]


def _table_score(
    builder: FeatureBuilder, fails: Array, queries: Column, keys: Column, node: SelectorNode
) -> SelectorScore:
    """The score -1 where `fails[query, key]`, with one product per group of equal columns, or of equal rows."""
    spend(builder.budget, fails.size // 20, node)
    _, columns = np.unique(fails, axis=1, return_inverse=True)
    _, rows = np.unique(fails, axis=0, return_inverse=True)
    columns, rows = columns.reshape(-1), rows.reshape(-1)
    count = min(columns.max(), rows.max()) + 1
    if count > builder.domain.budget // 4:
        raise CapaxError(
            "too-many-values",
            f"a head for `{describe(node)}` would need {count:,} dimensions",
            hint="shorten max_length, use fewer tokens, or allow masks",
            node=node,
        )
    score = SelectorScore()
    by_key = columns.max() <= rows.max()
    groups = columns if by_key else rows
    for group in range(groups.max() + 1):
        member = int(np.argmax(groups == group))
        line = fails[:, member] if by_key else fails[member, :]
        if not line.any():
            continue
        inside = (keys if by_key else queries)((groups == group).astype(float), f":{group}")
        if line.all():
            score += SelectorScore(key=-inside) if by_key else SelectorScore(query=-inside)
            continue
        other = (queries if by_key else keys)(line.astype(float), f" fails {group}")
        score += SelectorScore(((-other, inside),) if by_key else ((-inside, other),))
    return score


def _joint(builder: FeatureBuilder, node: SelectorNode) -> SelectorScore:
    """The score -1 where a combination of comparisons fails, by a table over what they see of keys and of queries."""
    leaves = _leaves(node)
    membership = membership_of(builder, node, leaves)
    if membership is not None:
        return _membership(builder, membership)
    keys, queries = _sides(builder, leaves)
    if keys.count * queries.count > MOST_ENTRIES:
        raise builder.analysis.too_large(leaves[0].key, f"a score table of {keys.count:,} by {queries.count:,}")
    selected = _evaluate(builder, node, leaves, keys, queries)
    return _table_score(builder, ~selected, queries.column, keys.column, node)


def _membership(builder: FeatureBuilder, node: Membership) -> SelectorScore:
    """The score that is -1, and 0 where the owner of the value of the shared s-op has that value."""
    pairs = []
    for value, owner in node.owners.items():
        mine, theirs = (
            builder.stream_feature(side, lambda v, value=value: float(v == value), f"{builder.title(side)}=={value}")  # type: ignore[misc]
            for side in (node.shared, owner)
        )
        pairs.append((theirs, mine) if node.is_key else (mine, theirs))
    return SelectorScore(tuple(pairs), query=SignalSum(constant=-1.0))


def table_size(builder: FeatureBuilder, selector: SelectorNode) -> float:
    """How many kinds of keys or of queries, whichever are fewer, the tables of a selector's disjunctions tell apart."""
    largest = 0.0
    for conjunct in conjuncts(selector):
        if isinstance(conjunct, Or):
            leaves = _leaves(conjunct)
            if is_window(builder, conjunct) or membership_of(builder, conjunct, leaves) is not None:
                continue
            try:
                sides = _sides(builder, leaves)
            except CapaxError:
                return math.inf
            largest = max(largest, min(s.count for s in sides))
    return largest


def _sides(builder: FeatureBuilder, leaves: list[Select]) -> tuple[TableCells, TableCells]:
    """What comparisons see of keys, and of queries."""
    keys, queries = [leaf.key for leaf in leaves], [leaf.query for leaf in leaves]
    return (
        cells_of(builder, keys, [_constant(builder, q) for q in queries], leaves, True),
        cells_of(builder, queries, [_constant(builder, k) for k in keys], leaves, False),
    )


def _constant(builder: FeatureBuilder, node: SOpNode) -> Atom | None:
    value = _value(builder, node)
    return value.value if isinstance(value, Const) else None


def _leaves(node: SelectorNode) -> list[Select]:
    """The comparisons that a selector is made of, each once."""
    leaves: list[Select] = []
    waiting, seen = [node], {node}
    while waiting:
        part = waiting.pop()
        if isinstance(part, Select):
            leaves.append(part)
            continue
        assert isinstance(part, (And, Or)), part
        for operand in (part.left, part.right):
            if operand not in seen or isinstance(operand, Select):
                seen.add(operand)
                waiting.append(operand)
    return list(dict.fromkeys(leaves))


def _evaluate(
    builder: FeatureBuilder, root: SelectorNode, leaves: list[Select], keys: TableCells, queries: TableCells
) -> Array:
    """The table `selected[query cell, key cell]`."""
    selected: dict[SelectorNode, Array] = {}
    for number, leaf in enumerate(leaves):
        k, q = keys.seen[number], queries.seen[number]
        if k.dtype == bool and q.dtype == bool:
            selected[leaf] = np.broadcast_to(k[None, :] & q[:, None], (queries.count, keys.count))
        elif k.dtype == bool or q.dtype == bool:
            line = k[None, :] if k.dtype == bool else q[:, None]
            selected[leaf] = np.broadcast_to(line, (queries.count, keys.count))
        else:
            selected[leaf] = COMPARE[leaf.op](k[None, :], q[:, None])
    for part in postorder((root,), lambda n: (n.left, n.right) if isinstance(n, (And, Or)) else ()):
        if isinstance(part, And):
            selected[part] = selected[part.left] & selected[part.right]
        elif isinstance(part, Or):
            selected[part] = selected[part.left] | selected[part.right]
    return selected[root]
