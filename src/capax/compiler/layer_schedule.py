"""The schedule: the layer of every node, and the s-ops that need an encoding, in the order of planning."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from capax.compiler.analysis.analysis import TOKEN, Analysis
from capax.rasp.analysis.schedule import depths
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import Best, Indices, Node, Select, SelectorNode, SOpNode
from capax.rasp.ir.triple_nodes import HEAD_SOPS, TripleNode
from capax.rasp.ir.triple_parts import triple_reads


@dataclass(frozen=True, slots=True, eq=False)
class LayerSchedule:
    """The layer of every node, and the s-ops to be encoded: layer by layer, what heads write before MLPs."""

    layers: Mapping[Node, int]
    encoded: tuple[SOpNode, ...]
    depth: int


def schedule(roots: SOpNode | Sequence[SOpNode], analysis: Analysis) -> LayerSchedule:
    """The schedule of the nodes below a root, or below several."""
    roots = (roots,) if isinstance(roots, SOpNode) else roots
    layers = {**depths(*roots), TOKEN: 0, Indices(): 0}
    needed = _needed(roots, analysis)
    order = sorted(topological(*roots), key=lambda n: (layers[n], not isinstance(n, HEAD_SOPS)))
    depth = max(layers[root] for root in roots)
    return LayerSchedule(layers, tuple(n for n in order if isinstance(n, SOpNode) and n in needed), depth)


def _needed(roots: Sequence[SOpNode], analysis: Analysis) -> set[Node]:
    """The s-ops that need an encoding: the result's, and those that needed ones are made from."""
    needed: set[Node] = set()
    waiting: list[SOpNode] = list(roots)
    while waiting:
        node = analysis.encoded(waiting.pop())
        if node is None or node in needed:
            continue
        needed.add(node)
        for operand in node.operands:
            if isinstance(operand, SOpNode):
                waiting.append(operand)
            else:
                waiting += _read_by(operand)
    return needed


def _read_by(selector: Node) -> list[SOpNode]:
    """The s-ops that a selector's comparisons and sums read."""
    if isinstance(selector, TripleNode):
        return triple_reads(selector)
    read: list[SOpNode] = []
    waiting, seen = [selector], {selector}
    while waiting:
        node = waiting.pop()
        if isinstance(node, Select):
            read += [node.key, node.query]
            continue
        if isinstance(node, Best):
            read.append(node.score)
        for operand in node.operands:
            if isinstance(operand, SelectorNode) and operand not in seen:
                seen.add(operand)
                waiting.append(operand)
    return read
