"""The stages that are about the network: the layer of every node, heads, MLPs, and the slots of the residual stream.

Layers are those of the model, from 1, as in certificates and `capax explain`; layer 0 is before the first. Where an
MLP is spread over several layers, the attention layers of the program are not next to each other.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from capax.compiler.compiled import Passes
from capax.compiler.encode.signals import Direction, SignalSum
from capax.compiler.layout.layered_mlp import LayeredMlp
from capax.compiler.layout.network import PlannedHead
from capax.compiler.layout.slots import HeadSublayer, Sublayer, written
from capax.compiler.stages.stage_lines import counted, defined, defined_json, quoted, wrapped
from capax.rasp.ir.nodes import SOpNode


def attention_layers(passes: Passes) -> list[int]:
    """The layer of the model that each attention layer of the schedule is; the first item stands for layer 0."""
    layout = passes.layout
    pairs = zip(layout.blocks, layout.sublayers, strict=True)
    return [0, *(block for block, sublayer in pairs if isinstance(sublayer, HeadSublayer))]


def _layer_text(layer: int) -> str:
    return f"layer {layer}" if layer else "before layer 1"


@dataclass(frozen=True, slots=True, eq=False)
class ScheduleStage:
    """The layer of every s-op that is encoded in the residual stream."""

    passes: Passes

    def to_json(self) -> dict[str, Any]:
        """The layers with their nodes."""
        layers = [
            {"layer": layer, "nodes": [defined_json(self.passes, node) for node in nodes]}
            for layer, nodes in self._layers()
        ]
        return {"attention_layers": self.passes.schedule.depth, "layers": layers}

    def render(self) -> str:
        """The nodes, below their layers."""
        layers = attention_layers(self.passes)
        lines = [counted(self.passes.schedule.depth, "attention layer")]
        if layers != list(range(len(layers))):
            lines[0] += f", layers {', '.join(map(str, layers[1:]))} of the model; MLPs take the others"
        for layer, nodes in self._layers():
            lines += [_layer_text(layer), *(f"  {defined(self.passes, node)}" for node in nodes)]
        return "\n".join(lines)

    def _layers(self) -> list[tuple[int, list[SOpNode]]]:
        schedule, layers = self.passes.schedule, attention_layers(self.passes)
        return [(layers[at], list(n)) for at, n in groupby(schedule.encoded, key=lambda n: schedule.layers[n])]


@dataclass(frozen=True, slots=True, eq=False)
class HeadsStage:
    """The heads: what each is for, its mask, its score as products of sums, and what it writes."""

    passes: Passes

    def to_json(self) -> dict[str, Any]:
        """The heads, numbered in each layer."""
        return {"heads": [{"layer": layer, "head": number} | _head_json(h) for layer, number, h in self._numbered()]}

    def render(self) -> str:
        """A paragraph for each head."""
        lines = [line for layer, number, head in self._numbered() for line in _head(layer, number, head)]
        return "\n".join(lines or ["no heads"])

    def _numbered(self) -> list[tuple[int, int, PlannedHead]]:
        layers, heads = attention_layers(self.passes), self.passes.network.heads
        return [
            (layers[at], number, head)
            for at in range(1, len(layers))
            for number, head in enumerate((h for h in heads if h.layer == at), 1)
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

    passes: Passes

    def to_json(self) -> dict[str, Any]:
        """The MLPs with the layers that they are spread over."""
        mlps = [
            {"layers": layers, "hidden": _hidden(mlp), "reads": _names(mlp.read()), "writes": _names(mlp.writes)}
            for layers, mlp in self._mlps()
        ]
        return {"mlps": mlps}

    def render(self) -> str:
        """A paragraph for each MLP."""
        lines: list[str] = []
        for layers, mlp in self._mlps():
            where = f"layers {layers[0]} to {layers[-1]}" if len(layers) > 1 else _layer_text(layers[0])
            lines.append(f"{where}: hidden units {', '.join(map(str, _hidden(mlp)))}")
            lines.append(wrapped("  reads  ", map(quoted, _names(mlp.read()))) if mlp.read() else "  reads  nothing")
            lines.append(wrapped("  writes ", map(quoted, _names(mlp.writes))))
        return "\n".join(lines or ["no MLPs"])

    def _mlps(self) -> list[tuple[list[int], LayeredMlp]]:
        last = max(self.passes.layout.blocks, default=0)
        starts = [*attention_layers(self.passes), last + 1]
        mlps = self.passes.network.mlps
        return [(list(range(starts[at], max(starts[at + 1], starts[at] + 1))), mlps[at]) for at in sorted(mlps)]


def _hidden(mlp: LayeredMlp) -> list[int]:
    return [len(stage) for stage in mlp.units]


def _names(directions: Iterable[Direction]) -> list[str]:
    return sorted(direction.name for direction in directions)


@dataclass(frozen=True, slots=True, eq=False)
class LayoutStage:
    """The slots of the residual stream, and which of them every sublayer reads and writes."""

    passes: Passes

    def to_json(self) -> dict[str, Any]:
        """The slots, and the sublayers in order."""
        layout = self.passes.layout
        sublayers = [
            {"layer": layer} | _sublayer_json(sublayer) | self._slots_json(sublayer)
            for layer, sublayer in zip(layout.blocks, layout.sublayers, strict=True)
        ]
        return {"width": layout.width, "slots": self._occupants(), "sublayers": sublayers}

    def render(self) -> str:
        """The slots, and a paragraph for each sublayer."""
        layout = self.passes.layout
        lines = [f"width {layout.width}", *(f"  slot {slot}: {name}" for slot, name in enumerate(layout.names))]
        for layer, sublayer in zip(layout.blocks, layout.sublayers, strict=True):
            lines.append(f"{_layer_text(layer)}, {_sublayer(sublayer)}")
            lines += [self._slots("reads ", sublayer.read()), self._slots("writes", written(sublayer))]
        return "\n".join(lines)

    def _occupants(self) -> list[list[str]]:
        """What each slot holds, in turn."""
        layout = self.passes.layout
        return [[d.name for d, at in layout.slots.items() if at == slot] for slot in range(len(layout.names))]

    def _numbered(self, directions: Iterable[Direction]) -> list[tuple[int, str]]:
        return sorted({(self.passes.layout.slots[direction], direction.name) for direction in directions})

    def _slots(self, verb: str, directions: Iterable[Direction]) -> str:
        """Directions with their slots, as in `indices @ 1`."""
        items = [f"{quoted(name)} @ {slot}" for slot, name in self._numbered(directions)]
        return wrapped(f"  {verb} ", items or ["no slot"])

    def _slots_json(self, sublayer: Sublayer) -> dict[str, Any]:
        directions = {"reads": sublayer.read(), "writes": written(sublayer)}
        return {
            verb: [{"slot": slot, "name": name} for slot, name in self._numbered(which)]
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
