"""The machines on which the theorems are checked, and words for them."""

from itertools import product

import numpy as np

from capax.formal.turing.machine import TuringMachine, random_machine
from capax.formal.turing.machines import machine_source
from capax.formal.turing.read_machine import read_machine
from capax.tasks.base.parameter import Parameter

NAMES = ("bb1", "bb2", "bb3", "bb4", "bb5", "bouncer", "copy", "increment", "palindrome", "tag", "random")
MACHINE = Parameter("machine", "bb4", "the machine, one that comes with capax or a random one", choices=NAMES)
STATES = Parameter("states", 5, "the states of a random machine", 1, 50)
SYMBOLS = Parameter("symbols", 3, "the symbols of a random machine's tape", 2, 20)
SEED = Parameter("seed", 0, "of the random machine and of random words", 0, 2**31)


def machine_of(name: str, states: int, symbols: int, seed: int) -> TuringMachine:
    """The machine of a name."""
    if name == "random":
        return random_machine(states, symbols, seed)
    machine = read_machine(machine_source(name))
    assert isinstance(machine, TuringMachine), "the listed machines have one tape"
    return machine


def words_of(name: str, machine: TuringMachine, seed: int, count: int = 6) -> list[tuple[str, ...]]:
    """Words to try a machine on: the shortest ones, and random ones of up to 12 letters; tag systems for `tag`."""
    if not machine.input:
        return [()]
    random = np.random.default_rng(seed)
    if name == "tag":
        return [_tag_system(random) for _ in range(count)]
    words = [word for length in range(3) for word in product(machine.input, repeat=length)]
    for _ in range(count):
        words.append(tuple(str(s) for s in random.choice(machine.input, size=int(random.integers(3, 13)))))
    return list(dict.fromkeys(words))


def _tag_system(random: np.random.Generator) -> tuple[str, ...]:
    def text(letters: str, most: int) -> str:
        return "".join(str(random.choice(list(letters))) for _ in range(int(random.integers(1, most))))

    return tuple("*" + ";".join(text("01", 4) for _ in range(int(random.integers(1, 4)))) + "=" + text("xy", 5))
