"""Aggregates, widths and `best` as attention heads.

Lemma (average). Let scores be C * T with T = 0 on selected keys and T <= -1 on others, and let a sink have the score
-C/2. With C so large that exp(-C/2) underflows to zero, the weights are exactly 1/k on the k selected keys; the sink
has all the weight when k = 0, and none otherwise.
Lemma (count). With a sink of score 0 the sink's weight is 1/(k + 1).
Lemma (best). With integer ranks r below R and the place j below n, the scores n R T + n r + j differ by at least 1
between keys; a selected key has at least 0, an unselected one at most -1.
"""

import math

from capax.compiler.analysis.values import Finite, bounds
from capax.compiler.attention.scores import Form, form_of, table_size
from capax.compiler.encode.encodings import Reading, feature
from capax.compiler.encode.features import Builder
from capax.compiler.encode.signals import Direction, Sum, one
from capax.compiler.layout.network import PlannedHead, after_attention
from capax.errors import CapaxError
from capax.model.parts import Origin
from capax.rasp.ir.describe import describe
from capax.rasp.ir.nodes import Aggregate, Best, Const, Indices, SelectorNode, SOpNode, Width
from capax.rasp.ir.types import Atom
from capax.rasp.rewrite.disjoint import disjoint_parts

ONE = Sum(constant=1.0)


def emit_count(builder: Builder, node: Width) -> Reading:
    """The reading of a width: 1/(k + 1) from one head, or the sum of the counts of disjoint parts."""
    parts = _disjoint(builder, node.selector)
    layer, name = builder.layer(node), builder.title(node)
    if len(parts) == 1:
        made = _count_head(builder, node, node.selector, name, None)
        return Reading(one(made), layer, "reciprocal", False, name)
    total = Sum()
    most = builder.domain.max_length
    counts = Finite(tuple(range(most + 1)))
    for number, part in enumerate(parts):
        made = _count_head(builder, node, part, f"{name}, part {number + 1}", number)
        reading = Reading(one(made), layer, "reciprocal", False, made.name)
        total += feature(builder.network, reading, counts, [float(v) for v in counts.values], made.name, exact=False)
    whole = builder.network.circuit(layer).bundle(total, name, 0.0, float(most))
    return Reading(whole, layer, "plain", False, name)


def _count_head(builder: Builder, node: Width, selector: SelectorNode, name: str, part: int | None) -> Direction:
    form, layer = form_of(builder, selector), builder.layer(node)
    low = 1 / (builder.domain.max_length + 1)
    made = builder.network.direction(f"1/(1+{name})", low, 1.0, after_attention(layer))
    pairs, sink = _pairs(form, 0.0)
    builder.network.heads.append(
        PlannedHead(
            layer,
            pairs,
            sink,
            builder.domain.scale,
            form.mask,
            (Sum(),),
            (1.0,),
            (made,),
            name,
            Origin(f"counts {describe(selector, builder.names)}", builder.network.place[0]),
            (node,),
            part,
        )
    )
    return made


FEW_CELLS = 16
"""A disjunction that tells so many keys and queries apart is one table."""


def _disjoint(builder: Builder, selector: SelectorNode) -> list[SelectorNode]:
    """The parts of a disjunction that never select the same pair, where counting each is smaller than one table."""
    if table_size(builder, selector) <= FEW_CELLS:
        return [selector]
    return disjoint_parts(selector) or [selector]


def _pairs(form: Form, sink: float | None) -> tuple[tuple[tuple[Sum, Sum], ...], tuple[float, ...]]:
    """The products of a form with its one-sided parts, and the sink's key; no sink, no score for it."""
    pairs = list(form.pairs)
    keys = [0.0] * len(pairs)
    if form.query.terms or form.query.constant:
        pairs.append((form.query, ONE))
        keys.append(0.0)
    if form.key.terms or form.key.constant or sink:
        pairs.append((ONE, form.key))
        keys.append(sink or 0.0)
    return tuple(pairs), tuple(keys) if sink is not None else ()


