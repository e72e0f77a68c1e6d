"""Pass: a slot for every direction of the three networks of a loop, and the weights of the model.

States and what the embedding writes have slots of their own, which no other direction takes. What the heads and MLPs
write on the way is temporary: the last MLP before the loop, and the last of its body, take it away again. So the stream
has the same form before every round, and the parts may use the same slots for what is temporary.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from capax.compiler.domain import Domain
from capax.compiler.encode.signals import Direction
from capax.compiler.layout.assemble import assembled_in, head_of
from capax.compiler.layout.layered_mlp import LayeredMlp, map_of, mlp_of, with_cleared
from capax.compiler.layout.network import check_parameters
from capax.compiler.layout.slots import HeadSublayer, SlotLayout, Sublayer, sublayers_of, written
from capax.compiler.looped.plan_parts import PlannedLoop, PlannedPart
from capax.model.loop import ModelLoop
from capax.model.model import REUSED, Model
from capax.model.parts import AnyHead, Array, Block, Mlp, Readout
from capax.model.positions import Positions
from capax.model.provenance import HeadClaim, Provenance, StateClaim
from capax.model.vocabulary import Vocabulary
from capax.rasp.ir.graph import topological


@dataclass(frozen=True, slots=True, eq=False)
class LoopLayout:
    """The slot of every direction, the names of the slots, and the sublayers of each part, which clear what they must.

    `columns` has the slot of each column that the embedding or the positions write.
    """

    slots: Mapping[Direction, int]
    names: tuple[str, ...]
    states: tuple[int, ...]
    columns: Mapping[int, str | tuple[str, tuple[float, ...]]]
    parts: tuple[SlotLayout, SlotLayout, SlotLayout]


def lay_out_loop(loop: PlannedLoop) -> LoopLayout:
    """A slot for every direction of the three networks."""
    names: list[str] = []
    slots: dict[Direction, int] = {}
    columns: dict[int, str | tuple[str, tuple[float, ...]]] = {}
    parts = [_LoopPart(part) for part in (loop.prelude, loop.body, loop.coda)]
    shared: dict[object, int] = {}
    for part in parts:
        for direction, column in part.columns():
            if column not in shared:
                shared[column] = len(names)
                columns[len(names)] = column
                names.append(direction.name)
            slots[direction] = shared[column]
    states = tuple(range(len(names), len(names) + len(loop.codes)))
    names += [code.state.name for code in loop.codes]
    for part in parts:
        for direction, number in (*part.plan.reads.items(), *part.plan.sets.items()):
            slots[direction] = states[number]
    temporary: list[list[str]] = []
    for part in parts:
        for number, direction in enumerate(part.temporary()):
            if number == len(temporary):
                temporary.append([])
            temporary[number].append(direction.name)
            slots[direction] = len(names) + number
    names += [REUSED.join(each) for each in temporary]
    layouts = tuple(
        SlotLayout(slots, tuple(names), tuple(part.cleared(last=part is parts[2])), tuple(part.blocks))
        for part in parts
    )
    return LoopLayout(slots, tuple(names), states, columns, layouts)  # type: ignore[arg-type]


class _LoopPart:
    """The sublayers of a part, with the block of each."""

    def __init__(self, plan: PlannedPart) -> None:
        self.plan = plan
        self.sublayers, self.blocks = sublayers_of(plan.network)
        if not plan.network.readout.logits and not any(d in plan.sets for s in self.sublayers for d in written(s)):
            self.sublayers, self.blocks = [], []  # the embedding sets all states, or no round changes one

    def columns(self) -> list[tuple[Direction, str | tuple[str, tuple[float, ...]]]]:
        """The directions that the embedding and the positions write and something reads, and what they hold."""
        network = self.plan.network
        read = {d for s in network.readout.logits for d in s.directions()}
        for sublayer in self.sublayers:
            read |= sublayer.read()
        tokens = [(d, ("token", v)) for d, v in network.by_token.items() if d in read]
        positions = [
            (d, v if isinstance(v, str) else ("position", v)) for d, v in network.by_position.items() if d in read
        ]
        return [*tokens, *positions]

    def temporary(self) -> list[Direction]:
        """What is written on the way, states aside."""
        return [d for sublayer in self.sublayers for d in written(sublayer) if d not in self.plan.sets]

    def cleared(self, *, last: bool) -> list[Sublayer]:
        """The sublayers, the last of which takes away what is temporary and the old codes of states that are set."""
        if last or not self.sublayers:
            return self.sublayers
        *before, final = self.sublayers
        assert isinstance(final, LayeredMlp), "the states are set by an MLP"
        old = [d for d, number in self.plan.reads.items() if number in self.plan.sets.values()]
        gone = [d for sublayer in before for d in written(sublayer)]
        assert set(final.writes) <= set(self.plan.sets), "the last MLP of a part writes states alone"
        return [*before, with_cleared(final, [*old, *gone])]


def assemble_loop(loop: PlannedLoop, layout: LoopLayout, domain: Domain, shift: int | None) -> Model:
    """The model of a loop, with the states and what its heads compute on record."""
    numbers, width = assembled_in(domain), len(layout.names)
    blocks: list[Block] = []
    claims: list[tuple[HeadClaim, ...]] = []
    input_mlp: Mlp | None = None
    ends: list[int] = []
    for part, laid_out in zip((loop.prelude, loop.body, loop.coda), layout.parts, strict=True):
        assembled = _blocks(part, laid_out, width, numbers)
        if part is loop.prelude and assembled and not assembled[0].heads:
            input_mlp = assembled.pop(0).mlp
        if part is loop.body and not assembled:
            assembled = [_AssembledBlock()]  # a round that changes nothing
        blocks += [each.block(width, numbers) for each in assembled]
        claims += [each.claims for each in assembled]
        ends.append(len(blocks))
    readout = loop.coda.network.readout
    model = Model(
        vocabulary=Vocabulary(domain.alphabet),
        embedding=_embedding(loop, layout, domain, width, numbers),
        positions=_positions(loop, layout, domain, width, numbers),
        input_mlp=input_mlp,
        blocks=tuple(blocks),
        readout=Readout(map_of(readout.logits, layout.slots, width, numbers)),
        decoding=readout.decoding,
        names=layout.names,
        numbers=numbers,
        max_length=domain.max_length,
        loop=ModelLoop(ends[0], ends[1], loop.spec.rounds),
        provenance=Provenance(heads=tuple(claims), shift=shift, loop=_states(loop, layout)),
    )
    check_parameters(model.size.parameters, domain)
    return model if domain.dtype == numbers else model.to(domain.dtype)


@dataclass(slots=True, eq=False)
class _AssembledBlock:
    heads: tuple[AnyHead, ...] = ()
    claims: tuple[HeadClaim, ...] = ()
    mlp: Mlp | None = None

    def block(self, width: int, numbers: str) -> Block:
        return Block(self.heads, np.zeros(width, numbers), self.mlp)


def _blocks(part: PlannedPart, layout: SlotLayout, width: int, numbers: str) -> list[_AssembledBlock]:
    """The blocks of a part; an MLP before its first attention is a block without heads."""
    numbering = {node: number for number, node in enumerate(topological(*part.roots))}
    blocks: dict[int, _AssembledBlock] = {}
    for number, sublayer in zip(layout.blocks, layout.sublayers, strict=True):
        block = blocks.setdefault(number, _AssembledBlock())
        if isinstance(sublayer, HeadSublayer):
            block.heads = tuple(head_of(h, layout.slots, width, numbers) for h in sublayer.heads)
            block.claims = tuple(
                HeadClaim(tuple(numbering[n] for n in h.computes), h.part, h.keys) for h in sublayer.heads
            )
        else:
            block.mlp = mlp_of(sublayer, layout.slots, width, numbers)
    return [blocks[number] for number in sorted(blocks)]


def _state_columns(loop: PlannedLoop) -> list[tuple[Direction, str, Sequence[float]]]:
    """The states that the embedding or the positions write, and what they write."""
    network = loop.prelude.network
    tokens = [(d, "token", v) for d, v in network.by_token.items() if d in loop.prelude.sets]
    positions = [(d, "position", v) for d, v in network.by_position.items() if d in loop.prelude.sets]
    return [*tokens, *positions]  # type: ignore[list-item]


def _embedding(loop: PlannedLoop, layout: LoopLayout, domain: Domain, width: int, numbers: str) -> Array:
    embedding: Array = np.zeros((len(domain.alphabet), width), numbers)
    for slot, column in layout.columns.items():
        if isinstance(column, tuple) and column[0] == "token":
            embedding[:, slot] = column[1]
    for direction, kind, values in _state_columns(loop):
        if kind == "token":
            embedding[:, layout.slots[direction]] = values
    return embedding


def _positions(loop: PlannedLoop, layout: LoopLayout, domain: Domain, width: int, numbers: str) -> Positions:
    functions = {slot: column for slot, column in layout.columns.items() if isinstance(column, str)}
    weight: Array = np.zeros((len(functions), width), numbers)
    for row, slot in enumerate(functions):
        weight[row, slot] = 1
    tables = {
        s: column[1] for s, column in layout.columns.items() if isinstance(column, tuple) and column[0] == "position"
    }
    tables |= {layout.slots[d]: tuple(values) for d, kind, values in _state_columns(loop) if kind == "position"}
    table: Array | None = np.zeros((domain.max_length, width), numbers) if tables else None
    for slot, values in tables.items():
        assert table is not None
        table[:, slot] = values
    return Positions(tuple(functions.values()), weight, table)


def _states(loop: PlannedLoop, layout: LoopLayout) -> tuple[StateClaim, ...]:
    return tuple(
        StateClaim(code.state.name, slot, code.state.values, tuple(code.codes[v] for v in code.state.values))
        for code, slot in zip(loop.codes, layout.states, strict=True)
    )
