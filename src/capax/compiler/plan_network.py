"""Pass: the network of heads and MLPs over signals that computes the scheduled s-ops, node by node."""

from collections.abc import Mapping, Sequence
from typing import Any

from capax.budget import Budget
from capax.compiler.analysis.analysis import Analysis, Failed
from capax.compiler.analysis.value_sets import Finite
from capax.compiler.attention.plan_heads import emit_aggregates, emit_count
from capax.compiler.attention.triples import emit_pair_aggregates, emit_pair_count
from capax.compiler.domain import Domain
from capax.compiler.encode.elementwise import emit
from capax.compiler.encode.features import FeatureBuilder
from capax.compiler.encode.network_builder import NetworkBuilder
from capax.compiler.encode.signals import SignalSum, add_all
from capax.compiler.layer_schedule import LayerSchedule
from capax.compiler.layout.network import Network, PlannedReadout
from capax.compiler.node_meanings.node_names import SourceNotes
from capax.model.vocabulary import Classes, Fractions, Nearest
from capax.rasp.analysis.output_spec import OutputSpec
from capax.rasp.analysis.output_types import FLOAT, INT
from capax.rasp.ir.nodes import Aggregate, Node, SOpNode, Width
from capax.rasp.ir.triple_nodes import PairAggregate, PairWidth, selector_of
from capax.rasp.ir.types import Atom

MOST_CLASSES = 1024
"""With more classes the nearest value is looked up."""


def plan_network(
    spec: OutputSpec,
    analysis: Analysis,
    schedule: LayerSchedule,
    titles: Mapping[Node, str],
    source: SourceNotes,
    budget: Budget,
) -> Network:
    """The network that computes the root of a spec.

    `titles` are the names of nodes, no two alike; `source` has those that the source gave, and locations in it.
    """
    network, locations = NetworkBuilder(analysis.domain), source.locations
    builder = FeatureBuilder(analysis, network, schedule.layers, titles, source.names, budget)
    for node in schedule.encoded:
        if node not in builder.encodings:
            emit_node(builder.at(locations.get(node)), node, schedule)
    result = analysis.encoded(spec.root)
    readout = plan_readout(builder.at(None if result is None else locations.get(result)), spec)
    return builder.network.finish(readout, schedule.depth)


def emit_node(builder: FeatureBuilder, node: SOpNode, schedule: LayerSchedule) -> None:
    """Plans what computes a node, and notes its encoding; all aggregates of one selector in a layer share its head."""
    match node:
        case Aggregate() | PairAggregate():
            layer, kind, selector = builder.layer(node), type(node), selector_of(node)
            together: list[Any] = [
                n
                for n in schedule.encoded
                if isinstance(n, kind) and selector_of(n) is selector and builder.layer(n) == layer
            ]
            together.sort(key=lambda n: (n is not node, builder.title(n)))
            if isinstance(node, PairAggregate):
                builder.encodings.update(emit_pair_aggregates(builder, node.triples, together))
            else:
                builder.encodings.update(emit_aggregates(builder, node.selector, together))
        case PairWidth():
            builder.encodings[node] = emit_pair_count(builder, node)
        case Width():
            builder.encodings[node] = emit_count(builder, node)
        case _:
            builder.encodings[node] = emit(builder, node)


def plan_readout(builder: FeatureBuilder, spec: OutputSpec) -> PlannedReadout:
    """The readout of the program's result.

    A number x is decoded to the class with the highest logit 2 c x - c^2: the class whose code c is nearest. Where the
    classes are many or lie close together, one number is read out and the nearest value is looked up.
    """
    root = spec.root
    values = builder.analysis.values(root)
    if not isinstance(values, Finite):
        number = _term_by_term(builder, root)
        whole = spec.kind == INT
        if whole and not values.integral:  # fractions between the values are none of its answers
            return PlannedReadout((number,), Fractions(1, whole=True))
        decoding = Fractions(values.most, float(values.unit), whole)
        return PlannedReadout((number * float(1 / values.unit),), decoding)
    possible = [v for v in values.values if spec.can_be(v)]
    answers = tuple(map(spec.read, possible))
    if len(values) == 1:
        return PlannedReadout((SignalSum(),), Classes(answers))
    counts = _counts(builder, root)
    if counts is not None:
        logits = _count_logits(builder, root, [counts[v] for v in possible])
        return PlannedReadout(logits, Classes(answers), 1 / (8 * (max(counts.values()) + 1) ** 2))
    one_type = values.numeric and spec.shift is None and spec.kind in (INT, FLOAT)
    if one_type and len(possible) > MOST_CLASSES and _are_integers(possible):
        return PlannedReadout((_term_by_term(builder, root),), Fractions(1, whole=spec.kind == INT))
    return _nearest_code(builder, root, possible, answers)


