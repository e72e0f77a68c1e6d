"""Aggregates, widths and `best` as attention heads.

Lemma (average). Let scores be C * T with T = 0 on selected keys and T <= -1 on others, and let a sink have the score
-C/2. With C so large that exp(-C/2) underflows to zero, the weights are exactly 1/k on the k selected keys; the sink
has all the weight when k = 0, and none otherwise.
Lemma (count). With a sink of score 0 the sink's weight is 1/(k + 1).
Lemma (length). With the position as score, times C, the last position has all the weight: its index, plus one, is the
length, without rounding.
Lemma (best). With integer ranks r below R and the position j below n, the scores n R T + n r + j differ by at least 1
between keys; a selected key has at least 0, an unselected one at most -1.
"""

import math
from dataclasses import replace

from capax.compiler.analysis.analysis import SelectorAnalysis
from capax.compiler.analysis.value_sets import Finite, bounds
from capax.compiler.attention.scores import score_of, table_size
from capax.compiler.attention.selector_score import SelectorScore
from capax.compiler.domain import no_digits
from capax.compiler.encode.encodings import ROUGHLY, ValueEncoding
from capax.compiler.encode.features import FeatureBuilder
from capax.compiler.encode.network_builder import after_attention
from capax.compiler.encode.relu import MANY_STEPS, from_reciprocal, restored, staircase
from capax.compiler.encode.signals import Direction, SignalSum, add_all
from capax.compiler.layout.network import PlannedHead
from capax.errors import CapaxError
from capax.model.parts import Origin
from capax.rasp.ir.describe import FULL, describe
from capax.rasp.ir.graph import conjuncts
from capax.rasp.ir.nodes import Aggregate, Best, Const, Indices, SelectorNode, SOpNode, Width
from capax.rasp.ir.triple_nodes import PairAggregate
from capax.rasp.ir.types import Atom
from capax.rasp.rewrite.disjoint import disjoint_parts

ONE = SignalSum(constant=1.0)


def emit_count(builder: FeatureBuilder, node: Width) -> ValueEncoding:
    """The encoding of a width: the length itself, 1/(k + 1) of a head, or the sum of the counts of disjoint parts."""
    if node.selector is FULL and builder.domain.max_length < builder.domain.exact_below:
        return _length(builder, node)
    parts = _disjoint(builder, node.selector)
    layer, name = builder.layer(node), builder.title(node)
    if builder.domain.most_counted < builder.domain.max_length:
        return _in_blocks(builder, node, parts)
    if len(parts) == 1:
        output = _count_head(builder, node, node.selector, name, None)
        return ValueEncoding(SignalSum.of(output), layer, "reciprocal", False, name)
    outputs = [_count_head(builder, node, part, f"{name}, part {i}", i - 1) for i, part in enumerate(parts, 1)]
    return _sum_of_counts(builder, node, outputs)


def _in_blocks(builder: FeatureBuilder, node: Width, parts: list[SelectorNode]) -> ValueEncoding:
    """The encoding of a width as the sum of counts of few keys each, for number systems of few digits.

    Each head counts the keys at some positions; 1/(k + 1) of a small k is told from its neighbours by steps, which
    leave no noise, so the sum is exact.
    """
    layer, name, most = builder.layer(node), builder.title(node), builder.domain.max_length
    mlp, total = builder.network.mlp(layer), SignalSum()
    blocks = math.ceil(most / builder.domain.most_counted)
    size = math.ceil(most / blocks)
    for number, part in enumerate(parts):
        for first in range(0, most, size):
            keys = first, min(first + size, most)
            label = f"{name}, part {number + 1}, {keys[0]} to {keys[1] - 1}"
            which = None if len(parts) == 1 else number
            output = _count_head(builder, node, part, label, which, keys)
            counts = [float(k) for k in range(keys[1] - keys[0], -1, -1)]
            total += staircase(mlp, SignalSum.of(output), [1 / (k + 1) for k in counts], counts, output.name)
    return ValueEncoding(mlp.group(total, name, 0.0, float(most)), layer, "plain", True, name)


def _sum_of_counts(builder: FeatureBuilder, node: Width, outputs: list[Direction]) -> ValueEncoding:
    """The encoding of a width from 1/(k + 1) for each of its parts.

    Where counts are many, each is rough, and restored by itself; their sum is one unit, so that no other depends on
    more than one of them.
    """
    layer, name, most = builder.layer(node), builder.title(node), _most(builder, node)
    mlp = builder.network.mlp(layer)
    if most <= MANY_STEPS:
        total = add_all(from_reciprocal(mlp, SignalSum.of(output), most, output.name) for output in outputs)
        if len(outputs) > 2:
            total = restored(mlp, mlp.group(total, name, 0.0, float(most)), 0, most, name)
            return ValueEncoding(mlp.unit(total, name), layer, "plain", True, name)
        return ValueEncoding(mlp.group(total, name, 0.0, float(most)), layer, "plain", False, name)
    counts = [from_reciprocal(mlp, SignalSum.of(output), most, output.name, ROUGHLY) for output in outputs]
    total = add_all(restored(mlp, count, 0, most, o.name) for count, o in zip(counts, outputs, strict=True))
    return ValueEncoding(mlp.unit(total, name), layer, "plain", True, name)


