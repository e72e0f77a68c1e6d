"""What a step of a Turing machine costs in its decoder, by the number of steps, and what it would cost without a chain.

    python benchmarks/chain_of_thought.py [--quick]

The first table generates the steps of the five-state busy beaver
and of a machine that runs to and fro, with lookup and with every key scanned by a matrix product, in processor time
of one process with one thread. Every token is compared with the machine's. The second has the limits of number
systems. The third sets the chain beside the same run without one: an encoder whose positions are the cells and whose
layers are the steps, built and run.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import sys
import time
from itertools import islice

from table import Table

from capax.errors import CapaxError
from capax.formal.turing.machine import TuringMachine, run, steps
from capax.formal.turing.machines import machine_source
from capax.formal.turing.read_machine import read_machine
from capax.model.run.cache import MakeStore, array_store
from capax.model.run.generate import stream
from capax.model.run.lookup.key_store import lookup_store
from capax.theorems.turing.parts.decoder import decoder
from capax.theorems.turing.parts.decoder_limits import DIGITS, limits, most_positions
from capax.theorems.turing.parts.hash import hash_decoder, hash_limits
from capax.theorems.turing.parts.tokens import ChainTokens
from capax.theorems.turing.parts.unrolled import tape, unrolled

LENGTHS = (1_000, 3_000, 10_000, 30_000, 100_000)
SCANNED = 30_000
"""Beyond this the scan takes too long."""


def machine(name: str) -> TuringMachine:
    """A machine that comes with capax."""
    found = read_machine(machine_source(name))
    assert isinstance(found, TuringMachine)
    return found


def timed(made: TuringMachine, lengths: tuple[int, ...], make_store: MakeStore) -> dict[int, float]:
    """Seconds of processor time up to each number of steps; every token is compared with the machine's."""
    tokens, model = ChainTokens(made), decoder(made)
    chain = stream(model, tokens.prompt(()), stop=tokens.halt, make_store=make_store)
    found, spent = {}, 0.0
    for number, step in enumerate(islice(steps(made, ()), lengths[-1]), 1):
        start = time.process_time()
        token = next(chain)
        spent += time.process_time() - start
        assert token == tokens.action_tokens[step.action], number
        if number in lengths:
            found[number] = spent
    return found


def speeds(lengths: tuple[int, ...]) -> None:
    """The table of speeds."""
    table = Table("machine", "keys", *(f"{n:,} steps" for n in lengths), title="Speed")
    for name in ("bb5", "bouncer"):
        for how, store in (("lookup", lookup_store), ("scan", array_store)):
            tried = tuple(n for n in lengths if how == "lookup" or n <= SCANNED)
            seconds = timed(machine(name), tried, store)
            shown = [f"{s:.2f} s, {n / s:,.0f}/s" if (s := seconds.get(n)) else "not run" for n in lengths]
            table.add_row(name, how, *shown)
    print(table)


def rooms() -> None:
    """The table of limits."""
    table = Table("decoder", "numbers", "cells on each side, any chain", "positions with 100 cells", title="Limits")
    for attention in ("hard", "softmax"):
        for numbers in DIGITS:
            positions = most_positions(attention, numbers, 100)
            table.add_row(attention, numbers, f"{limits(attention, numbers).cells:,}", f"{positions:,}")
    width = hash_decoder(machine("bb4")).width
    for numbers in DIGITS:
        try:
            positions = f"{hash_limits(numbers, width, cells=100).positions:,}"
        except CapaxError:
            positions = "none"
        table.add_row("hash (bb4)", numbers, f"{hash_limits(numbers, width).cells:,}", positions)
    print(table)


def depths() -> None:
    """The table of what the same runs cost in depth and width of the input."""
    table = Table("machine", "steps", "with a chain", "without", title="The same run with a chain and without")
    for name in ("bb2", "bb3", "bb4"):
        made = machine(name)
        taken = run(made, (), 10_000).steps
        deep, flat = unrolled(made, taken), decoder(made)
        cells = tape(made, (), taken)
        assert sum(answer.endswith("1") for answer in map(str, deep(cells))) == run(made, (), taken).count()
        chained = f"{flat.depth} layers, {flat.size.parameters:,} parameters, {taken + 1} generated tokens"
        alone = f"{deep.depth} layers, {deep.size.parameters:,} parameters, {len(cells)} cells at once"
        table.add_row(name, taken, chained, alone)
    print(table)


def main() -> None:
    """Prints the tables."""
    speeds(LENGTHS[:3] if "--quick" in sys.argv else LENGTHS)
    rooms()
    depths()


if __name__ == "__main__":
    main()
