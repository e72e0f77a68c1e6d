"""The same machine without a chain of thought: every position is a cell, and every layer is one step.

Two heads bring the cells on the left and on the right. A unit of the MLP for each state and symbol, for the cell
itself and for both neighbours, makes the next symbol, takes the head away where it was and puts it where it goes. So
T steps cost T layers of 2 heads, and a position for every cell that can be reached. No construction with a number of
layers that does not grow is to be hoped for: what transformers of constant depth and logarithmic precision decide
lies in TC0.
"""

from collections.abc import Sequence

from capax.formal.turing.machine import TuringMachine
from capax.model.model import Model
from capax.model.parts import Block, Mlp, Readout
from capax.model.vocabulary import Classes, Vocabulary
from capax.theorems.weights.stream import Stream, each

SIDES = {"left": -1.0, "right": 1.0}
"""Where the neighbours are."""


def unrolled(machine: TuringMachine, steps: int) -> Model:
    """An encoder with a layer for each step: from the cells of a tape to the cells after the steps (or the halt)."""
    states, symbols = machine.states, machine.symbols
    own = (*(f"state {q}" for q in states), *(f"symbol {g}" for g in symbols))
    seen = {side: tuple(f"{side} {name}" for name in own) for side in SIDES}
    stream = Stream(("i", "i^2", *own, *seen["left"], *seen["right"]))
    tokens = (*symbols, *(f"[{g}]" for g in symbols))
    rows = [{f"symbol {g}": 1.0} for g in symbols]
    rows += [{f"symbol {g}": 1.0, f"state {machine.start}": 1.0} for g in symbols]
    values = (*symbols, *(f"{q}:{g}" for q in states for g in symbols))
    answers = [{f"symbol {g}": 1.0, "": 0.5} for g in symbols]
    answers += [{f"symbol {g}": 1.0, f"state {q}": 1.0} for q in states for g in symbols]
    return Model(
        vocabulary=Vocabulary(tokens),
        embedding=stream.rows(rows),
        positions=stream.positions({"i": "i", "i^2": "i^2"}),
        blocks=tuple(_layer(machine, stream, own, seen) for _ in range(steps)),
        readout=Readout(stream.affine(answers)),
        decoding=Classes(values),
        names=stream.names,
        max_length=1_000_000,
    )


def _layer(machine: TuringMachine, stream: Stream, own: Sequence[str], seen: dict[str, tuple[str, ...]]) -> Block:
    heads = tuple(
        stream.head(
            query=[{"i": 2.0, "": 2.0 * where}, {"": -1.0}], key=[{"i": 1.0}, {"i^2": 1.0}],
            value=each(own), into=seen[side], attention="average-hard", name=f"the cell on the {side}",
        )
        for side, where in SIDES.items()
    )  # fmt: skip
    return stream.block(*heads, mlp=_step(machine, own, seen, stream))


def _step(machine: TuringMachine, own: Sequence[str], seen: dict[str, tuple[str, ...]], stream: Stream) -> Mlp:
    units: dict[str, dict[str, float]] = {}
    writes: dict[str, dict[str, float]] = {name: {} for name in (*own, *seen["left"], *seen["right"])}

    def add(name: str, unit: str, coefficient: float) -> None:
        writes[name][unit] = writes[name].get(unit, 0.0) + coefficient

    for (q, g), action in machine.rules.items():
        for side in ("", *SIDES):
            prefix = f"{side} " if side else ""
            unit = f"{prefix}{q}, {g}"
            units[unit] = {f"{prefix}state {q}": 1.0, f"{prefix}symbol {g}": 1.0, "": -1.0}
            arrives = action.move == -SIDES.get(side, 0.0)
            if not side:
                add(f"state {q}", unit, -1.0)
                add(f"symbol {g}", unit, -1.0)
                add(f"symbol {action.write}", unit, 1.0)
            if arrives:
                add(f"state {action.state}", unit, 1.0)
    for side in SIDES:
        for name in seen[side]:
            # What a neighbour lent is cleared for the next layer: it is 0 or 1, so that ReLU passes it.
            units[f"clear {name}"] = {name: 1.0}
            add(name, f"clear {name}", -1.0)
    return stream.mlp([units], writes)


def tape(machine: TuringMachine, word: Sequence[str], steps: int) -> list[str]:
    """The tokens that the encoder gets: the word with the head on its first cell, and room on both sides."""
    cells = list(word) or [machine.blank]
    room = [machine.blank] * (steps + 1)
    return [*room, f"[{cells[0]}]", *cells[1:], *room]
