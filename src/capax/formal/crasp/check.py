"""A checker of both kinds of evidence, which shares no code with the decision: it runs words and adds counts.

Yes: the formula says the same as the automaton on all short words, at every position. No: words lead where they claim
to, and the identities of an obstruction hold, by counting letters and classes along the words.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from capax.errors import CapaxError
from capax.formal.automata.dfa import Dfa
from capax.formal.crasp.obstruction import Identity, Letters, Obstruction
from capax.formal.logic.counting import Counting, CountingLanguage
from capax.formal.logic.counting_batch import all_words, batch_values

WORDS: Final = 4_000
"""A formula is compared on all words up to the greatest length with at most so many words, and at least 4 letters."""
Place = tuple[int, tuple[str, ...], int]
"""A state of the automaton, the last letters (the latest first), and how many letters were read, modulo m."""


@dataclass(frozen=True, slots=True)
class EvidenceCheck:
    """What a checker found: the number of words or identities, and the first thing that is wrong, if any."""

    checked: int
    what: str
    wrong: str | None = None

    @property
    def holds(self) -> bool:
        """Whether the evidence is right."""
        return self.wrong is None


def checked_length(letters: int, most: int = WORDS) -> int:
    """The greatest length with at most so many words; at least 4."""
    length = 4
    while letters > 1 and letters ** (length + 1) <= most:
        length += 1
    return length if letters > 1 else 60


def check_formula(
    formula: Counting, dfa: Dfa, read: Literal["last", "end"], length: int | None = None
) -> EvidenceCheck:
    """Whether a formula says what an automaton does, on all words up to a length."""
    longest = checked_length(len(dfa.alphabet)) if length is None else length
    try:
        CountingLanguage(formula, dfa.alphabet)
    except CapaxError as error:
        return EvidenceCheck(0, "words", error.what)
    delta, letters = np.array(dfa.delta), len(dfa.alphabet)
    accepting = np.isin(np.arange(dfa.size), sorted(dfa.accepting))
    count = 0
    for n in [longest] if read == "last" else range(longest + 1):
        for words in all_words(letters, n):
            states = np.full((len(words), n + 1), dfa.start)
            for i in range(n):
                states[:, i + 1] = delta[states[:, i], words[:, i]]
            if read == "last":  # at each position, the word up to there
                wrong = batch_values(formula, dfa.alphabet, words) != accepting[states]
            else:
                marked = np.pad(words, ((0, 0), (0, 1)), constant_values=letters)
                wrong = (batch_values(formula, dfa.alphabet, marked)[:, -1] != accepting[states[:, -1]])[:, None]
            if wrong.any():
                row, at = np.argwhere(wrong)[0]
                word = "".join(dfa.alphabet[a] for a in words[row][: at if read == "last" else n])
                return EvidenceCheck(count, "words", f"the formula is wrong on {word or 'the empty word'}")
            count += len(words)
    total = count if read == "end" else sum(letters**n for n in range(longest + 1))
    return EvidenceCheck(total, f"words of up to {longest} letters")


def check_obstruction(shown: Obstruction, dfa: Dfa) -> EvidenceCheck:
    """Whether an obstruction is right for an automaton, which need not be minimal.

    It is right for the reading and the atoms that it names.
    """
    wrong = _names(shown, dfa) or _Runner(dfa, shown).wrong()
    return EvidenceCheck(len(shown.identities), "identities", wrong)


def _names(shown: Obstruction, dfa: Dfa) -> str | None:
    """Whether the evidence names a letter, a state, a walk or a reading that is not there."""
    identities = shown.identities
    words = [shown.prefix, shown.tail, *shown.closed, *(word for _, word in shown.walks)]
    words += [word for one in identities for word in (one.one, one.other)]
    if not {letter for word in words for letter in word} <= set(dfa.alphabet):
        return "a word has a letter that is not in the alphabet"
    states = [q for some in shown.classes for q in some]
    if len(states) != len(set(states)) or not all(shown.classes) or not {shown.first, shown.second} <= set(states):
        return "the classes are not a partition of states that has the two"
    if any(not 0 <= number < len(shown.closed) for one in identities for number, _ in one.multiples):
        return "an identity has a multiple of a closed walk that is not there"
    return None if shown.read in ("last", "end") else f"there is no reading {shown.read}"


@dataclass(frozen=True)
class _Runner:
    dfa: Dfa
    shown: Obstruction

    def after(self, place: Place, word: Sequence[str]) -> list[Place]:
        """The places along a word."""
        places, atoms = [place], self.shown.atoms
        for letter in word:
            state, window, residue = places[-1]
            number = self.dfa.alphabet.index(letter)
            seen = (letter, *window)[: atoms.window]
            places.append((self.dfa.delta[state][number], seen, (residue + 1) % atoms.modulus))
        return places

    def wrong(self) -> str | None:
        """The first thing that is wrong."""
        shown = self.shown
        root = self.after((self.dfa.start, (), 0), shown.prefix)[-1]
        place = {state: self.after(root, word)[-1] for state, word in shown.walks}
        member = {state: at for at, states in enumerate(shown.classes) for state in states}
        if set(place) != set(member) or len(set(place.values())) != len(place):
            return "a state has no walk, or two states are the same"
        classes = {place[state]: at for state, at in member.items()}
        if len({(at, spot[1:]) for spot, at in classes.items()}) != len(set(classes.values())):
            return "atoms tell states of one class apart"
        if any(spot not in classes for word in self._walked() for spot in self.after(root, word)):
            return "a walk leaves the component"
        if any(self.after(root, word)[-1] != root for word in shown.closed):
            return "a walk that should be closed is not"
        needed = self._needed(root, place)
        shares = {(one.one, one.other) for one in shown.identities if one.times}
        if not needed <= shares:
            return "an identity is missing: for a move, or for two states of a class"
        for at, one in enumerate(shown.identities):
            if self._unequal(root, one, classes):
                return f"identity {at} does not hold"
        return self._end(place, member)

    def _walked(self) -> list[Letters]:
        """The words that must stay in the component."""
        compared = [word for one in self.shown.identities for word in (one.one, one.other)]
        return [*(word for _, word in self.shown.walks), *self.shown.closed, *compared]

    def _needed(self, root: Place, place: dict[int, Place]) -> set[tuple[Letters, Letters]]:
        """The pairs of different words that must have an identity: for moves, and for the states of a class."""
        walk = {place[state]: word for state, word in self.shown.walks}
        pairs = {(walk[place[q]], walk[place[states[0]]]) for states in self.shown.classes for q in states}
        for spot, word in walk.items():
            for letter in self.dfa.alphabet:
                after = self.after(spot, [letter])[-1]
                if after in walk:
                    pairs.add(((*word, letter), walk[after]))
        return {(one, other) for one, other in pairs if one != other}

    def _unequal(self, root: Place, identity: Identity, classes: dict[Place, int]) -> bool:
        left = self._counts(root, identity.one, classes, identity.times)
        left.subtract(self._counts(root, identity.other, classes, identity.times))
        for number, times in identity.multiples:
            left.subtract(self._counts(root, self.shown.closed[number], classes, times))
        return any(left.values())

    def _counts(
        self, root: Place, word: Sequence[str], classes: dict[Place, int], times: int
    ) -> "Counter[tuple[str, int]]":
        """How often each label stands in a word, times a number: a letter with the class before it."""
        places = self.after(root, word)
        counts = Counter((letter, classes[spot]) for letter, spot in zip(word, places, strict=False))
        return Counter({label: times * count for label, count in counts.items()})

    def _end(self, place: dict[int, Place], member: dict[int, int]) -> str | None:
        shown = self.shown
        if member[shown.first] != member[shown.second]:
            return "the two states are in different classes"
        if shown.read == "last" and not shown.tail:
            return "read at the last letter, the word that tells the states apart must not be empty"
        ends = [
            self.after(place[state], shown.tail)[-1][0] in self.dfa.accepting for state in (shown.first, shown.second)
        ]
        return "the tail does not tell the two states apart" if ends[0] == ends[1] else None
