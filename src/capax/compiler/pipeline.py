"""The compiler: from a program and a domain to a model."""

from collections.abc import Mapping
from dataclasses import replace

from capax.compiler.analysis.analysis import TOKEN, Facts
from capax.compiler.analysis.values import no_float
from capax.compiler.attention.heads import emit_aggregates, emit_count
from capax.compiler.domain import Domain
from capax.compiler.encode.elementwise import emit
from capax.compiler.encode.features import Builder
from capax.compiler.encode.output import output_of
from capax.compiler.encode.output_type import with_types
from capax.compiler.layout.assemble import assemble
from capax.compiler.layout.network import Network
from capax.compiler.rounding.check import check_rounding
from capax.errors import CapaxError
from capax.model.model import Model
from capax.rasp.analysis.output_spec import OutputSpec, output_spec
from capax.rasp.analysis.schedule import depths
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import Aggregate, Best, Indices, Node, Select, SelectorNode, SOpNode, Width


def build(
    root: SOpNode, domain: Domain, names: Mapping[Node, str], places: Mapping[Node, str] | None = None
) -> tuple[Model, Facts]:
    """The model of a node on a domain, and what is known of its values; `places` are the nodes' places in a text.

    Counts that programs compute as products are taken for the integers that they are. Where that is refused, since
    rounding shows or a table is needed, all floats are listed instead, if they are few enough.
    """
    try:
        return _either(root, domain, names, places or {})
    except OverflowError:
        raise no_float("the model would need a number") from None


def _either(
    root: SOpNode, domain: Domain, names: Mapping[Node, str], places: Mapping[Node, str]
) -> tuple[Model, Facts]:
    found = output_spec(root, domain.alphabet, causal=domain.causal)
    facts = Facts(domain)
    try:
        return _built(found, facts, names, places), facts
    except CapaxError as error:
        if error.code != "rests-on-rounding" and not (error.code == "too-many-values" and facts.sums):
            raise
        first = error
    facts = Facts(domain, floats=True)
    try:
        return _built(found, facts, names, places), facts
    except CapaxError:
        raise first from None


def _built(found: OutputSpec, facts: Facts, names: Mapping[Node, str], places: Mapping[Node, str]) -> Model:
    mapping, domain = found.node_map, facts.domain
    titles = {mapping.get(old, old): name for old, name in names.items()}
    facts.learn(found.value)
    check_rounding(found.value, facts)
    found = with_types(found, facts)
    node = found.root
    if node is not found.value and found.value in titles:
        titles[node] = titles[found.value]
    depth = {**depths(node), TOKEN: 0, Indices(): 0}
    builder = Builder(facts, Network(domain), depth, titles)
    builder.places.update((mapping.get(old, old), place) for old, place in places.items())
    needed = _needed(builder, node)
    for item in _order(node, depth):
        if item in needed and item not in builder.readings:
            _emit(builder, item, needed)
    output = output_of(builder, found)
    numbering = {item: number for number, item in enumerate(topological(node))}
    model = assemble(builder.network, output, depth[node], numbering, facts.meter)
    return model if found.shift is None else replace(model, facts={**model.facts, "shift": found.shift})


def _order(root: Node, depth: Mapping[Node, int]) -> list[Node]:
    """All nodes, layer by layer: what the heads of a layer give before its element-wise work."""
    return sorted(topological(root), key=lambda n: (depth[n], not isinstance(n, (Aggregate, Width))))


def _emit(builder: Builder, node: Node, needed: set[Node]) -> None:
    builder.network.place[0] = builder.places.get(node)
    match node:
        case Aggregate():
            # all aggregates of one selector in one layer share its head
            together = [
                n
                for n in needed
                if isinstance(n, Aggregate) and n.selector is node.selector and builder.layer(n) == builder.layer(node)
            ]
            together.sort(key=lambda n: (n is not node, builder.title(n)))
            builder.readings |= emit_aggregates(builder, node.selector, together)
        case Width():
            builder.readings[node] = emit_count(builder, node)
        case SOpNode():
            builder.readings[node] = emit(builder, node)


def _needed(builder: Builder, root: SOpNode) -> set[Node]:
    """The s-ops that need a reading: the result's, and those that needed ones are made from."""
    found: set[Node] = set()
    waiting: list[SOpNode] = [root]
    while waiting:
        node = builder.resolved(waiting.pop())
        if node is None or node in found:
            continue
        found.add(node)
        for operand in node.operands:
            if isinstance(operand, SOpNode):
                waiting.append(operand)
            else:
                waiting += _read_by(operand)
    return found


def _read_by(selector: Node) -> list[SOpNode]:
    """The s-ops that a selector's comparisons read."""
    found: list[SOpNode] = []
    waiting, seen = [selector], {selector}
    while waiting:
        node = waiting.pop()
        if isinstance(node, Select):
            found += [node.key, node.query]
            continue
        if isinstance(node, Best):
            found.append(node.score)
        for operand in node.operands:
            if isinstance(operand, SelectorNode) and operand not in seen:
                seen.add(operand)
                waiting.append(operand)
    return found
