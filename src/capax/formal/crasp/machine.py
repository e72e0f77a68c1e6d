"""An automaton beside what a formula may see of a word besides counts: the last letters, and the position modulo m."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Final

from capax.errors import CapaxError
from capax.formal.automata.dfa import Dfa, components

MOST_STATES: Final = 50_000
"""Products of an automaton, windows and residues with more states are refused."""


@dataclass(frozen=True, slots=True)
class Atoms:
    """What formulas may see besides a position's letter: the `window` letters before it, its number mod `modulus`."""

    window: int = 0
    modulus: int = 1

    def __post_init__(self) -> None:
        if not 0 <= self.window <= 8 or not 1 <= self.modulus <= 64:
            what = f"a window of {self.window} letters and a modulus of {self.modulus}"
            raise CapaxError("bad-option", what, hint="a window from 0 to 8, a modulus from 1 to 64")

    @property
    def text(self) -> str:
        """The atoms in words; empty where there are none."""
        near = f"the {self.window} letters before a position" if self.window > 1 else "the letter before a position"
        parts = [near] * bool(self.window) + [f"positions modulo {self.modulus}"] * (self.modulus > 1)
        return " and ".join(parts)


NO_ATOMS: Final = Atoms()


@dataclass(frozen=True, slots=True)
class CountingMachine:
    """The reachable product of a minimal automaton with windows and residues.

    `state` is the state of the automaton; `seen` what atoms say before the next letter: the last letters, the latest
    one first, and how many letters were read, modulo m.
    """

    dfa: Dfa
    atoms: Atoms
    delta: tuple[tuple[int, ...], ...]
    state: tuple[int, ...]
    seen: tuple[tuple[tuple[int, ...], int], ...]

    @property
    def size(self) -> int:
        """The number of states of the product; the start is 0."""
        return len(self.delta)

    def regions(self) -> list[list[int]]:
        """The strongly connected components, each before those that it leads to."""
        number = components(self.delta)
        members: dict[int, list[int]] = defaultdict(list)
        for q, component in enumerate(number):
            members[component].append(q)
        return [members[component] for component in sorted(members, reverse=True)]


def counting_machine(dfa: Dfa, atoms: Atoms = NO_ATOMS) -> CountingMachine:
    """The product of a minimal automaton with what the atoms see."""
    start: tuple[int, tuple[tuple[int, ...], int]] = (dfa.start, ((), 0))
    number = {start: 0}
    queue, delta = [start], []
    letters = range(len(dfa.alphabet))
    for q, (window, residue) in queue:  # the queue grows while it is read
        row = []
        for a in letters:
            after = dfa.delta[q][a], ((a, *window)[: atoms.window], (residue + 1) % atoms.modulus)
            if after not in number:
                if len(number) >= MOST_STATES:
                    what = f"the automaton with {atoms.text} has more than {MOST_STATES:,} states"
                    raise CapaxError("too-large", what, hint="a smaller window or modulus")
                number[after] = len(number)
                queue.append(after)
            row.append(number[after])
        delta.append(tuple(row))
    return CountingMachine(dfa, atoms, tuple(delta), tuple(q for q, _ in queue), tuple(seen for _, seen in queue))
