"""What the heads of a decoder attend to."""

import itertools

from capax.formal.turing.machine import TuringMachine, steps
from capax.formal.turing.machines import machine_source
from capax.formal.turing.read_machine import read_machine
from capax.theorems.turing.parts.decoder import decoder
from capax.theorems.turing.parts.follow import looks
from capax.theorems.turing.parts.tokens import ChainTokens


def machine(name: str) -> TuringMachine:
    """A machine with one tape that comes with capax."""
    found = read_machine(machine_source(name))
    assert isinstance(found, TuringMachine)
    return found


def right_tokens(made: TuringMachine, word: str, most: int) -> list[str]:
    """The machine's own chain of tokens."""
    tokens = ChainTokens(made)
    found = [tokens.action_tokens[s.action] for s in itertools.islice(steps(made, word), most)]
    return found if len(found) == most else [*found, tokens.halt]


def test_heads_look_where_they_should() -> None:
    """The lookups of layer 2 are at the cell's number, that of layer 3 at the last write to it."""
    made = machine("bb4")
    chain = right_tokens(made, "", 60)
    seen = looks(decoder(made), [*ChainTokens(made).prompt(""), *chain[:-1]])
    cell, last = 1, {}
    for number, step in enumerate(itertools.islice(steps(made, ""), 60), 1):
        mean, right, left, write = seen[number]
        assert cell == step.cell + 1
        assert mean.position is None or number <= 1
        assert (right.position, left.position) == (max(cell, 0), max(-cell, 0))
        assert write.position == last.get(cell, 0)
        last[cell] = number + 1
        cell += step.action.move