def _nearest_code(
    builder: FeatureBuilder, root: SOpNode, possible: Sequence[Atom], answers: tuple[Atom, ...]
) -> PlannedReadout:
    """The readout of the possible value, or of its rank, whose code is nearest: by classes, or by looking it up."""
    values, name = builder.analysis.finite_values(root), builder.title(root)
    if builder.is_plain(root):
        codes = [float(v) for v in possible]
        whole = all(map(float.is_integer, codes))
        # what is added up with many steps of another term would be rounded as often as these are
        number = builder.in_stream(builder.number(root).signal, root, name) if whole else _term_by_term(builder, root)
    else:
        number = builder.stream_feature(root, lambda v: float(values.rank(v)), f"{name}:code", exact=False)
        codes = [float(values.rank(v)) for v in possible]
    whole = all(code == int(code) for code in codes)
    middle = float(int((codes[0] + codes[-1]) / 2))
    wide = codes[-1] - codes[0] > 2 * MOST_CLASSES or not _logits_are_exact(codes, middle, builder.domain)
    if not whole or len(codes) > MOST_CLASSES or wide:
        return PlannedReadout((number,), Nearest(tuple(codes), answers))
    centred = number - middle
    logits = tuple(centred * (2 * (code - middle)) - (code - middle) ** 2 for code in codes)
    return PlannedReadout(logits, Classes(answers))


def _are_integers(values: Sequence[Atom]) -> bool:
    """Whether values are integers that have most of those between the least and the greatest of them."""
    low, high = float(values[0]), float(values[-1])
    return all(v == int(v) for v in values if not isinstance(v, str)) and high - low < 2 * len(values)


def _term_by_term(builder: FeatureBuilder, root: SOpNode) -> SignalSum:
    """The number of a root for the readout; each term of a sum is in the stream by itself, as an s-op of its own."""
    signal, name = builder.number(root).signal, builder.title(root)
    terms = [(SignalSum.of(term), factor) for term, factor in signal.terms.items()]
    if len(terms) == 1:
        return builder.in_stream(signal, root, name)
    return add_all(builder.in_stream(term, root, name) * factor for term, factor in terms) + signal.constant


def _logits_are_exact(codes: list[float], middle: float, domain: Domain) -> bool:
    """Whether logits of integers, and all sums on the way to them, are integers that the number system has."""
    largest, furthest = max(map(abs, codes)), max(abs(code - middle) for code in codes)
    return 2 * furthest * (largest + abs(middle)) + furthest**2 < 2.0**domain.digits


def _counts(builder: FeatureBuilder, root: SOpNode) -> dict[Atom, int] | None:
    """The count that each value of the result stands for; None where it is not one count that a head has as 1/(k + 1).

    Also None where counts are so large that rounding could confuse logits.
    """
    source = builder.analysis.encoded(root)
    if source is None or builder.encodings[source].kind != "reciprocal":
        return None
    counted = builder.analysis.base_values(source).values if source is not root else ()
    table = builder.analysis.sops[root].table if source is not root else ()
    if source is root:
        pairs = [(value, int(value)) for value in builder.analysis.finite_values(root).values]
    else:
        assert table is not None
        pairs = [(v, int(k)) for v, k in zip(table, counted, strict=True) if not isinstance(v, Failed)]
    most = max(k for _, k in pairs)
    large = 8 * (most + 1) ** 2 * builder.domain.unit >= 1 or len(pairs) > MOST_CLASSES
    return None if large or len({v for v, _ in pairs}) < len(pairs) else dict(pairs)


def _count_logits(builder: FeatureBuilder, root: SOpNode, counts: list[int]) -> tuple[SignalSum, ...]:
    """Logits that are highest for the count k, where a head has w = 1/(k + 1): no MLP has to invert w.

    Of 2m - m^2 w over integers m the highest is at m = k + 1, and its neighbours are lower by w. What all logits have
    in common may be taken off: that of a middle m makes the numbers that are rounded smaller.
    """
    source = builder.analysis.encoded(root)
    assert source is not None
    w = builder.in_stream(builder.encodings[source].signal, source, builder.title(source))
    middle = float(round(0.82 * (max(counts) + 1)))
    return tuple(w * (middle**2 - (k + 1.0) ** 2) + 2 * (k + 1.0 - middle) for k in counts)
