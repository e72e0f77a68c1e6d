"""The decision: is a regular language in C-RASP, read at the last letter, or at a marker after the word?

Theorem. Let the classes of each component of the minimal automaton be those of `capax.formal.crasp.heights`. The
language is in C-RASP read at an end marker exactly if every class is one state, and in C-RASP read at the last letter
exactly if for every class K and letter a all states of K have the same state after a. With local and periodic atoms the
same holds of the product with windows and residues, where states of the product count as one if their states of the
minimal automaton are. The proof is on the page docs/explanation/crasp.md.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from capax.formal.automata.dfa import Dfa
from capax.formal.crasp.heights import Round, rounds
from capax.formal.crasp.machine import NO_ATOMS, Atoms, CountingMachine, counting_machine

Reading: TypeAlias = Literal["last", "end"]


@dataclass(frozen=True, slots=True)
class CRaspComponent:
    """A component of the product, with its rounds."""

    states: tuple[int, ...]
    rounds: tuple[Round, ...]

    @property
    def classes(self) -> dict[int, int]:
        """The classes of the last round."""
        return dict(self.rounds[-1].classes)


@dataclass(frozen=True, slots=True)
class CRaspClash:
    """Two states of one class that the language tells apart; read at the last letter, after `letter`."""

    region: int
    first: int
    second: int
    letter: int | None


@dataclass(frozen=True, slots=True)
class CRaspDecision:
    """Whether a language is in C-RASP, for both positions at which a formula may be read."""

    machine: CountingMachine
    regions: tuple[CRaspComponent, ...]
    last: CRaspClash | None
    end: CRaspClash | None

    def clash(self, read: Reading) -> CRaspClash | None:
        """What shows that the language is outside, for a reading; None if it is inside."""
        return self.last if read == "last" else self.end

    def holds(self, read: Reading) -> bool:
        """Whether the language is in C-RASP, for a reading."""
        return self.clash(read) is None

    @property
    def rounds(self) -> int:
        """The most rounds of a component; a component of one state has none."""
        return max((len(region.rounds) for region in self.regions if len(region.states) > 1), default=0)


def decide_crasp(dfa: Dfa, atoms: Atoms = NO_ATOMS) -> CRaspDecision:
    """The decision for a minimal automaton."""
    machine = counting_machine(dfa, atoms)
    regions, last, end = [], None, None
    for at, states in enumerate(machine.regions()):
        seen = None if atoms == NO_ATOMS else {q: machine.seen[q] for q in states}
        region = CRaspComponent(tuple(states), rounds(machine.delta, states, seen))
        regions.append(region)
        if len(states) > 1 and (last is None or end is None):
            clashes = _clashes(machine, at, region)
            last, end = last or clashes[0], end or clashes[1]
    return CRaspDecision(machine, tuple(regions), last, end)


def _clashes(machine: CountingMachine, at: int, region: CRaspComponent) -> tuple[CRaspClash | None, CRaspClash | None]:
    """The first pairs of states of one class that are told apart after a letter, and that are told apart at all."""
    first: dict[int, int] = {}
    end = None
    for q in region.states:
        p = first.setdefault(region.classes[q], q)
        if machine.state[p] == machine.state[q]:
            continue
        end = end or CRaspClash(at, p, q, None)
        for a, (one, other) in enumerate(zip(machine.delta[p], machine.delta[q], strict=True)):
            if machine.state[one] != machine.state[other]:
                return CRaspClash(at, p, q, a), end
    return None, end