def emit_aggregates(builder: Builder, selector: SelectorNode, nodes: list[Aggregate]) -> dict[SOpNode, Reading]:
    """The readings of all aggregates of one selector: one head."""
    layer = builder.layer(nodes[0])
    facts = builder.facts.selectors[selector]
    if isinstance(selector, Best):
        form, scale = _best_form(builder, selector)
    else:
        form, scale = form_of(builder, selector), builder.domain.scale
    columns: list[Sum] = []
    defaults: list[float] = []
    outputs: list[Direction] = []
    readings: dict[SOpNode, Reading] = {}
    for node in nodes:
        column, default, reading = _column(builder, node, unique=facts.unique, filled=facts.filled)
        columns.append(column)
        defaults.append(default)
        made = builder.network.direction(builder.title(node), *_range(builder, node, reading), after_attention(layer))
        outputs.append(made)
        readings[node] = Reading(one(made), layer, reading.form, reading.exact, builder.title(node), reading.places)
    pairs, sink = _pairs(form, None if facts.filled else -0.5)
    builder.network.heads.append(
        PlannedHead(
            layer,
            pairs,
            sink,
            scale,
            form.mask,
            tuple(columns),
            tuple(defaults) if not facts.filled else (),
            tuple(outputs),
            ", ".join(builder.title(n) for n in nodes),
            Origin(f"averages over {describe(selector, builder.names)}", builder.network.place[0]),
            tuple(nodes),
        )
    )
    return readings


def _range(builder: Builder, node: Aggregate, reading: Reading) -> tuple[float, float]:
    if reading.places is not None:
        return min(reading.places.values()), max(reading.places.values())
    low, high = bounds(builder.facts.values(node))
    return float(low), float(high)


def _column(builder: Builder, node: Aggregate, *, unique: bool, filled: bool) -> tuple[Sum, float, Reading]:
    """What a head sums for an aggregate, its default, and how to read the result."""
    values = builder.facts.values(node)
    name, layer = builder.title(node.value), builder.layer(node)
    if builder.plain(values):
        number = builder.number(node.value)
        column = builder.in_stream(number.sum, node.value, name)
        exact = unique and number.exact and builder.dyadic(values)
        default = 0.0 if filled or isinstance(node.default, str) else float(node.default)
        return column, default, Reading(Sum(), layer, "plain", exact, name)
    listed = builder.facts.finite_values(node)
    places = _places(builder, listed, node, unique)
    column = builder.stream_feature(node.value, lambda v: places.get(v, 0.0), f"{name}:code")
    default = 0.0 if filled else places[node.default]
    return column, default, Reading(Sum(), layer, "code", _codes_only(builder, node, unique), name, places)


def _codes_only(builder: Builder, node: Aggregate, unique: bool) -> bool:
    """Whether what is read is always the code of a single value."""
    inputs = builder.facts.finite_values(node.value)
    return unique or len(inputs) == 1 or not _has_numbers(inputs)


def _has_numbers(values: Finite) -> bool:
    return any(not isinstance(v, (str, bool)) for v in values.values)


def _places(builder: Builder, values: Finite, node: Aggregate, unique: bool) -> dict[Atom, float]:
    """Where values stand that cannot stand for themselves: ranks, or means with strings beyond them."""
    inputs = builder.facts.finite_values(node.value)
    if unique or len(inputs) == 1 or not _has_numbers(inputs):
        return {v: float(i) for i, v in enumerate(values.values)}
    numbers = [v for v in values.values if not isinstance(v, str) and math.isfinite(v)]
    apart: list[Atom] = [v for v in values.values if isinstance(v, str) or not math.isfinite(v)]
    if not builder.plain(Finite(tuple(numbers))) and node.default in numbers and node.default not in inputs:
        # a default far from all means gets a place of its own
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


def _best_form(builder: Builder, selector: Best) -> tuple[Form, float]:
    """The form of the selected key with the highest score; of equal ones the last."""
    n = builder.domain.max_length
    places = builder.stream_feature(Indices(), float, "indices")
    if isinstance(selector.score, (Const, Indices)):
        order, ranks = places, 1
    else:
        values = builder.facts.finite_values(selector.score)
        label = f"{builder.title(selector.score)}:rank"
        rank = builder.stream_feature(selector.score, lambda v: float(values.rank(v)), label)
        order, ranks = rank * float(n) + places, len(values)
    form = form_of(builder, selector.selector)
    if -form.lowest * n * ranks * 2 >= builder.domain.exact_below:
        form = form_of(builder, selector.selector, small=True)
    form = form.scaled(float(n * ranks))
    if n * ranks * 4 >= builder.domain.exact_below:
        raise builder.facts.too_large(selector.score, "scores")
    form.key += order
    return form, builder.domain.scale
