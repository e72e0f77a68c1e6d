"""Evidence that a language is outside C-RASP: words that a reader can run, and identities that a reader can add up.

The states of a component are in classes. Closed walks at its root, and a walk to each state, are given as words. Labels
are letters with the class before them. Identities say that walks have the same label counts modulo those of the closed
walks: walks to one state, and walks to states of one class. So no functional that is 0 on closed walks tells two states
of a class apart, and finer labels that functionals give stay within these classes: far out, in words that repeat closed
walks, no formula tells them apart.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any, Final

from capax.errors import CapaxError
from capax.formal.automata.dfa import Dfa
from capax.formal.crasp.decide import CRaspComponent, CRaspDecision, Reading
from capax.formal.crasp.heights import Vector, plus
from capax.formal.crasp.machine import Atoms, CountingMachine

Letters = tuple[str, ...]
MOST_SHOWN: Final = 200
"""In a line, words are given for components of at most so many states."""
MOST_LETTERS: Final = 1_000_000
"""Walks with more letters in all are not written down."""
MOST_WALKS: Final = 4
"""In a line, so many closed walks are given."""
LONGEST: Final = 24
"""In a line, words with more letters are cut."""


@dataclass(frozen=True, slots=True)
class Identity:
    """`times` (label counts of `one` less those of `other`) = sum of multiples of the closed walks' counts.

    Both are words from the root: walks to one state, or to two states of a class.
    """

    one: Letters
    other: Letters
    times: int
    multiples: tuple[tuple[int, int], ...]
    """The number of a closed walk, and how often it counts; those that count 0 are left out."""

    def to_json(self) -> dict[str, Any]:
        """The identity as plain data."""
        multiples = [list(pair) for pair in self.multiples]
        return {"one": list(self.one), "other": list(self.other), "times": self.times, "multiples": multiples}

    @staticmethod
    def from_json(data: Any) -> "Identity":
        """The identity of plain data."""
        multiples = tuple((int(number), int(times)) for number, times in data["multiples"])
        return Identity(_letters(data["one"]), _letters(data["other"]), int(data["times"]), multiples)


@dataclass(frozen=True, slots=True)
class Obstruction:
    """Two states of a class, `first` and `second`, that the word `tail` tells apart.

    States are those of the product of the automaton with what atoms see; its start is 0. `classes` are the states of
    the component, the root first in the first class. Read at the last letter, the tail is not empty.
    """

    read: Reading
    atoms: Atoms
    prefix: Letters
    classes: tuple[tuple[int, ...], ...]
    walks: tuple[tuple[int, Letters], ...]
    """A state of the component, and a word that leads to it from the root, within the component."""
    closed: tuple[Letters, ...]
    identities: tuple[Identity, ...]
    first: int
    second: int
    tail: Letters

    def walk(self, state: int) -> Letters:
        """The word to a state."""
        return dict(self.walks)[state]

    def words(self, times: int) -> tuple[Letters, Letters]:
        """Two words, one of them in the language, after a mix of the closed walks that is repeated so many times.

        For every formula there are a mix and a number of repeats after which it says the same of both words: the mix
        has each walk in numbers that are on none of the formula's hyperplanes. No mix is right for all formulas.
        """
        mix = tuple(letter for walk, often in self._mix(times) for letter in walk * often)
        head = (*self.prefix, *(mix * times))
        return (*head, *self.walk(self.first), *self.tail), (*head, *self.walk(self.second), *self.tail)

    def word_texts(self, times: int) -> tuple[str, str]:
        """The two words, with powers of the walks, such as `((ab)^3 b^5)^3 a`."""
        mix = " ".join(_power(word_text(walk), often) for walk, often in self._mix(times)[:MOST_WALKS])
        more = " ..." if len(self.closed) > MOST_WALKS else ""
        prefix = [word_text(self.prefix)] if self.prefix else []
        ends = [(*self.walk(q), *self.tail) for q in (self.first, self.second)]
        first, second = (
            " ".join([*prefix, f"({mix}{more})^{times}", *([word_text(end)] if end else [])]) for end in ends
        )
        return first, second

    def _mix(self, times: int) -> list[tuple[Letters, int]]:
        """Each closed walk, and how often."""
        return [(walk, times + 2 * k) for k, walk in enumerate(self.closed)]

    def to_json(self) -> dict[str, Any]:
        """The evidence as plain data."""
        return {
            "read": self.read,
            "window": self.atoms.window,
            "modulus": self.atoms.modulus,
            "prefix": list(self.prefix),
            "classes": [list(one) for one in self.classes],
            "walks": [{"state": state, "word": list(word)} for state, word in self.walks],
            "closed": [list(word) for word in self.closed],
            "identities": [one.to_json() for one in self.identities],
            "first": self.first,
            "second": self.second,
            "tail": list(self.tail),
        }

    @staticmethod
    def from_json(data: Any) -> "Obstruction":
        """The evidence of plain data, which need not be right: `capax.formal.crasp.check` says whether it is."""
        try:
            return Obstruction(
                data["read"],
                Atoms(int(data["window"]), int(data["modulus"])),
                _letters(data["prefix"]),
                tuple(tuple(map(int, some)) for some in data["classes"]),
                tuple((int(one["state"]), _letters(one["word"])) for one in data["walks"]),
                tuple(_letters(word) for word in data["closed"]),
                tuple(Identity.from_json(one) for one in data["identities"]),
                int(data["first"]),
                int(data["second"]),
                _letters(data["tail"]),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise CapaxError("bad-witness", f"the evidence against C-RASP cannot be read: {error!r}") from None


def _letters(word: Any) -> Letters:
    return tuple(map(str, word))


def _power(text: str, times: int) -> str:
    return f"{text}^{times}" if len(text) == 1 else f"({text})^{times}"


def obstruction(decision: CRaspDecision, read: Reading) -> Obstruction | None:
    """The evidence that the language is outside C-RASP, for a reading; None if it is inside."""
    clash = decision.clash(read)
    if clash is None:
        return None
    machine, region = decision.machine, decision.regions[clash.region]
    walks = _words(machine, region.states[0], set(region.states))
    spelled = _Spelling(machine.dfa.alphabet)
    closed, identities = _identities(machine, region, walks, spelled)
    first, second = machine.state[clash.first], machine.state[clash.second]
    letters: tuple[int, ...] = () if clash.letter is None else (clash.letter,)
    for a in letters:
        first, second = machine.dfa.delta[first][a], machine.dfa.delta[second][a]
    apart = Dfa(machine.dfa.alphabet, machine.dfa.delta, first, machine.dfa.accepting).difference(
        Dfa(machine.dfa.alphabet, machine.dfa.delta, second, machine.dfa.accepting)
    )
    assert apart is not None
    members: dict[int, list[int]] = {}
    for q in region.states:
        members.setdefault(region.classes[q], []).append(q)
    return Obstruction(
        read,
        machine.atoms,
        spelled(_words(machine, 0, set(range(machine.size)))[region.states[0]]),
        tuple(tuple(some) for some in members.values()),
        tuple((q, spelled(walks[q])) for q in region.states),
        tuple(spelled(word) for word in closed),
        tuple(identities),
        clash.first,
        clash.second,
        (*spelled(letters), *apart),
    )


@dataclass(frozen=True, slots=True)
class _Spelling:
    alphabet: tuple[str, ...]

    def __call__(self, numbers: tuple[int, ...]) -> Letters:
        return tuple(self.alphabet[a] for a in numbers)


def _words(machine: CountingMachine, root: int, inside: set[int]) -> dict[int, tuple[int, ...]]:
    """A shortest word from a root to each state, within some states."""
    word: dict[int, tuple[int, ...]] = {root: ()}
    queue, letters = [root], 0
    for q in queue:  # the queue grows while it is read
        for a, t in enumerate(machine.delta[q]):
            if t in inside and t not in word:
                word[t] = (*word[q], a)
                queue.append(t)
                letters += len(word[t])
        if letters > MOST_LETTERS:
            what = f"the evidence has walks of more than {MOST_LETTERS:,} letters in all"
            raise CapaxError("too-large", what, hint="capax recognise without --crasp has the verdict")
    return word


def _back(machine: CountingMachine, root: int, inside: set[int]) -> dict[int, tuple[int, ...]]:
    """A shortest word from each state to the root, within some states."""
    into: dict[int, list[tuple[int, int]]] = {}
    for q in inside:
        for a, t in enumerate(machine.delta[q]):
            into.setdefault(t, []).append((q, a))
    word: dict[int, tuple[int, ...]] = {root: ()}
    queue = [root]
    for t in queue:  # the queue grows while it is read
        for q, a in into.get(t, ()):
            if q not in word:
                word[q] = (a, *word[t])
                queue.append(q)
    return word


def _identities(
    machine: CountingMachine, region: CRaspComponent, walks: Mapping[int, tuple[int, ...]], spelled: "_Spelling"
) -> tuple[list[tuple[int, ...]], list[Identity]]:
    """Closed walks whose counts span V, and identities: for each move, and each state but the first of its class."""
    inside, root = set(region.states), region.states[0]
    back = _back(machine, root, inside)
    closed: list[tuple[int, ...]] = []
    basis: dict[int, tuple[Vector, Vector]] = {}  # a vector that begins at the column, and what it is made of
    for q in region.states:
        for a, t in enumerate(machine.delta[q]):
            if t in inside:
                word = (*walks[q], a, *back[t])
                rest, used = _reduced(_counts(machine, region, root, word), basis)
                if rest:
                    lead = min(rest)
                    used = plus(used, {len(closed): 1})
                    scale = Fraction(1) / rest[lead]
                    basis[lead] = plus({}, rest, scale), plus({}, used, scale)
                    closed.append(word)
    pairs = [((*walks[q], a), walks[t]) for q in region.states for a, t in enumerate(machine.delta[q]) if t in inside]
    first: dict[int, int] = {}
    for q in region.states:
        pairs.append((walks[q], walks[first.setdefault(region.classes[q], q)]))
    identities = []
    for one, other in pairs:
        if one != other:
            left, right = (_counts(machine, region, root, word) for word in (one, other))
            rest, used = _reduced(plus(left, right, -1), basis)
            assert not rest
            times = lcm(*(Fraction(x).denominator for x in used.values()))
            multiples = tuple((k, int(-x * times)) for k, x in sorted(used.items()))
            identities.append(Identity(spelled(one), spelled(other), times, multiples))
    return closed, identities


def _reduced(vector: Vector, basis: Mapping[int, tuple[Vector, Vector]]) -> tuple[Vector, Vector]:
    """What is left of a vector modulo a basis, and what was added: multiples of the words that the basis is made of."""
    rest, used = dict(vector), Vector()
    while True:
        column = min((c for c in rest if c in basis), default=None)
        if column is None:
            return rest, used
        times = -rest[column]
        rest = plus(rest, basis[column][0], times)
        used = plus(used, basis[column][1], times)


def _counts(machine: CountingMachine, region: CRaspComponent, root: int, word: tuple[int, ...]) -> Vector:
    """The counts of labels along a word from the root: letters with the classes of the last round before them."""
    counts, q = Vector(), root
    width = len(machine.dfa.alphabet)
    for a in word:
        counts = plus(counts, {region.rounds[-1].classes[q] * width + a: 1})
        q = machine.delta[q][a]
    return counts


def crasp_reason(decision: CRaspDecision, read: Reading) -> str:
    """Why, in a line: what counts say, or two words that no formula tells apart in the long run."""
    clash = decision.clash(read)
    if clash is None:
        return _inside(decision, read)
    size = len(decision.regions[clash.region].states)
    if size > MOST_SHOWN:
        return f"counts do not tell apart two states of a component of {size:,} states"
    shown = obstruction(decision, read)
    assert shown is not None
    return obstruction_line(shown)


def _inside(decision: CRaspDecision, read: Reading) -> str:
    """What tells the state."""
    rounds, count = decision.rounds, len(decision.regions)
    parts = "the one component" if count == 1 else f"each of {count} components"
    if rounds == 0:
        return "the automaton never returns to a state that it left, so counts of letters that leave tell the state"
    finer = "" if rounds == 1 else f", and of letters by the counts before them ({rounds} rounds),"
    with_last = "" if decision.holds("end") else ", together with the last letter,"
    return f"counts of letters{finer}{with_last} tell the state in {parts}".replace(",,", ",")


def obstruction_line(shown: Obstruction) -> str:
    """The words that no formula separates, in a line."""
    first, second = (word_text(shown.walk(q)) for q in (shown.first, shown.second))
    walks = [*(word_text(word) for word in shown.closed[:MOST_WALKS]), *(["..."] * (len(shown.closed) > MOST_WALKS))]
    far = f"after long mixes of {walks[0] if len(walks) == 1 else ', '.join(walks[:-1]) + ' and ' + walks[-1]}"
    seen = f" and {shown.atoms.text}" if shown.atoms.text else ""
    if shown.read == "last":
        only = f"a formula at the last letter sees only this letter{seen}"
        return f"{far}, {only}, not whether {first} or {second} came before"
    rest = f"; then {word_text(shown.tail)} tells them apart" if shown.tail else ", and one of them is in the language"
    alone = f"sees only {shown.atoms.text}, and" if shown.atoms.text else "at an end marker"
    return f"{far}, a formula {alone} cannot tell {first} from {second}{rest}"


def word_text(word: Letters) -> str:
    """A word as text; where it is long, its middle is left out."""
    between = "" if all(len(letter) == 1 for letter in word) else " "
    if len(word) <= LONGEST:
        return between.join(word) or "nothing"
    half = LONGEST // 2
    return f"{between.join(word[:half])}{between}...{between}{between.join(word[-half:])}"
