"""Layers and heads: what a program costs as a transformer.

Statement. The input, the positions and constants are there before the first layer. An element-wise
operation is done where its last operand is (by the feed-forward part, which is free and unlimited). A
selector needs the layer after its keys and queries; `and`, `or` and `not` of selectors are one selector.
An aggregate is done in the later of its selector's layer and the one after its value. The depth of a
program is the layer of its result, and a layer has as many heads as there are selectors that its
aggregates use.
Idea. Keys, queries and values come from the layer before; attention happens, then the feed-forward part.
Cite. Weiss, Goldberg, Yahav: Thinking Like Transformers, ICML 2021, section 4.
Scope. Two counts: *as written* counts each `select` in the text as a selector of its own and a width as the
two averages that define it; *merged* rewrites the program first, lets equal selectors share a head, and counts a
width as one head (beside an average with the same selector it is a second: the two need different sinks).
A selector over triples is a head of third order, counted as one head in both.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from capax.display import Displayed
from capax.rasp.ir.construction import Construction
from capax.rasp.ir.describe import describe
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import Aggregate, And, Best, Const, Node, Not, Or, Select, SelectorNode, SOpNode, Table, Width
from capax.rasp.ir.nodes import Map as MapNode
from capax.rasp.ir.triple_nodes import (
    HEAD_SOPS,
    MEANS,
    AnySelector,
    PairAggregate,
    PairWidth,
    SumSelect,
    TripleNode,
    selector_of,
)
from capax.rasp.ir.unroll import refuse_loops
from capax.rasp.python.program import Program
from capax.rasp.rewrite.rewrite import rewrite


@dataclass(frozen=True, slots=True)
class ScheduledHead:
    """One head of the merged program: its selector, what it averages or whether it counts, and its name."""

    layer: int
    selector: AnySelector
    outputs: tuple[SOpNode, ...]
    counts: bool

    @property
    def order(self) -> int:
        """2 for a head that compares queries with keys, 3 for one that compares them with pairs of keys."""
        return 3 if isinstance(self.selector, TripleNode) else 2

    @property
    def values(self) -> tuple[SOpNode, ...]:
        """The s-ops that the head averages; none for a head that counts."""
        return tuple(dict.fromkeys(o.value for o in self.outputs if isinstance(o, MEANS)))


@dataclass(frozen=True, slots=True)
class Layer:
    """A layer of the merged program: its heads, then the element-wise work of its feed-forward part."""

    number: int
    heads: tuple[ScheduledHead, ...]
    feed_forward: tuple[SOpNode, ...]


@dataclass(frozen=True, slots=True)
class DepthReason:
    """One link of the critical path: why something is in its layer."""

    layer: int
    node: Node
    text: str


@dataclass(frozen=True, slots=True, repr=False)
class Schedule(Displayed):
    """What a program costs.

    `layers[0]` is what happens before the first attention: its heads are none.
    """

    root: Node
    names: Mapping[Node, str]
    layers: tuple[Layer, ...]
    heads_as_written: tuple[int, ...]
    layers_as_written: int
    path: tuple[DepthReason, ...]
    rewrites: tuple[tuple[str, int], ...]

    @property
    def depth(self) -> int:
        """The number of attention layers of the merged program."""
        return len(self.layers) - 1

    @property
    def heads_merged(self) -> tuple[int, ...]:
        """The number of heads in each layer of the merged program."""
        return tuple(len(layer.heads) for layer in self.layers[1:])

    def __repr__(self) -> str:
        written, merged = (", ".join(map(str, heads)) or "none" for heads in (self.heads_as_written, self.heads_merged))
        layers = f"{self.depth} layer{'' if self.depth == 1 else 's'}"
        return f"<schedule: {layers}; heads as written {written}; merged {merged}>"

    def layer_of(self, node: Node) -> int:
        """The layer in which a node of the merged program is computed."""
        return depths(self.root)[node]

    def title(self, node: Node, longest: int = 90) -> str:
        """A node's name, or what it computes, cut where it is longer than so many characters."""
        return self.names.get(node) or describe(node, self.names, longest)


