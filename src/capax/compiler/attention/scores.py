"""Selectors as scores: bilinear forms that are 0 on selected pairs and at most -1 on all others.

Lemma. If T1 and T2 are such forms of s and t, then T1 + T2 is one of `s and t`. For integers x, y the score
-(x - y)^2 = 2xy - x^2 - y^2 is one of x == y. For any table of pairs of values, grouping equal columns gives a score
with one product per group: [key in group] * -[query fails the group].
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from capax.compiler.analysis.value_sets import Finite, Interval, finite
from capax.compiler.attention.comparison_tables import TableCells, cells_of
from capax.compiler.attention.offsets import Offsets, offsets_of
from capax.compiler.domain import spend
from capax.compiler.encode.elementwise import compare
from capax.compiler.encode.features import FeatureBuilder
from capax.compiler.encode.signals import SignalSum
from capax.errors import CapaxError
from capax.model.parts import Array, Mask
from capax.rasp.ir.describe import FULL, describe
from capax.rasp.ir.graph import conjuncts, postorder
from capax.rasp.ir.nodes import And, Const, Or, Select, SelectorNode, SOpNode
from capax.rasp.ir.ops import apply_op
from capax.rasp.ir.types import Atom

MOST_ENTRIES = 25_000_000


@dataclass(frozen=True, slots=True, eq=False)
class SelectorScore:
    """The score: sum of query * key over the pairs, plus a part of the query and a part of the key.

    `lowest` bounds how negative it gets.
    """

    pairs: tuple[tuple[SignalSum, SignalSum], ...] = ()
    query: SignalSum = field(default_factory=SignalSum)
    key: SignalSum = field(default_factory=SignalSum)
    lowest: float = 0.0
    mask: Mask = "none"

    def __add__(self, other: "SelectorScore") -> "SelectorScore":
        pairs, lowest = self.pairs + other.pairs, self.lowest + other.lowest
        return SelectorScore(pairs, self.query + other.query, self.key + other.key, lowest, self.mask)

    def scaled(self, factor: float) -> "SelectorScore":
        """The score times a factor."""
        pairs = tuple((q * factor, k) for q, k in self.pairs)
        return SelectorScore(pairs, self.query * factor, self.key * factor, self.lowest * factor, self.mask)


def score_of(
    builder: FeatureBuilder,
    selector: SelectorNode,
    *,
    small: bool = False,
    shifted: bool = False,
    only: Mask | None = None,
) -> SelectorScore:
    """The score of a selector, with the mask that takes comparisons of positions away from it.

    `small` asks for scores of 0 and a few negative units, at the price of more products. A `shifted` score is 0 on
    selected pairs, and at most -1 on others, up to a number of each query: softmax without a sink does not see it.
    `only` allows one mask.
    """
    domain = builder.domain
    seen, rest = Offsets(), []
    for conjunct in conjuncts(selector):
        offsets = offsets_of(conjunct, builder.analysis)
        allowed = offsets is not None and (domain.masks or (domain.causal and offsets.mask == "causal"))
        allowed = allowed and (only is None or (offsets is not None and offsets.mask == only))
        if allowed and offsets is not None and (seen & offsets).mask is not None:
            seen &= offsets
        else:
            rest.append((conjunct, offsets))
    mask = seen.mask
    assert mask is not None
    score = SelectorScore(mask=mask)
    for conjunct, offsets in rest:
        if conjunct is FULL or (offsets is not None and (seen & offsets) == seen):
            continue  # the mask implies it
        if isinstance(conjunct, Select):
            score += _comparison(builder, conjunct, small=small, shifted=shifted)
        else:
            score += _joint(builder, conjunct)
    return score


def _comparison(builder: FeatureBuilder, node: Select, *, small: bool, shifted: bool) -> SelectorScore:
    key, query = _value(builder, node.key), _value(builder, node.query)
    if isinstance(query, Const):
        return SelectorScore(key=_fails(builder, node.key, query.value, node.op, key_first=True), lowest=-1.0)
    if isinstance(key, Const):
        return SelectorScore(query=_fails(builder, node.query, key.value, node.op, key_first=False), lowest=-1.0)
    equality = _equality(builder, node, small=small, shifted=shifted) if node.op == "==" else None
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


def _equality(builder: FeatureBuilder, node: Select, *, small: bool, shifted: bool) -> SelectorScore | None:
    """The score -(x - y)^2 over integer codes, digit by digit where they are large; None if `small` rules it out.

    The `shifted` score 2xy - x^2 leaves out what only the query knows. Its digits need no squares of the query, and
    codes around zero, with squares around zero, are as good: so it takes twice as large codes without digits.
    """
    sets = [builder.analysis.finite_values(n) for n in (node.key, node.query)]
    union = finite([*sets[0].values, *sets[1].values])
    code = _code(union)
    low, high = code(union.values[0]), code(union.values[-1])
    largest = max(abs(low), abs(high))
    if small and largest > 2:
        return None
    # 2xy, x^2 and y^2 must be exact, and so must their sums in any order
    room = 4 * builder.domain.exact_below
    if shifted and 3 * largest**2 >= room:
        middle, half = float((low + high) // 2), float((high - low) // 2 + 1)
        if 2.5 * half**2 < room:
            return _around_zero(builder, node, lambda v: code(v) - middle, half)
    base = 1.0
    while (3 if shifted else 4) * (largest / base) ** 2 >= room:
        base *= 1024
    whole, score = base, SelectorScore()
    while base >= 1:
        digit = _digit(code, base, first=base == whole)
        tag = "" if whole == 1 else f" digit {base:g}"
        x, xx = _with_square(builder, node.key, digit, tag)
        lowest = -((2 * (largest / base if base == whole else 1024.0)) ** 2)
        if shifted:
            y = _query_digit(builder, node.query, code, base, tag, first=base == whole)
            score += SelectorScore(((y * 2.0, x),), key=-xx, lowest=lowest)
        else:
            y, yy = _with_square(builder, node.query, digit, tag)
            score += SelectorScore(((y * 2.0, x),), -yy, -xx, lowest)
        base /= 1024
    return score


def _around_zero(builder: FeatureBuilder, node: Select, code: Callable[[Atom], float], half: float) -> SelectorScore:
    """The shifted score over codes from -half to half: 2xy - (x^2 - half^2 / 2)."""
    names = [builder.title(n) for n in (node.key, node.query)]
    middle = float(half * half // 2)
    x, y = (builder.stream_feature(n, code, name) for n, name in zip((node.key, node.query), names, strict=True))
    xx = builder.stream_feature(node.key, lambda v: code(v) ** 2 - middle, f"({names[0]})^2 around zero")
    return SelectorScore(((y * 2.0, x),), key=-xx, lowest=-4 * half * half)


def _query_digit(
    builder: FeatureBuilder, node: SOpNode, code: Callable[[Atom], float], base: float, tag: str, *, first: bool
) -> SignalSum:
    """A digit of a query: the whole code without the digits below, minus that without the digit itself.

    Either has as few jumps as there are digits above, which is what costs units.
    """
    name = f"{builder.title(node)}{tag}"
    down = builder.stream_feature(node, lambda v: float(code(v) // base), f"{name} and above")
    if first:
        return down
    above = builder.stream_feature(node, lambda v: float(code(v) // (1024 * base)), f"{name}, above")
    return down - above * 1024.0


def _with_square(
    builder: FeatureBuilder, node: SOpNode, digit: Callable[[Atom], float], tag: str
) -> tuple[SignalSum, SignalSum]:
    """A digit of a node and its square, for a head to read."""
    name = f"{builder.title(node)}{tag}"
    base = f"({name})" if " " in name else name
    return (
        builder.stream_feature(node, digit, name),
        builder.stream_feature(node, lambda v: digit(v) ** 2, f"{base}^2"),
    )


def _code(union: Finite) -> Callable[[Atom], float]:
    """Integers for values: themselves where they are integers close together, else their ranks."""
    if not union.integral:
        return lambda v: float(union.rank(v))
    low, high = float(union.values[0]), float(union.values[-1])
    if high - low > 4 * len(union):
        return lambda v: float(union.rank(v))
    shift = low if low > 1024 or low < -1024 else 0.0
    return lambda v: float(v) - shift


def _digit(code: Callable[[Atom], float], base: float, *, first: bool) -> Callable[[Atom], float]:
    """The digit of a code to the base 1024 at a power of it; the first digit has no upper end."""
    if first:
        return lambda v: float(code(v) // base)
    return lambda v: float(code(v) // base % 1024)


def _table(builder: FeatureBuilder, node: Select) -> SelectorScore:
    """The score -1 where a comparison fails, by a table over the values of key and query."""
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
    score = SelectorScore(lowest=-1.0)
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
    keys, queries = _sides(builder, leaves)
    if keys.count * queries.count > MOST_ENTRIES:
        raise builder.analysis.too_large(leaves[0].key, f"a score table of {keys.count:,} by {queries.count:,}")
    selected = _evaluate(builder, node, leaves, keys, queries)
    return _table_score(builder, ~selected, queries.column, keys.column, node)


def table_size(builder: FeatureBuilder, selector: SelectorNode) -> float:
    """How many kinds of keys or of queries, whichever are fewer, the tables of a selector's disjunctions tell apart."""
    largest = 0.0
    for conjunct in conjuncts(selector):
        if isinstance(conjunct, Or):
            try:
                sides = _sides(builder, _leaves(conjunct))
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
