"""What each head and MLP of a compiled model is for, in whole sentences of the program; nothing is cut short."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from capax.model.interpretability.circuit import note_of, written_by
from capax.model.interpretability.graph import head_name, mlp_name
from capax.model.model import Model
from capax.rasp.ir.describe import describe
from capax.rasp.ir.nodes import Aggregate, Node, SelectorNode, Width

if TYPE_CHECKING:
    from capax.compiler.compiled import Passes
    from capax.compiler.layout.network import PlannedHead

WHOLE: Final = 1_000_000
"""No expression is longer."""


def node_notes(passes: "Passes", model: Model) -> dict[str, str]:
    """For each head and MLP of the plain form of a compiled model, what it does."""
    notes = {}
    layers = sorted({head.layer for head in passes.network.heads})
    with_heads = [number for number, block in enumerate(model.blocks) if block.heads]
    for layer, number in zip(layers, with_heads, strict=True):
        planned = [head for head in passes.network.heads if head.layer == layer]
        for index, head in enumerate(planned):
            notes[head_name(number, index)] = _head_note(passes.titles, head)
    for number in range(len(model.blocks)):
        notes[mlp_name(number)] = note_of(model, mlp_name(number))
    return notes


def node_labels(model: Model, node: str) -> tuple[str, ...]:
    """The names of the directions that a node writes, without those that only serve other heads."""
    return tuple(name for name in written_by(model, node) if not name.startswith("is <"))


def _head_note(titles: Mapping[Node, str], head: "PlannedHead") -> str:
    """What a head computes, with the expressions behind the names."""
    texts = dict.fromkeys(_whole(titles, node) for node in head.computes)
    return "; ".join(texts) or head.origin.what


def _whole(titles: Mapping[Node, str], node: Node) -> str:
    """A node by its name and its whole expression."""
    own, others = titles.get(node), {other: name for other, name in titles.items() if other is not node}
    kind = "averages" if isinstance(node, Aggregate) else "counts" if isinstance(node, Width) else "computes"
    text = describe(node, others, WHOLE)
    if own is None:
        return f"{kind} {text}"
    parts = [f"{others[part]} = {describe(part, _without(others, part), WHOLE)}" for part in _named(node, others)]
    where = f", where {', '.join(parts)}" if parts else ""
    return f"{kind} {own} = {text}{where}"


def _without(names: Mapping[Node, str], node: Node) -> dict[Node, str]:
    return {other: name for other, name in names.items() if other is not node}


def _named(node: Node, names: Mapping[Node, str]) -> list[Node]:
    """The named selectors below a node, each once, from the outside in; s-ops have notes of their own."""
    parts: list[Node] = []
    queue = list(node.operands)
    while queue:
        part = queue.pop(0)
        if isinstance(part, SelectorNode):
            if part in names and part not in parts:
                parts.append(part)
            queue += part.operands
    return parts