def schedule(program: Program) -> Schedule:
    """The layers and heads of a program, as written and merged; of one with a loop, see `loop_schedule`."""
    refuse_loops(program.node, "the schedule", "`capax layers` counts the layers before, in and after the loop")
    written = as_written(program.construction)
    merged = rewrite(program.node)
    names = {merged.mapping.get(node, node): name for node, name in program.names().items()}
    depth = depths(merged.node)
    return Schedule(
        root=merged.node,
        names=names,
        layers=layers_of(depth),
        heads_as_written=written,
        layers_as_written=len(written),
        path=_critical_path(merged.node, depth, names),
        rewrites=merged.steps,
    )


def as_written(root: Construction) -> tuple[int, ...]:
    """The heads of each layer, counting every selector that was written."""
    order = root.everything()
    depth: dict[Construction, int] = {}
    used: dict[int, set[object]] = {}
    for construction in order:
        parts = [depth[p] for p in construction.parts]
        depth[construction] = _depth(construction.node, [p.node for p in construction.parts], parts)
        if isinstance(construction.node, (*MEANS, PairWidth)):
            used.setdefault(depth[construction], set()).add(construction.parts[0])
        elif isinstance(construction.node, Width) and isinstance(construction.parts[0].node, SelectorNode):
            # A width that was not made from averages stands for two of them.
            used.setdefault(depth[construction], set()).update(
                {(construction.parts[0], "or"), (construction.parts[0], "and")}
            )
    return tuple(len(used.get(layer, ())) for layer in range(1, max(depth.values(), default=0) + 1))


def depths(*roots: Node) -> dict[Node, int]:
    """The layer in which each node below some roots is computed."""
    depth: dict[Node, int] = {}
    for node in topological(*roots):
        depth[node] = _depth(node, node.operands, [depth[o] for o in node.operands])
    return depth


def _depth(node: Node, operands: Iterable[Node], depths: list[int]) -> int:
    deepest = max(depths, default=0)
    match node:
        case Select() | SumSelect():
            return deepest + 1
        case And() | Or() | Not() | Width():
            return deepest
        case Best() | Aggregate() | PairAggregate():
            # The selector is ready in its layer; the score or value must come from the layer before.
            return max(f if isinstance(o, AnySelector) else f + 1 for o, f in zip(operands, depths, strict=True))
        case _:
            return deepest


def layers_of(depth: Mapping[Node, int]) -> tuple[Layer, ...]:
    """The layers of a graph, from the layer of each of its nodes."""
    count = max(depth.values(), default=0)
    heads: list[dict[tuple[AnySelector, bool], list[SOpNode]]] = [{} for _ in range(count + 1)]
    forward: list[list[SOpNode]] = [[] for _ in range(count + 1)]
    for node, layer in depth.items():
        if isinstance(node, SOpNode) and isinstance(node, HEAD_SOPS):
            heads[layer].setdefault((selector_of(node), not isinstance(node, MEANS)), []).append(node)
        elif isinstance(node, (MapNode, Table)):
            forward[layer].append(node)
    return tuple(
        Layer(
            number,
            tuple(ScheduledHead(number, s, tuple(outputs), counts) for (s, counts), outputs in heads[number].items()),
            tuple(forward[number]),
        )
        for number in range(count + 1)
    )


def _critical_path(root: Node, depth: Mapping[Node, int], names: Mapping[Node, str]) -> tuple[DepthReason, ...]:
    """From the result back to the input: in each layer what it waited for."""
    reasons: list[DepthReason] = []
    node = root
    while depth[node] > 0:
        blame = _latest(node, depth)
        if 0 < depth[blame] < depth[node]:
            above = names.get(node) or describe(node, names)
            below = names.get(blame) or describe(blame, names)
            text = f"{above} is in layer {depth[node]}: it needs {below} from layer {depth[blame]}"
            reasons.append(DepthReason(depth[node], node, text))
        node = blame
    return tuple(reversed(reasons))


def _latest(node: Node, depth: Mapping[Node, int]) -> Node:
    """The operand that decided a node's layer."""
    wait: Callable[[Node], int] = (
        (lambda o: depth[o] + (not isinstance(o, AnySelector)))
        if isinstance(node, (*MEANS, Best))
        else (lambda o: depth[o])
    )
    return max((o for o in node.operands if not isinstance(o, Const)), key=wait, default=node.operands[0])
