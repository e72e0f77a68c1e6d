"""The parts of a program whose passes a stage shows: what is before a loop, its body and what is after it, or all."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from capax.compiler.analysis.analysis import Analysis
from capax.compiler.compiled import Passes
from capax.compiler.layer_schedule import LayerSchedule
from capax.compiler.layout.network import Network
from capax.compiler.layout.slots import HeadSublayer, SlotLayout
from capax.compiler.looped.plan_parts import PlannedPart
from capax.compiler.rounding.rounding_check import RoundingBounds
from capax.rasp.ir.nodes import Node, SOpNode


@dataclass(frozen=True, slots=True, eq=False)
class StagePart:
    """What the passes gave for a part of a program; `title` says which part it is, and is empty for a whole program.

    `model_layers` has the layer of the model for each block that the layout numbers, and for block 0 where the part has
    none the layer that comes before the part; layer 0 is before the first.
    """

    name: str
    title: str
    roots: tuple[SOpNode, ...]
    analysis: Analysis
    rounding: RoundingBounds
    schedule: LayerSchedule
    titles: Mapping[Node, str]
    network: Network
    layout: SlotLayout
    model_layers: Mapping[int, int]

    @property
    def tag(self) -> dict[str, str]:
        """What an item of the JSON begins with: the part that it belongs to, in a program with a loop."""
        return {"part": self.name} if self.name else {}

    @property
    def attention_blocks(self) -> list[int]:
        """The block of each attention layer of the schedule; the first item stands for what comes before them."""
        pairs = zip(self.layout.blocks, self.layout.sublayers, strict=True)
        return [0, *(block for block, sublayer in pairs if isinstance(sublayer, HeadSublayer))]

    @property
    def depth(self) -> int:
        """The number of attention layers: none in a part that a loop does not need, whatever its schedule says."""
        return len(self.attention_blocks) - 1

    @property
    def attention_layers(self) -> list[int]:
        """The layer of the model that each attention layer of the schedule is; the first item is that of MLP 0."""
        return [self.model_layers[block] for block in self.attention_blocks]


def parts_of(passes: Passes) -> tuple[StagePart, ...]:
    """The parts of a program: one, or three if it has a loop."""
    if passes.loop is None:
        blocks = {block: block for block in (0, *passes.layout.blocks)}
        whole = (passes.analysis, passes.rounding, passes.schedule, passes.titles, passes.network, passes.layout)
        return (StagePart("", "", (passes.spec.root,), *whole, blocks),)
    planned, layouts, rounds = passes.loop.planned, passes.loop.layout.parts, passes.loop.spec.rounds
    prelude = _numbered(layouts[0], 0, before=True)
    start = max(prelude.values())
    body = _numbered(layouts[1], start)
    stop = max(start + 1, *body.values())  # a round that changes nothing is a layer, too
    which = f"layer {stop}" if stop == start + 1 else f"layers {start + 1} to {stop}"
    loop = f"the loop: {which}, {rounds} {'round' if rounds == 1 else 'rounds'}"
    return (
        _part("prelude", "before the loop", planned.prelude, layouts[0], prelude),
        _part("body", loop, planned.body, layouts[1], body),
        _part("coda", "after the loop", planned.coda, layouts[2], _numbered(layouts[2], stop)),
    )


def _numbered(layout: SlotLayout, last: int, *, before: bool = False) -> dict[int, int]:
    """The layer of the model for each block of a part, after `last`; an MLP `before` the first layer is layer 0."""
    blocks = sorted(set(layout.blocks))
    first = last if before and blocks[:1] == [0] else last + 1
    return {0: last} | {block: first + number for number, block in enumerate(blocks)}


def _part(name: str, title: str, plan: PlannedPart, layout: SlotLayout, layers: Mapping[int, int]) -> StagePart:
    passes = (plan.analysis, plan.rounding, plan.schedule, plan.titles, plan.network, layout)
    return StagePart(name, title, plan.roots, *passes, layers)


def sections(parts: Iterable[StagePart], lines: Callable[[StagePart], Iterable[str]]) -> str:
    """The lines of every part, below the title of the part if it has one."""
    texts: list[str] = []
    for part in parts:
        if part.title:
            texts.append(f"-- {part.title}")
        texts += lines(part)
    return "\n".join(texts)
