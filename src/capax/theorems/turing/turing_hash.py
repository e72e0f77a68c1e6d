"""A Turing machine is a decoder without positions.

Statement: for every Turing machine with one tape there is a decoder with two attention layers of one head each, layer
norms and no position encoding that generates the machine's actions one by one.
Idea: a layer norm of (h / (i + 1), 1 / (i + 1), ...) depends on the cell h alone, so equal cells have equal vectors
wherever they stand.
Cite: Merrill and Sabharwal (2024), The Expressive Power of Transformers with Chain of Thought, where the hash is from.
Scope: the paper's norms may look at a part of the stream. Those here look at all of it, and the part is made so large
that nothing else counts. Rounding leaves far fewer cells than with positions: about 145 cells and positions in float64
and 5 in float32, depending on the width; fewer cells allow for more positions. Beyond them a decoder refuses.
"""

from dataclasses import dataclass

from capax.auditor.model_proof import ModelProof
from capax.model.model import Model
from capax.report import Report
from capax.theorems.base.theorem import SizeRow, like, parameter, theorem_in
from capax.theorems.turing.parts.decoder_limits import DIGITS, limits
from capax.theorems.turing.parts.examples import MACHINE, SEED, STATES, SYMBOLS, machine_of, words_of
from capax.theorems.turing.parts.follow import agreement, follow, proved_steps
from capax.theorems.turing.parts.hash import hash_decoder, hash_limits, unchecked


@dataclass(frozen=True, slots=True)
class TuringHashParameters:
    """The parameters of the theorem."""

    machine: str = like(MACHINE)
    steps: int = parameter(110, "the most steps of the check", 1, 100_000)
    cells: int = parameter(30, "the cells on each side that the decoder tells apart", 1, 10_000)
    dtype: str = parameter("float64", "the number system", choices=("float64", "float32"))
    states: int = like(STATES)
    symbols: int = like(SYMBOLS)
    seed: int = like(SEED)


def construct(at: TuringHashParameters) -> Model:
    """The decoder of the machine."""
    machine = machine_of(at.machine, at.states, at.symbols, at.seed)
    longest = max(map(len, words_of(at.machine, machine, at.seed)))
    return hash_decoder(machine, numbers=at.dtype, cells=at.cells, positions=at.steps + longest + 2)


def verify(model: Model, at: TuringHashParameters) -> Report:
    """Whether a model takes every step of the machine."""
    machine = machine_of(at.machine, at.states, at.symbols, at.seed)
    words = words_of(at.machine, machine, at.seed)
    statement = (
        f"the decoder without positions generates the actions of {at.machine}, up to {at.steps:,} of them and its halt"
    )
    return agreement(model, machine, words, at.steps, statement, at.seed if len(words) > 1 else None)


def prove(model: Model, at: TuringHashParameters, least: int) -> ModelProof | None:
    """Whether a model takes every step of the machine on all words of up to a length."""
    machine = machine_of(at.machine, at.states, at.symbols, at.seed)
    return proved_steps(model, machine, at.steps, least)


def size(at: TuringHashParameters) -> tuple[SizeRow, ...]:
    """The sizes, and the limits beside those of the decoder with positions."""
    model = construct(at)
    sized = model.size
    return (
        SizeRow("attention layers", model.depth, "O(1)"),
        SizeRow("heads", "+".join(str(count) for count in sized.heads if count), "O(1)"),
        SizeRow("layers with an MLP alone", sum(not block.heads for block in model.blocks), "", "to read the hashes"),
        SizeRow("width", model.width),
        *(
            SizeRow(
                f"cells on each side, {numbers}",
                hash_limits(numbers, model.width).cells,
                limits("hard", numbers).cells,
                "the bound is that of the decoder with positions",
            )
            for numbers in DIGITS
        ),
    )


def break_it(at: TuringHashParameters) -> Report:
    """More cells than rounding allows: hashes of neighbours are the same number."""
    machine = machine_of("bouncer", 1, 2, 0)
    for steps in (200, 800, 3_000):
        followed = follow(unchecked(machine, "float32", 80, steps + 4), machine, (), steps)
        if not followed.agrees:
            break
    wrong = {"step": len(followed.tokens), "decoder": followed.tokens[-1], "machine": followed.right}
    statement = f"hashes in float32 tell 80 cells apart in {steps:,} steps of bouncer"
    return Report(statement, "exhaustive", followed.agrees, 1, counterexample=None if followed.agrees else wrong)


THEOREM = theorem_in(
    __name__,
    TuringHashParameters,
    assumptions=(
        "a token before every word",
        "layer norms without epsilon",
        "tokens beyond the alphabet of words: each names the symbol written, the move and the next state",
    ),
    attention="average-hard; causal mask",
    precision="4 log2 h + 2 log2 T bits for cells up to h and T tokens",
    small=(
        {"machine": "bb2", "dtype": "float32", "steps": 6, "cells": 3},
        {"machine": "increment", "steps": 40, "cells": 20},
        {"machine": "random", "seed": 3, "steps": 60, "cells": 60},
    ),
    large=({"machine": "bb5", "steps": 800, "cells": 60}, {"machine": "copy", "steps": 300}),
)
