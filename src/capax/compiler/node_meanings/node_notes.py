"""What each head and MLP of a compiled model is for, in whole sentences of the program; nothing is cut short."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from capax.model.interpretability.circuit import note_of, results_of
from capax.model.interpretability.graph import head_name, mlp_name
from capax.model.model import Model
from capax.rasp.ir.describe import FULL, WHOLE, describe
from capax.rasp.ir.nodes import Aggregate, Node, SelectorNode, Width

if TYPE_CHECKING:
    from capax.compiler.layout.network import Network

HeadNodes = Sequence[Sequence[Sequence[Node]]]
"""For each layer with heads, and each head in it, the nodes that the head computes."""
DEEP: Final = 2
"""How often what is named in a note is told in turn."""


def planned_nodes(network: "Network") -> HeadNodes:
    """The nodes that the heads of a planned network compute."""
    layers = sorted({head.layer for head in network.heads})
    return [[head.computes for head in network.heads if head.layer == layer] for layer in layers]


def node_notes(titles: Mapping[Node, str], heads: HeadNodes, model: Model) -> dict[str, str]:
    """For each head and MLP of the plain form of a compiled model, what it does; `titles` are the names of nodes."""
    notes = {}
    with_heads = [number for number, block in enumerate(model.blocks) if block.heads]
    for number, layer in zip(with_heads, heads, strict=True):
        for index, nodes in enumerate(layer):
            texts = dict.fromkeys(_whole(titles, node) for node in nodes)
            notes[head_name(number, index)] = "; ".join(texts) or note_of(model, head_name(number, index))
    planned = {node for layer in heads for nodes in layer for node in nodes}
    return notes | _mlp_notes(titles, planned, model)


def _mlp_notes(titles: Mapping[Node, str], planned: Collection[Node], model: Model) -> dict[str, str]:
    """What MLPs compute: nodes whole, other directions by their names; what heads compute has notes there."""
    notes = {}
    named = {title: one for one, title in titles.items()}
    mlps = {mlp_name(number): results_of(model, mlp_name(number)) for number in range(len(model.blocks))}
    told = {*planned} | {named[name] for computed, _ in mlps.values() for name in computed if name in named}
    for mlp, (computed, others) in mlps.items():
        texts = [_result(titles, named[name]) for name in computed if name in named]
        left = [name for name in computed if name not in named]
        texts += [f"computes {_derived(titles, left, told)}"] if left else []
        notes[mlp] = "; ".join([*texts, *others]) or note_of(model, mlp)
    return notes


def _derived(titles: Mapping[Node, str], names: Sequence[str], told: Collection[Node]) -> str:
    """Directions that are no node themselves, with what is named in them, and in turn in that, and told in no note."""
    codes = (f"{'another' if number else 'the'} code of {of}" for of, number in map(_code_of, names) if of)
    text = ", ".join([*(name for name in names if not _code_of(name)[0]), *codes])
    parts: dict[Node, str] = {}
    for _ in range(DEEP):
        known = " ".join([text, *parts.values()])
        for node, title in titles.items():
            if node not in told and node not in parts and re.search(rf"(?<![\w.]){re.escape(title)}(?![\w.(])", known):
                whole = describe(node, _without(titles, node), WHOLE)
                if whole != title:  # tokens and indices are what they are
                    parts[node] = f"{title} = {whole}"
    return f"{text}, where {', '.join(parts.values())}" if parts else text


def _code_of(name: str) -> tuple[str, str]:
    """What a direction is a code of, and which one of several; nothing if it is none."""
    of, code, number = name.rpartition(":code")
    return (of, number) if code and (not number or re.fullmatch(r"#\d+", number)) else ("", "")


def _result(titles: Mapping[Node, str], node: Node) -> str:
    """A node that an MLP computes; what heads have averaged or counted, it only completes."""
    by_heads = isinstance(node, Aggregate | Width)
    return f"computes {titles[node]} from what heads write" if by_heads else _whole(titles, node)


def _whole(titles: Mapping[Node, str], node: Node) -> str:
    """A node by its name and its whole expression."""
    own, others = titles.get(node), {other: name for other, name in titles.items() if other is not node}
    kind = "averages" if isinstance(node, Aggregate) else "counts" if isinstance(node, Width) else "computes"
    text = describe(node, others, WHOLE)
    parts = [f"{others[part]} = {describe(part, _without(others, part), WHOLE)}" for part in _named(node, others)]
    where = f", where {', '.join(parts)}" if parts else ""
    return f"{kind} {text if own is None else f'{own} = {text}'}{where}"


def _without(names: Mapping[Node, str], node: Node) -> dict[Node, str]:
    return {other: name for other, name in names.items() if other is not node}


def _named(node: Node, names: Mapping[Node, str]) -> list[Node]:
    """The named selectors below a node, each once, from the outside in; s-ops have notes of their own."""
    parts: list[Node] = []
    queue = list(node.operands)
    while queue:
        part = queue.pop(0)
        if isinstance(part, SelectorNode):
            if part in names and part is not FULL and part not in parts:
                parts.append(part)
            queue += part.operands
    return parts
