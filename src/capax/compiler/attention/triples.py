"""Means and counts over pairs of keys as heads of third order.

Lemma (sum). For integers a, b, q the score -(a + b + q - c)^2 is 0 where a + b + q == c and at most -1 elsewhere; it is
a sum of six products of a function of q, one of a and one of b.
Lemma (table). For any test of a, b and q, the sum over values x of one of the three and lines of the table of the
other two, -[x][the second is in the group][the third fails the line], is 0 where the test holds and -1 elsewhere.
Lemma (lift). A score of an ordinary selector, times 1 for the third, is a score of the lifted selector, and the scores
of a conjunction add up.
The sink is a pair of its own, at -1/2 for means and at 0 for counts, as in `heads.py`.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from capax.compiler.analysis.value_sets import is_integer
from capax.compiler.attention.plan_heads import head_column
from capax.compiler.attention.scores import COMPARE, MOST_ENTRIES, score_of
from capax.compiler.attention.selector_score import SelectorScore
from capax.compiler.domain import spend
from capax.compiler.encode.encodings import ValueEncoding
from capax.compiler.encode.features import FeatureBuilder
from capax.compiler.encode.network_builder import after_attention
from capax.compiler.encode.signals import Direction, SignalSum
from capax.compiler.layout.network import PlannedHead
from capax.errors import CapaxError
from capax.model.parts import Array, Mask, Origin
from capax.rasp.ir.describe import describe
from capax.rasp.ir.nodes import SOpNode
from capax.rasp.ir.triple_nodes import LIFT_SIDES, LiftSide, PairAggregate, PairWidth, SumSelect, TripleNode
from capax.rasp.ir.triple_parts import TripleConjunction, conjunction
from capax.rasp.ir.types import Atom

ONE = SignalSum(constant=1.0)
Factors = tuple[SignalSum, SignalSum, SignalSum]
"""Functions of the query, of the first key and of the second key, which are multiplied."""

QUERY, FIRST, SECOND = 0, 1, 2
FEW = 3
"""A set of up to so many values is named by them."""


@dataclass(frozen=True, slots=True, eq=False)
class TripleScore:
    """The score of a selector over triples: a sum of products, and the mask of both keys."""

    terms: tuple[Factors, ...]
    mask: Mask


def emit_pair_count(builder: FeatureBuilder, node: PairWidth) -> ValueEncoding:
    """The encoding of a number of pairs: 1/(k + 1) from one head."""
    score, layer, name = triple_score(builder, node.triples), builder.layer(node), builder.title(node)
    low = 1 / (builder.domain.max_length**2 + 1)
    output = builder.network.direction(f"1/(1+{name})", low, 1.0, after_attention(layer))
    head = _head(builder, node.triples, score, "counts pairs of", layer)
    builder.network.heads.append(
        replace(
            head,
            sink=tuple(0.0 for _ in head.pairs),
            values=(SignalSum(),),
            defaults=(1.0,),
            outputs=(output,),
            name=name,
            computes=(node,),
        )
    )
    return ValueEncoding(SignalSum.of(output), layer, "reciprocal", False, name)


def emit_pair_aggregates(
    builder: FeatureBuilder, triples: TripleNode, nodes: list[PairAggregate]
) -> dict[SOpNode, ValueEncoding]:
    """The encodings of all means over the pairs of one selector: one head."""
    known = builder.analysis.selectors[triples]
    assert not known.filled
    score = triple_score(builder, triples)
    columns = [head_column(builder, node, known) for node in nodes]
    head = _head(builder, triples, score, "averages over pairs of", builder.layer(nodes[0]))
    outputs = [s for _, _, encoding in columns for s in encoding.signal.terms if isinstance(s, Direction)]
    builder.network.heads.append(
        replace(
            head,
            pairs=(*head.pairs, (ONE, SignalSum(), SignalSum())),
            sink=(*(0.0 for _ in head.pairs), -0.5),
            values=tuple(column for column, _, _ in columns),
            defaults=tuple(default for _, default, _ in columns),
            outputs=tuple(outputs),
            name=", ".join(builder.title(n) for n in nodes),
            computes=tuple(nodes),
        )
    )
    return {node: encoding for node, (_, _, encoding) in zip(nodes, columns, strict=True)}


def _head(builder: FeatureBuilder, triples: TripleNode, score: TripleScore, what: str, layer: int) -> PlannedHead:
    """A head of third order, without what it computes."""
    return PlannedHead(
        layer=layer,
        pairs=score.terms or ((SignalSum(), ONE, ONE),),
        sink=(),
        scale=builder.domain.scale,
        mask=score.mask,
        values=(),
        defaults=(),
        outputs=(),
        name="",
        origin=Origin(f"{what} {builder.written_out(triples)}", builder.network.location),
        computes=(),
        order=3,
    )


def triple_score(builder: FeatureBuilder, triples: TripleNode) -> TripleScore:
    """The score of a selector over triples; one that is no conjunction is refused."""
    parts = conjunction(triples)
    if parts is None:
        raise CapaxError(
            "not-compilable",
            f"`{describe(triples)}` is a disjunction over different pairs of query and keys, which no one head scores",
            hint="count each part with selector_width, or choose between their means",
            node=triples,
        )
    scores, mask = _side_scores(builder, parts)
    terms = [factors for side, score in scores.items() for factors in _lifted(side, score)]
    for test in parts.sums:
        terms += _sum_terms(builder, test)
    return TripleScore(tuple(terms), mask)


def _side_scores(builder: FeatureBuilder, parts: TripleConjunction) -> tuple[dict[LiftSide, SelectorScore], Mask]:
    """The scores of the ordinary selectors, and a mask that both keys have; comparisons it takes away are left out."""
    sides = {side: selector for side in LIFT_SIDES if (selector := parts.side(side)) is not None}
    choices: tuple[Mask | None, ...] = (None, "causal", "none") if {"first", "second"} <= sides.keys() else ("none",)
    for only in choices:
        scores = {s: score_of(builder, x, only="none" if s == "keys" else only) for s, x in sides.items()}
        masks = {scores[s].mask for s in ("first", "second") if s in scores} or {"none"}
        if len(masks) == 1 and (len(masks & {"none"}) == 1 or {"first", "second"} <= sides.keys()):
            return scores, masks.pop()
    raise AssertionError(parts)


def _lifted(side: LiftSide, score: SelectorScore) -> list[Factors]:
    """The products of an ordinary score as products of three."""
    key_at, query_at = {"first": (FIRST, QUERY), "second": (SECOND, QUERY), "keys": (FIRST, SECOND)}[side]

    def factors(query: SignalSum, key: SignalSum) -> Factors:
        three = [ONE, ONE, ONE]
        three[query_at], three[key_at] = query, key
        return three[0], three[1], three[2]

    terms = [factors(query, key) for query, key in score.pairs]
    if score.query.terms or score.query.constant:
        terms.append(factors(score.query, ONE))
    if score.key.terms or score.key.constant:
        terms.append(factors(ONE, score.key))
    return terms


def _sum_terms(builder: FeatureBuilder, test: SumSelect) -> list[Factors]:
    nodes = (test.query, test.key1, test.key2)
    values = [_integers(builder, node) for node in nodes]
    if any(not some for some in values):
        raise CapaxError(
            "always-fails", f"`{describe(test)}` adds no integers", hint="read integers: tokens_int", node=test
        )
    largest = sum(max(abs(v) for v in some) for some in values) + abs(test.constant)
    if test.op == "==" and not test.modulus and largest**2 < builder.domain.exact_below:
        return _square(builder, test)
    return _table(builder, test, nodes, values)


def _integers(builder: FeatureBuilder, node: SOpNode) -> list[int]:
    return [int(v) for v in builder.analysis.finite_values(node).values if _is_whole(v)]


def _is_whole(value: Atom) -> bool:
    return not isinstance(value, str) and is_integer(value)


def _square(builder: FeatureBuilder, test: SumSelect) -> list[Factors]:
    """-(a + b + q - c)^2 in six products."""

    def power(node: SOpNode, exponent: int, less: int = 0) -> SignalSum:
        name = builder.title(node) + (f" - {less}" if less else "")
        title = name if exponent == 1 else f"({name})^2" if " " in name else f"{name}^2"
        return builder.stream_feature(node, lambda v: float((v - less) ** exponent) if _is_whole(v) else 0.0, title)  # type: ignore[operator]

    a, b, q = power(test.key1, 1), power(test.key2, 1), power(test.query, 1, test.constant)
    aa, bb, qq = power(test.key1, 2), power(test.key2, 2), power(test.query, 2, test.constant)
    return [
        (ONE, -aa, ONE),
        (ONE, ONE, -bb),
        (-qq, ONE, ONE),
        (ONE, a * -2.0, b),
        (q * -2.0, a, ONE),
        (q * -2.0, ONE, b),
    ]


def _table(
    builder: FeatureBuilder, test: SumSelect, nodes: tuple[SOpNode, SOpNode, SOpNode], values: list[list[int]]
) -> list[Factors]:
    """The test by tables: of the three orders of query and keys the one with the fewest products."""
    size = len(values[0]) * len(values[1]) * len(values[2])
    if size > MOST_ENTRIES:
        raise builder.analysis.too_large(nodes[0], f"a table of {size:,} sums")
    spend(builder.budget, size // 20, test)
    q, a, b = (np.array(some, dtype=np.int64) for some in values)
    total = q[:, None, None] + a[None, :, None] + b[None, None, :]
    fails = ~COMPARE[test.op](total % test.modulus if test.modulus else total, np.array(test.constant))
    orders = [(0, 1, 2), (0, 2, 1), (1, 2, 0)]
    plans = [_lines(fails.transpose(order)) for order in orders]
    order, lines = min(zip(orders, plans, strict=True), key=lambda both: len(both[1]))
    if len(lines) > builder.domain.budget // 4:
        raise CapaxError(
            "too-many-values",
            f"a head for `{describe(test)}` would need {len(lines):,} dimensions",
            hint="use fewer tokens, or a smaller modulus",
            node=test,
        )
    terms: list[Factors] = []
    for number, bits in enumerate(lines):
        three = [ONE, ONE, ONE]
        for axis, some in zip(order, bits, strict=True):
            three[axis] = _bits(builder, nodes[axis], values[axis], some, f"group {number + 1}")
        terms.append((-three[0], three[1], three[2]))
    return terms


def _lines(fails: Array) -> list[tuple[Array, Array, Array]]:
    """The table as a disjoint union of boxes: values of the first axis, of the second, and of the third that fail."""
    _, kinds = np.unique(fails.reshape(len(fails), -1), axis=0, return_inverse=True)
    boxes = []
    for kind in range(kinds.max() + 1):
        own = kinds.reshape(-1) == kind
        lines, which = np.unique(fails[int(np.argmax(own))], axis=0, return_inverse=True)
        for number, line in enumerate(lines):
            if line.any():
                boxes.append((own, which.reshape(-1) == number, line))
    return boxes


def _bits(builder: FeatureBuilder, node: SOpNode, values: list[int], bits: Array, name: str) -> SignalSum:
    """1 where a value is among some, else 0."""
    if bits.all():
        return ONE
    chosen = [v for v, bit in zip(values, bits.tolist(), strict=True) if bit]
    others = [v for v, bit in zip(values, bits.tolist(), strict=True) if not bit]
    member: Callable[[Atom], float] = lambda v: float(v in chosen)  # noqa: E731
    title = f"{builder.title(node)} in {name}"
    if min(len(chosen), len(others)) <= FEW:
        few, word = (chosen, "is") if len(chosen) <= FEW else (others, "is not")
        title = f"{builder.title(node)} {word} {' or '.join(map(str, few))}"
    return builder.stream_feature(node, member, title)