def _most(builder: FeatureBuilder, node: Width) -> int:
    """The greatest count of a width."""
    return int(builder.analysis.finite_values(node).values[-1])


def _length(builder: FeatureBuilder, node: Width) -> ValueEncoding:
    """The encoding of the length, which a head reads at the last position."""
    layer, name = builder.layer(node), builder.title(node)
    positions = builder.stream_feature(Indices(), float, "indices")
    output = builder.network.direction(name, 1.0, float(builder.domain.max_length), after_attention(layer))
    builder.network.heads.append(
        PlannedHead(
            layer=layer,
            pairs=((ONE, positions),),
            sink=(),
            scale=builder.domain.scale,
            mask="none",
            values=(positions + 1.0,),
            defaults=(),
            outputs=(output,),
            name=name,
            origin=Origin("reads the length at the last position", builder.network.location),
            computes=(node,),
        )
    )
    return ValueEncoding(SignalSum.of(output), layer, "plain", True, name)


def _count_head(
    builder: FeatureBuilder,
    node: Width,
    selector: SelectorNode,
    name: str,
    part: int | None,
    keys: tuple[int, int] | None = None,
) -> Direction:
    """The direction that a new head sets to 1/(k + 1), where k keys are selected; with `keys`, of those positions."""
    score, layer = score_of(builder, selector), builder.layer(node)
    if keys is not None:
        first, end = keys
        inside = builder.stream_feature(
            Indices(), lambda i: 0.0 if first <= int(i) < end else -1.0, f"indices not {first} to {end - 1}"
        )
        score += SelectorScore(key=inside)
    low = 1 / (_most(builder, node) + 1)
    output = builder.network.direction(f"1/(1+{name})", low, 1.0, after_attention(layer))
    pairs, sink = _pairs(score, 0.0)
    builder.network.heads.append(
        PlannedHead(
            layer=layer,
            pairs=pairs,
            sink=sink,
            scale=builder.domain.scale,
            mask=score.mask,
            values=(SignalSum(),),
            defaults=(1.0,),
            outputs=(output,),
            name=name,
            origin=Origin(f"counts {builder.written_out(selector)}", builder.network.location),
            computes=(node,),
            part=part,
            keys=keys,
        )
    )
    return output


FEW_CELLS = 16
"""A disjunction that distinguishes at most this many keys or queries is one table."""


def _disjoint(builder: FeatureBuilder, selector: SelectorNode) -> list[SelectorNode]:
    """The parts of a disjunction that never select the same pair, where counting each is smaller than one table."""
    if table_size(builder, selector) <= FEW_CELLS:
        return [selector]
    return disjoint_parts(selector) or [selector]


def _pairs(
    score: SelectorScore, sink: float | None
) -> tuple[tuple[tuple[SignalSum, SignalSum], ...], tuple[float, ...]]:
    """The products of a score with its one-sided parts, and the sink's key; no sink, no score for it."""
    pairs = list(score.pairs)
    keys = [0.0] * len(pairs)
    if score.query.terms or score.query.constant:
        pairs.append((score.query, ONE))
        keys.append(0.0)
    if score.key.terms or score.key.constant or sink:
        pairs.append((ONE, score.key))
        keys.append(sink or 0.0)
    return tuple(pairs), tuple(keys) if sink is not None else ()


def emit_aggregates(
    builder: FeatureBuilder, selector: SelectorNode, nodes: list[Aggregate]
) -> dict[SOpNode, ValueEncoding]:
    """The encodings of all aggregates of one selector: one head."""
    layer = builder.layer(nodes[0])
    known = builder.analysis.selectors[selector]
    if isinstance(selector, Best):
        score = _best_score(builder, selector, shifted=known.filled)
    else:
        score = score_of(builder, selector, shifted=known.filled)
    columns: list[SignalSum] = []
    defaults: list[float] = []
    outputs: list[Direction] = []
    encodings: dict[SOpNode, ValueEncoding] = {}
    for node in nodes:
        column, default, encoding = head_column(builder, node, known)
        columns.append(column)
        defaults.append(default)
        outputs += [signal for signal in encoding.signal.terms if isinstance(signal, Direction)]
        encodings[node] = encoding
    pairs, sink = _pairs(score, None if known.filled else -0.5)
    builder.network.heads.append(
        PlannedHead(
            layer=layer,
            pairs=pairs,
            sink=sink,
            scale=builder.domain.scale,
            mask=score.mask,
            values=tuple(columns),
            defaults=tuple(defaults) if not known.filled else (),
            outputs=tuple(outputs),
            name=", ".join(builder.title(n) for n in nodes),
            origin=Origin(f"averages over {builder.written_out(selector)}", builder.network.location),
            computes=tuple(nodes),
        )
    )
    return encodings


