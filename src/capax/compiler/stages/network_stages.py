"""The stages that are about the network: the layer of every node, heads, MLPs, and the slots of the residual stream.

Layers are those of the model, from 1, as in certificates and `capax explain`; layer 0 is before the first. Where an
MLP is spread over several layers, the attention layers of the program are not next to each other.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from capax.compiler.encode.signals import Direction, SignalSum
from capax.compiler.layout.layered_mlp import LayeredMlp
from capax.compiler.layout.network import PlannedHead
from capax.compiler.layout.slots import HeadSublayer, SlotLayout, Sublayer, written
from capax.compiler.stages.stage_lines import counted, defined, defined_json, quoted, wrapped
from capax.compiler.stages.stage_parts import StagePart, sections
from capax.rasp.ir.nodes import SOpNode


def _layer_text(layer: int) -> str:
    return f"layer {layer}" if layer else "before layer 1"


@dataclass(frozen=True, slots=True, eq=False)
class ScheduleStage:
    """The layer of every s-op that is encoded in the residual stream."""

    parts: tuple[StagePart, ...]

    def to_json(self) -> dict[str, Any]:
        """The layers with their nodes."""
        layers = [
            part.tag | {"layer": layer, "nodes": [defined_json(part.titles, node) for node in nodes]}
            for part in self.parts
            for layer, nodes in _scheduled(part)
        ]
        return {"attention_layers": sum(part.depth for part in self.parts), "layers": layers}

    def render(self) -> str:
        """The nodes, below their layers."""
        return sections(self.parts, _schedule_lines)


def _schedule_lines(part: StagePart) -> list[str]:
    layers = part.attention_layers[1:]
    lines = [counted(part.depth, "attention layer")]
    if not part.title and layers != list(range(1, len(layers) + 1)):
        lines[0] += f", layers {', '.join(map(str, layers))} of the model; MLPs take the others"
    for layer, nodes in _scheduled(part):
        lines += [_layer_text(layer), *(f"  {defined(part.titles, node)}" for node in nodes)]
    return lines


def _scheduled(part: StagePart) -> list[tuple[int, list[SOpNode]]]:
    """The nodes that are encoded in each layer of the model."""
    layers, at = part.attention_layers, part.schedule.layers
    encoded = (node for node in part.schedule.encoded if at[node] <= part.depth)
    return [(layers[number], list(nodes)) for number, nodes in groupby(encoded, key=at.__getitem__)]


@dataclass(frozen=True, slots=True, eq=False)
class HeadsStage:
    """The heads: what each is for, its mask, its score as products of sums, and what it writes."""

    parts: tuple[StagePart, ...]

    def to_json(self) -> dict[str, Any]:
        """The heads, numbered in each layer."""
        heads = [
            part.tag | {"layer": layer, "head": number} | _head_json(head)
            for part in self.parts
            for layer, number, head in _numbered_heads(part)
        ]
        return {"heads": heads}

    def render(self) -> str:
        """A paragraph for each head."""
        return sections(self.parts, _heads_lines)


def _heads_lines(part: StagePart) -> list[str]:
    lines = [line for layer, number, head in _numbered_heads(part) for line in _head(layer, number, head)]
    return lines or ["no heads"]


def _numbered_heads(part: StagePart) -> list[tuple[int, int, PlannedHead]]:
    """The heads with their layers and their numbers in the layers."""
    layers = part.attention_layers
    return [
        (layers[at], number, head)
        for at in range(1, len(layers))
        for number, head in enumerate((h for h in part.network.heads if h.layer == at), 1)
    ]


def _head(layer: int, number: int, head: PlannedHead) -> list[str]:
    lines = [f"layer {layer}, head {number}: {head.origin.what}"]
    lines += [f"  mask   {head.mask}"] if head.mask != "none" else []
    lines += ["  order  3: query * first key * second key"] if head.order == 3 else []
    lines += [f"  score  {' * '.join(f'[{_sum(factor)}]' for factor in factors)}" for factors in head.pairs]
    lines += ["  score  0, the same for all keys"] if not head.pairs else []
    if head.defaults:
        scores = ", ".join(f"{s:g}" for s in head.sink) or "none"
        lines.append(f"  sink   key {scores}; value {', '.join(f'{d:g}' for d in head.defaults)}")
    for value, output in zip(head.values, head.outputs, strict=True):
        keys = "keys" if head.order == 2 else "pairs"
        how = f"1 / (1 + count): {keys} give 0 and the sink 1" if _counts(head) else f"mean of {_sum(value)}"
        lines.append(f"  writes {quoted(output.name)} = {how}")
    return lines


def _counts(head: PlannedHead) -> bool:
    """Whether a head counts the selected keys: they give 0, and the sink gives 1."""
    return head.defaults == (1.0,) and _sum(head.values[0]) == "0"


_SIDES = {2: ("query", "key"), 3: ("query", "first_key", "second_key")}


def _head_json(head: PlannedHead) -> dict[str, Any]:
    writes = [
        {"name": output.name, "value": _sum_json(value)}
        for value, output in zip(head.values, head.outputs, strict=True)
    ]
    return {
        "what": head.origin.what,
        "mask": head.mask,
        "order": head.order,
        "score": [dict(zip(_SIDES[head.order], map(_sum_json, factors), strict=True)) for factors in head.pairs],
        "scale": head.scale,
        "sink": {"keys": list(head.sink), "values": list(head.defaults)} if head.defaults else None,
        "writes": writes,
    }


def _sum(value: SignalSum) -> str:
    terms = [f"{_factor(c)}{quoted(signal.name)}" for signal, c in value.terms.items()]
    terms += [f"{value.constant:g}"] if value.constant or not terms else []
    return " + ".join(terms).replace("+ -", "- ")


def _factor(coefficient: float) -> str:
    return {1.0: "", -1.0: "-"}.get(coefficient, f"{coefficient:g} ")


def _sum_json(value: SignalSum) -> dict[str, Any]:
    return {"terms": {signal.name: c for signal, c in value.terms.items()}, "constant": value.constant}


@dataclass(frozen=True, slots=True, eq=False)
class MlpsStage:
    """The MLPs: their hidden layers, and the signals that they read and write."""

    parts: tuple[StagePart, ...]

    def to_json(self) -> dict[str, Any]:
        """The MLPs with the layers that they are spread over."""
        mlps = [
            part.tag
            | {"layers": layers, "hidden": _hidden(mlp), "reads": _names(mlp.read()), "writes": _names(mlp.writes)}
            for part in self.parts
            for layers, mlp in _mlps(part)
        ]
        return {"mlps": mlps}

    def render(self) -> str:
        """A paragraph for each MLP."""
        return sections(self.parts, _mlps_lines)


def _mlps_lines(part: StagePart) -> list[str]:
    lines: list[str] = []
    for layers, mlp in _mlps(part):
        where = f"layers {layers[0]} to {layers[-1]}" if len(layers) > 1 else _layer_text(layers[0])
        lines.append(f"{where}: hidden units {', '.join(map(str, _hidden(mlp)))}")
        lines.append(wrapped("  reads  ", map(quoted, _names(mlp.read()))) if mlp.read() else "  reads  nothing")
        lines.append(wrapped("  writes ", map(quoted, _names(mlp.writes))))
    return lines or ["no MLPs"]


def _mlps(part: StagePart) -> list[tuple[list[int], LayeredMlp]]:
    """The MLPs with the layers of the model that each is spread over."""
    blocks, mlps = set(part.layout.blocks), part.network.mlps
    starts = [*part.attention_blocks, max(blocks, default=0) + 1]
    if not blocks:
        return []  # nothing that these MLPs would compute is read
    spread = {at: range(starts[at], max(starts[at + 1], starts[at] + 1)) for at in sorted(mlps)}
    return [([part.model_layers[block] for block in spread[at]], mlps[at]) for at in spread]


def _hidden(mlp: LayeredMlp) -> list[int]:
    return [len(stage) for stage in mlp.units]


def _names(directions: Iterable[Direction]) -> list[str]:
    return sorted(direction.name for direction in directions)


@dataclass(frozen=True, slots=True, eq=False)
class LayoutStage:
    """The slots of the residual stream, and which of them every sublayer reads and writes."""

    parts: tuple[StagePart, ...]

    def to_json(self) -> dict[str, Any]:
        """The slots, and the sublayers in order."""
        sublayers = [
            part.tag | {"layer": layer} | _sublayer_json(sublayer) | _slots_json(part.layout, sublayer)
            for part in self.parts
            for layer, sublayer in _numbered_sublayers(part)
        ]
        layout = self.parts[0].layout
        return {"width": layout.width, "slots": self._occupants(), "sublayers": sublayers}

    def render(self) -> str:
        """The slots, and a paragraph for each sublayer."""
        layout = self.parts[0].layout
        slots = [f"  slot {slot}: {name}" for slot, name in enumerate(layout.names)]
        below = sections(self.parts, _layout_lines)
        return "\n".join([f"width {layout.width}", *slots, *([below] if below else [])])

    def _occupants(self) -> list[list[str]]:
        """What each slot holds, in turn."""
        layout = self.parts[0].layout
        names = [(at, direction.name) for direction, at in layout.slots.items()]
        return [list(dict.fromkeys(name for at, name in names if at == slot)) for slot in range(len(layout.names))]


def _layout_lines(part: StagePart) -> list[str]:
    lines: list[str] = []
    for layer, sublayer in _numbered_sublayers(part):
        lines.append(f"{_layer_text(layer)}, {_sublayer(sublayer)}")
        lines.append(_slots(part.layout, "reads ", sublayer.read()))
        lines.append(_slots(part.layout, "writes", written(sublayer)))
    return lines or (["no layers"] if part.title else [])


def _numbered_sublayers(part: StagePart) -> list[tuple[int, Sublayer]]:
    """The sublayers with their layers of the model."""
    pairs = zip(part.layout.blocks, part.layout.sublayers, strict=True)
    return [(part.model_layers[block], sublayer) for block, sublayer in pairs]


def _numbered(layout: SlotLayout, directions: Iterable[Direction]) -> list[tuple[int, str]]:
    return sorted({(layout.slots[direction], direction.name) for direction in directions})


def _slots(layout: SlotLayout, verb: str, directions: Iterable[Direction]) -> str:
    """Directions with their slots, as in `indices @ 1`."""
    items = [f"{quoted(name)} @ {slot}" for slot, name in _numbered(layout, directions)]
    return wrapped(f"  {verb} ", items or ["no slot"])


def _slots_json(layout: SlotLayout, sublayer: Sublayer) -> dict[str, Any]:
    directions = {"reads": sublayer.read(), "writes": written(sublayer)}
    return {
        verb: [{"slot": slot, "name": name} for slot, name in _numbered(layout, which)]
        for verb, which in directions.items()
    }


def _sublayer(sublayer: Sublayer) -> str:
    if isinstance(sublayer, HeadSublayer):
        return counted(len(sublayer.heads), "head")
    clears = f", which clears {counted(len(sublayer.clears), 'slot')} for reuse" if sublayer.clears else ""
    return f"MLP with {counted(sublayer.depth, 'hidden layer')}{clears}"


def _sublayer_json(sublayer: Sublayer) -> dict[str, Any]:
    if isinstance(sublayer, HeadSublayer):
        return {"kind": "attention", "heads": len(sublayer.heads)}
    return {"kind": "mlp", "hidden_layers": sublayer.depth, "clears": len(sublayer.clears)}
