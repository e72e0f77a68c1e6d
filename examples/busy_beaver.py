"""A Turing machine in a transformer: the busy beaver with four states, step by step, by three layers.

Builds the decoder, lets it think aloud for 107 tokens, and plays its tokens back onto a tape.
"""

from capax.formal.turing.machine import TuringMachine, run
from capax.formal.turing.machines import machine_source
from capax.formal.turing.read_machine import read_machine
from capax.theorems.turing.parts.decoder import decoder
from capax.theorems.turing.parts.tokens import ChainTokens


def replay(machine: TuringMachine, chain: list[str]) -> dict[int, str]:
    """The tape that a chain of tokens leaves."""
    tape: dict[int, str] = {}
    cell = 0
    for token in chain:
        action = ChainTokens(machine).actions[token]
        tape[cell] = action.write
        cell += action.move
    return tape


if __name__ == "__main__":
    machine = read_machine(machine_source("bb4"))
    assert isinstance(machine, TuringMachine)
    model = decoder(machine, numbers="float32")
    chain = [str(token) for token in model.generate(["<go>"], 200, stop="<halt>")]
    print(" ".join(chain[:10]), "...", chain[-1])
    tape = replay(machine, chain[:-1])
    assert tape == run(machine, "", 200).tape
    print(f"{len(chain) - 1} steps, {list(tape.values()).count('1')} ones, {model.size.parameters:,} parameters")