def head_column(
    builder: FeatureBuilder, node: Aggregate | PairAggregate, known: SelectorAnalysis
) -> tuple[SignalSum, float, ValueEncoding]:
    """What a head sums for an aggregate, its default, and the encoding of the result in a new direction."""
    column, default, encoding = _column(builder, node, unique=known.unique, filled=known.filled)
    title = builder.title(node)
    born = after_attention(builder.layer(node))
    output = builder.network.direction(title, *_range(builder, node, encoding), born)
    output.least, output.most = min(output.low, column.low), max(output.high, column.high)
    return column, default, replace(encoding, signal=SignalSum.of(output), name=title)


def _range(builder: FeatureBuilder, node: Aggregate | PairAggregate, encoding: ValueEncoding) -> tuple[float, float]:
    if encoding.codes is not None:
        return min(encoding.codes.values()), max(encoding.codes.values())
    low, high = bounds(builder.analysis.values(node))
    return float(low), float(high)


def _column(
    builder: FeatureBuilder, node: Aggregate | PairAggregate, *, unique: bool, filled: bool
) -> tuple[SignalSum, float, ValueEncoding]:
    """What a head sums for an aggregate, its default, and how to read the result."""
    values = builder.analysis.values(node)
    name, layer = builder.title(node.value), builder.layer(node)
    if builder.plain(values):
        number = builder.number(node.value)
        column = builder.in_stream(number.signal, node.value, name)
        exact = unique and number.exact and builder.dyadic(values)
        default = 0.0 if filled or isinstance(node.default, str) else float(node.default)
        return column, default, ValueEncoding(SignalSum(), layer, "plain", exact, name)
    listed = builder.analysis.finite_values(node)
    codes, alone = _codes(builder, listed, node, unique), _codes_only(builder, node, unique)

    def code(value: Atom) -> float:
        """The code of a value; a number that is no result by itself is part of means that are."""
        stands = not alone and not isinstance(value, str) and math.isfinite(value)
        return codes.get(value, float(value) if stands else 0.0)

    column = builder.stream_feature(node.value, code, f"{name}:code")
    default = 0.0 if filled else codes.get(node.default, 0.0)  # without a code it is never needed
    return column, default, ValueEncoding(SignalSum(), layer, "code", alone, name, codes)


def _codes_only(builder: FeatureBuilder, node: Aggregate | PairAggregate, unique: bool) -> bool:
    """Whether what is read is always the code of a single value."""
    inputs = builder.analysis.finite_values(node.value)
    return unique or len(inputs) == 1 or not _has_numbers(inputs)


def _has_numbers(values: Finite) -> bool:
    return any(not isinstance(v, (str, bool)) for v in values.values)


def _codes(builder: FeatureBuilder, values: Finite, node: Aggregate | PairAggregate, unique: bool) -> dict[Atom, float]:
    """The codes of values that cannot stand for themselves: ranks, or means with strings beyond them."""
    inputs = builder.analysis.finite_values(node.value)
    if _codes_only(builder, node, unique):
        return {v: float(i) for i, v in enumerate(values.values)}
    numbers = [v for v in values.values if not isinstance(v, str) and math.isfinite(v)]
    apart: list[Atom] = [v for v in values.values if isinstance(v, str) or not math.isfinite(v)]
    if not builder.plain(Finite(tuple(numbers))) and node.default in numbers and node.default not in inputs:
        # a default far from all means gets a code of its own
        numbers = [v for v in numbers if v != node.default]
        apart.append(node.default)
    if not numbers or not builder.plain(Finite(tuple(numbers))):
        raise CapaxError(
            "too-many-values",
            f"the means in `{describe(node)}` are too near to each other, or too large, for {builder.domain.dtype}",
            hint="use smaller numbers",
            node=node,
            coarse=True,
        )
    beyond = float(numbers[-1]) + 1
    return {**{v: float(v) for v in numbers}, **{v: beyond + i for i, v in enumerate(apart)}}


def _best_score(builder: FeatureBuilder, selector: Best, *, shifted: bool) -> SelectorScore:
    """The score of the selected key with the highest score; of equal ones the last."""
    n = builder.domain.max_length
    positions = builder.stream_feature(Indices(), float, "indices")
    if isinstance(selector.score, (Const, Indices)):
        order, ranks = positions, 1
    else:
        values = builder.analysis.finite_values(selector.score)
        label = f"{builder.title(selector.score)}:rank"
        rank = builder.stream_feature(selector.score, lambda v: float(values.rank(v)), label)
        order, ranks = rank * float(n) + positions, len(values)
    if n * ranks * 4 > builder.domain.best_below:
        raise no_digits(
            f"the best by `{describe(selector.score)}` would need halves of integers up to {8 * n * ranks:,}",
            builder.domain,
        )
    comparisons = max(1, len(list(conjuncts(selector.selector))))
    room = 1.5 * builder.domain.best_below / (n * ranks * comparisons)  # halves must be exact: the sink's
    score = score_of(builder, selector.selector, room=room, shifted=shifted)
    return score.scaled(float(n * ranks)) + SelectorScore(key=order)
