"""The formula for a language in C-RASP: components one after the other, rounds within each.

A run enters a component at most once, at a position that a formula tells. Strictly after it the counts of labels are
those of a walk in the component, until the first letter that leaves it, which finer and finer labels tell. Counts of
labels, and of the entry with the height of the state that was entered, say the height now. Rounds stop as soon as they
tell which moves leave and which words are in the language.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from capax.formal.crasp.decide import CRaspComponent, CRaspDecision, Reading
from capax.formal.crasp.heights import Move, separating, value
from capax.formal.crasp.machine import NO_ATOMS, CountingMachine
from capax.formal.crasp.simplify import simplified
from capax.formal.logic.counting import (
    FALSE,
    TRUE,
    AtLeast,
    Counting,
    LetterBefore,
    Residue,
    Symbol,
    both,
    counting_values,
    either,
    negated,
)


def crasp_formula(decision: CRaspDecision, read: Reading, *, short: bool = True) -> Counting | None:
    """A formula for the language, to be read at the last letter or at an end marker; None if there is none.

    Models are made from the one that is not `short`: more of them are certified.
    """
    if not decision.holds(read):
        return None
    formula = _formula(decision, read)
    return simplified(formula, decision.machine.dfa.alphabet, marker=read == "end") if short else formula


def _formula(decision: CRaspDecision, read: Reading) -> Counting:
    """The formula of the proof, with as few rounds as are needed."""
    machine = decision.machine
    accepted, failed = _cases(decision, read)
    formula, wrong = either(accepted), either(failed)
    if FALSE not in (wrong, formula):
        formula = both([formula, AtLeast(((-1, wrong),), 0)])
    if read == "last" and counting_values(formula, ())[0] < (machine.dfa.start in machine.dfa.accepting):
        return either([formula, both(negated(Symbol(letter)) for letter in machine.dfa.alphabet)])
    return formula


def _cases(decision: CRaspDecision, read: Reading) -> tuple[list[Counting], list[Counting]]:
    """For each component: the word ends in it and is in the language; and this letter leaves it for good."""
    machine, alive = decision.machine, _alive(decision.machine)
    entries: dict[int, list[_Entry]] = {}
    parts: list[_Part] = []
    for region in decision.regions:
        into = {p: entries[p] for p in region.states if p in entries}
        here = {p: either(one.here for one in some) for p, some in into.items()}
        part = _Part(machine, region, here, alive, either(one.before for some in into.values() for one in some))
        if part.start or part.entry:
            parts.append(part)
            for target, entry in part.leaving.items():
                entries.setdefault(target, []).append(entry)
    accepted = [part.accepted(read) for part in parts]
    return [one for one in accepted if one != FALSE], [part.failed for part in parts if part.failed != FALSE]


def _alive(machine: CountingMachine) -> frozenset[int]:
    """The states that lead to acceptance."""
    alive = {q for q in range(machine.size) if machine.state[q] in machine.dfa.accepting}
    before: dict[int, list[int]] = {}
    for q, row in enumerate(machine.delta):
        for t in row:
            before.setdefault(t, []).append(q)
    queue = list(alive)
    for t in queue:  # the queue grows while it is read
        new = [q for q in before.get(t, ()) if q not in alive]
        alive.update(new)
        queue += new
    return frozenset(alive)


@dataclass(frozen=True, slots=True)
class _Entry:
    """A state is entered by this letter, and: by this one or one before."""

    here: Counting
    before: Counting


@dataclass(frozen=True)
class _Part:
    """A component, with the formulas for the letters that enter it, and for what comes after one of these."""

    machine: CountingMachine
    region: CRaspComponent
    entry: dict[int, Counting]
    alive: frozenset[int]
    begun: Counting
    labels: dict[tuple[int, int, int], Counting] = field(default_factory=dict)
    """By level, letter and class: the letter stands here, and the state before it is in the class of the level."""

    functionals: dict[int, dict[int, int]] = field(default_factory=dict)

    @cached_property
    def inside(self) -> list[Move]:
        """The moves that stay in the component."""
        states = set(self.region.states)
        return [(q, a) for q in self.region.states for a, t in enumerate(self.machine.delta[q]) if t in states]

    @property
    def start(self) -> bool:
        """Whether words begin here; the start of the product is its first state."""
        return self.region.states[0] == 0

    @cached_property
    def entered(self) -> Counting:
        """This letter enters the component."""
        return either(self.entry.values())

    @cached_property
    def within(self) -> tuple[Counting, ...]:
        """The component was entered strictly before this letter."""
        return () if self.start else (self.begun, negated(self.entered))

    def classes(self, level: int) -> Mapping[int, int]:
        """The classes of a level: what atoms see, and then those of each round."""
        return self.region.rounds[level - 1].classes if level else self._seen_classes

    @cached_property
    def _seen_classes(self) -> dict[int, int]:
        names: dict[Hashable, int] = {}
        return {q: names.setdefault(self.machine.seen[q], len(names)) for q in self.region.states}

    def level(self, tells: Callable[[int, int], Hashable], letters: Iterable[int]) -> int | None:
        """The first level at which something that is said of a state and a letter is the same in each class."""
        some = list(letters)
        for level in range(len(self.region.rounds) + 1):
            classes = self.classes(level)
            values: dict[tuple[int, int], Hashable] = {}
            if all(tells(q, a) == values.setdefault((classes[q], a), tells(q, a)) for q in classes for a in some):
                return level
        return None

    def label(self, level: int, state: int, letter: int) -> Counting:
        """The letter stands here, after a state of the class of `state` at a level."""
        key = level, letter, self.classes(level)[state]
        if key not in self.labels:
            self.labels[key] = self._label(level, state, letter)
        return self.labels[key]

    def _label(self, level: int, state: int, letter: int) -> Counting:
        if level == 0:
            seen = self._seen(state, 1)
            return both([Symbol(self.machine.dfa.alphabet[letter]), *seen, *self.within])
        below, here = self.classes(level - 1), self.classes(level)
        siblings = [q for q in self.region.states if below[q] == below[state]]
        coarse = self.label(level - 1, state, letter)
        if len({here[q] for q in siblings}) == 1:
            return coarse
        return both([coarse, self._height(level, state, siblings, letter)])

    def _seen(self, state: int, least: int) -> list[Counting]:
        """What atoms say of a state, seen from `least` positions after its last letter."""
        if self.machine.atoms == NO_ATOMS:
            return []
        window, residue = self.machine.seen[state]
        letters = [LetterBefore(self.machine.dfa.alphabet[a], least + k) for k, a in enumerate(window)]
        modulus = self.machine.atoms.modulus
        return [*letters, *([Residue(modulus, (residue + least) % modulus)] if modulus > 1 else [])]

    def _functional(self, level: int) -> dict[int, int]:
        """A functional that tells apart the classes of a level within one of the level below."""
        if level not in self.functionals:
            self.functionals[level] = self._new_functional(level)
        return self.functionals[level]

    def _new_functional(self, level: int) -> dict[int, int]:
        below, here = self.classes(level - 1), self.classes(level)
        one_each = {here[q]: q for q in reversed(self.region.states)}.values()
        pairs = [(p, q) for p in one_each for q in one_each if p < q and below[p] == below[q]]
        return separating(self.region.rounds[level - 1], self.inside, pairs)

    def _sum(self, level: int, functional: dict[int, int]) -> tuple[tuple[tuple[int, Counting], ...], int]:
        """The height now, by counts of labels of the level below, and the height of the start."""
        of = self.region.rounds[level - 1]
        terms: dict[Counting, int] = {}
        for a in range(len(self.machine.dfa.alphabet)):
            mine = {of.label[q, b]: q for q, b in self.inside if b == a}
            shares = {functional.get(label, 0) for label in mine}
            if len(shares) == 1 and self.machine.atoms == NO_ATOMS:
                mine = {next(iter(mine)): next(iter(mine.values()))}  # all labels of a letter count the same
            low = 0 if len(shares) == 1 and self.machine.atoms == NO_ATOMS else level - 1
            for label, q in mine.items():
                one = self.label(low, q, a)
                terms[one] = terms.get(one, 0) + functional.get(label, 0)
        begin = value(functional, of, 0 if self.start else next(iter(self.entry)))
        for p, formula in self.entry.items():  # with one entry this adds nothing
            terms[formula] = terms.get(formula, 0) + value(functional, of, p) - begin
        return tuple((times, one) for one, times in terms.items() if times), begin

    def _height(self, level: int, state: int, siblings: list[int], letter: int) -> Counting:
        """Before this letter the height was that of a state, if it was that of one of its siblings."""
        functional = self._functional(level)
        of = self.region.rounds[level - 1]
        terms, begin = self._sum(level, functional)
        own, common = of.label[state, letter], {functional.get(of.label[m], 0) for m in self.inside if m[1] == letter}
        merged = len(common) == 1 and self.machine.atoms == NO_ATOMS
        adds = next(iter(common)) if merged else functional.get(own, 0)
        adds = adds if merged or any(of.label[m] == own for m in self.inside) else 0
        heights = {value(functional, of, q) + adds - begin for q in siblings}
        return _among(terms, {value(functional, of, state) + adds - begin}, heights)

    def _exits(self) -> tuple[int, list[tuple[Move, int]]]:
        """The level that tells which moves leave, and where to; and those moves, one for each label."""
        states = set(self.region.states)

        def target(q: int, a: int) -> int:
            t = self.machine.delta[q][a]
            return -2 if t in states else t if t in self.alive else -1

        letters = range(len(self.machine.dfa.alphabet))
        level = self.level(target, letters)
        assert level is not None
        classes, moves = self.classes(level), dict[tuple[int, int], tuple[Move, int]]()
        for q in self.region.states:
            for a in letters:
                if target(q, a) != -2:
                    moves.setdefault((classes[q], a), ((q, a), target(q, a)))
        return level, list(moves.values())

    @cached_property
    def exit(self) -> Counting:
        """This letter leaves the component, if it was not left before."""
        level, moves = self._exits()
        return either(self._plain(level, move) for move, _ in moves)

    def _plain(self, level: int, move: Move) -> Counting:
        """The label of a move that leaves; of the letter alone if it always does."""
        inside = {a for _, a in self.inside}
        low = 0 if move[1] not in inside and self.machine.atoms == NO_ATOMS and self._one_target(move[1]) else level
        return self.label(low, *move)

    def _one_target(self, letter: int) -> bool:
        return len({self.machine.delta[q][letter] for q in self.region.states}) == 1

    @cached_property
    def leaving(self) -> dict[int, _Entry]:
        """For each state after the component that matters: this is the letter that leads there.

        If there is one such state, the first letter that leads there is taken, also after letters that fail: these are
        `failed`. It spares a count.
        """
        level, moves = self._exits()
        targets = sorted({t for _, t in moves} - {-1})
        some = {t: either(self._plain(level, move) for move, other in moves if other == t) for t in targets}
        if len(targets) == 1:
            only = some[targets[0]]
            return {targets[0]: _Entry(both([only, AtLeast(((-1, only),), -1)]), AtLeast(((1, only),), 1))}
        first = both([self.exit, AtLeast(((-1, self.exit),), -1)])
        here = {t: both([some[t], first]) for t in targets}
        return {t: _Entry(formula, AtLeast(((1, formula),), 1)) for t, formula in here.items()}

    @cached_property
    def failed(self) -> Counting:
        """This letter leaves for good, though one that leads on may follow; where `leaving` does not see to it."""
        level, moves = self._exits()
        if len({t for _, t in moves} - {-1}) != 1:
            return FALSE
        bad = either(self._plain(level, move) for move, t in moves if t == -1)
        good = either(self._plain(level, move) for move, t in moves if t != -1)
        return FALSE if bad == FALSE else both([bad, AtLeast(((-1, good),), 0)])

    def accepted(self, read: Reading) -> Counting:
        """The word ends in this component, and is in the language."""
        good = {q for q in self.region.states if self.machine.state[q] in self.machine.dfa.accepting}
        if not good and not any(self.machine.delta[q][a] in good for q, a in self.inside):
            return FALSE
        staying = [] if self.exit == FALSE else [AtLeast(((-1, self.exit),), 0)]
        by_state = self.level(lambda q, a: q in good, [0])
        if read == "end" or (by_state is not None and self.machine.atoms == NO_ATOMS):
            assert by_state is not None
            begun = [] if self.start else [self.begun]
            return both([*begun, *staying, self._state(by_state, good)])
        letters = range(len(self.machine.dfa.alphabet))
        states = set(self.region.states)
        level = self.level(
            lambda q, a: self.machine.delta[q][a] in good or self.machine.delta[q][a] not in states, letters
        )
        assert level is not None
        moves = {(self.classes(level)[q], a): (q, a) for q, a in self.inside if self.machine.delta[q][a] in good}
        walked = both([*staying, either(self.label(level, *move) for move in moves.values())])
        return either([walked, *(formula for p, formula in self.entry.items() if p in good)])

    def _state(self, level: int, good: set[int]) -> Counting:
        """The state after the last letter is one of some, which are whole classes of a level."""
        if len(good) == len(self.region.states):
            return TRUE
        cases = []
        of = self.region.rounds[max(level, 1) - 1]
        groups: dict[Hashable, list[int]] = {}
        for q in self.region.states:
            groups.setdefault(self.machine.seen[q], []).append(q)
        for group in groups.values():
            inside, outside = [q for q in group if q in good], [q for q in group if q not in good]
            if not inside:
                continue
            parts = self._seen(group[0], 1)
            if outside:
                functional = separating(of, self.inside, [(p, q) for p in inside for q in outside])
                terms, begin = self._sum(max(level, 1), functional)
                heights = {q: value(functional, of, q) - begin for q in group}
                parts.append(_among(terms, {heights[q] for q in inside}, set(heights.values())))
            cases.append(both(parts))
        return either(cases)


def _among(terms: tuple[tuple[int, Counting], ...], some: set[int], heights: set[int]) -> Counting:
    """A sum is one of some heights, if it is one of all those that are given."""
    ordered = sorted(heights)
    cases, run = [], list[int]()
    for at, height in enumerate(ordered):
        if height in some:
            run.append(height)
        if run and (height not in some or at == len(ordered) - 1):
            low = [] if run[0] == ordered[0] else [AtLeast(terms, run[0])]
            high = [] if run[-1] == ordered[-1] else [AtLeast(tuple((-x, one) for x, one in terms), -run[-1])]
            cases.append(both([*low, *high]))
            run = []
    return either(cases)
