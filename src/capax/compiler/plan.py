"""Pass: the network of heads and MLPs over signals that computes the scheduled s-ops, node by node."""

from collections.abc import Mapping

from capax.budget import Budget
from capax.compiler.analysis.analysis import Analysis
from capax.compiler.attention.heads import emit_aggregates, emit_count
from capax.compiler.encode.elementwise import emit
from capax.compiler.encode.features import FeatureBuilder
from capax.compiler.encode.network_builder import NetworkBuilder
from capax.compiler.encode.readout import readout_of
from capax.compiler.layout.network import Network
from capax.compiler.schedule import LayerSchedule
from capax.rasp.analysis.output_spec import OutputSpec
from capax.rasp.ir.nodes import Aggregate, Node, SOpNode, Width


def plan(
    spec: OutputSpec,
    analysis: Analysis,
    schedule: LayerSchedule,
    titles: Mapping[Node, str],
    locations: Mapping[Node, str],
    budget: Budget,
) -> Network:
    """The network that computes the root of a spec.

    `titles` are the names of nodes, and `locations` their locations in a source; heads and units carry both.
    """
    builder = FeatureBuilder(analysis, NetworkBuilder(analysis.domain), schedule.layers, titles, budget)
    for node in schedule.encoded:
        if node not in builder.encodings:
            _emit(builder.at(locations.get(node)), node, schedule)
    result = analysis.encoded(spec.root)
    readout = readout_of(builder.at(None if result is None else locations.get(result)), spec)
    return builder.network.finish(readout, schedule.depth)


def _emit(builder: FeatureBuilder, node: SOpNode, schedule: LayerSchedule) -> None:
    """Plans what computes a node, and notes its encoding; all aggregates of one selector in a layer share its head."""
    match node:
        case Aggregate():
            together = [
                n
                for n in schedule.encoded
                if isinstance(n, Aggregate) and n.selector is node.selector and builder.layer(n) == builder.layer(node)
            ]
            together.sort(key=lambda n: (n is not node, builder.title(n)))
            builder.encodings.update(emit_aggregates(builder, node.selector, together))
        case Width():
            builder.encodings[node] = emit_count(builder, node)
        case _:
            builder.encodings[node] = emit(builder, node)
