"""The automaton of a sentence of FO[Mon] over finer letters: a symbol with the truth of each numerical predicate there.

Over these letters a sentence is one of first-order logic of order alone, so that its language is star-free, and its
minimal automaton has no group. The automaton is made from the inside: below a quantifier letters also say which
variables stand there, and "there is a position" forgets one of them and makes the rest deterministic. Each quantifier
may make the automaton exponentially larger, and no method avoids that in the worst case: a budget bounds the states,
and with them the steps of making it.

Cite: Buchi (1960), Elgot (1961) and Trakhtenbrot (1961) for the method; McNaughton and Papert (1971) for star-free.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

from capax.errors import CapaxError
from capax.formal.automata.dfa import Dfa, Word
from capax.formal.logic.connectives import AllOf, AnyOf, Negated
from capax.formal.logic.fo.formula import (
    Before,
    FoFormula,
    FoLanguage,
    NumericalAt,
    SamePosition,
    SomePosition,
    SymbolAt,
    fo_predicates,
    quantifier_depth,
)
from capax.notation.numerical import PositionPredicate

MOST_LETTERS: Final = 2_000
"""The most letters with marks for variables that an automaton is made over."""
STEPS: Final = 200
"""The steps of making an automaton, for each state that the budget allows; a step is about a next state."""
PLAIN_CELLS: Final = 5_000
"""Up to so many assignments of positions to variables, a word is asked of the formula itself."""


@dataclass(frozen=True, slots=True)
class FinerLetters:
    """The letters of an automaton: a symbol and the truth of each predicate at its position."""

    alphabet: tuple[str, ...]
    predicates: tuple[PositionPredicate, ...]

    @property
    def letters(self) -> tuple[tuple[str, tuple[bool, ...]], ...]:
        """Every letter, in order: for each symbol all truth values."""
        return tuple(product(self.alphabet, product((False, True), repeat=len(self.predicates))))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the letters, such as `a 01`."""
        if not self.predicates:
            return self.alphabet
        return tuple(f"{symbol} {''.join('01'[bit] for bit in bits)}" for symbol, bits in self.letters)

    def word(self, word: Word) -> list[str]:
        """The finer letters of a word."""
        names = dict(zip(self.letters, self.names, strict=True))
        rows = [predicate.row(len(word)) for predicate in self.predicates]
        return [names[symbol, tuple(row[i] for row in rows)] for i, symbol in enumerate(word)]


def fo_automaton(language: FoLanguage, *, budget: int = 20_000) -> tuple[Dfa, FinerLetters]:
    """The minimal automaton of a sentence over finer letters, and these; more states than the budget are an error."""
    finer = FinerLetters(language.alphabet, fo_predicates(language.formula))
    depth = quantifier_depth(language.formula)
    if len(finer.alphabet) << (len(finer.predicates) + depth) > MOST_LETTERS:
        what = (
            f"{len(finer.alphabet)} symbols, {len(finer.predicates)} predicates and {depth} variables inside each other"
        )
        raise CapaxError("too-large", f"{what} make more than {MOST_LETTERS:,} letters", hint="a smaller formula")
    return _AutomatonMaker(finer, budget).automaton(language.formula, ()), finer


def fo_membership(language: FoLanguage, dfa: Dfa, finer: FinerLetters) -> Callable[[Word], bool]:
    """Whether a sentence holds of a word: by the sentence itself where that is cheap, by its automaton elsewhere."""
    depth = quantifier_depth(language.formula)

    def accepts(word: Word) -> bool:
        if len(word) ** depth <= PLAIN_CELLS:
            return language.accepts(word)
        language.require_symbols(word)
        return dfa.accepts(finer.word(word))

    return accepts


class _AutomatonMaker:
    """Makes automata of formulas; a letter is a finer letter and a mark for each variable around the formula."""

    def __init__(self, finer: FinerLetters, budget: int) -> None:
        self._finer = finer
        self._budget = budget
        self._steps = 0

    def _letters(self, rank: int) -> list[tuple[str, tuple[bool, ...], tuple[bool, ...]]]:
        return [(s, b, marks) for (s, b) in self._finer.letters for marks in product((False, True), repeat=rank)]

    def _names(self, rank: int) -> tuple[str, ...]:
        if not rank:
            return self._finer.names
        return tuple(f"{name} {at}" for name in self._finer.names for at in range(1 << rank))

    def automaton(self, formula: FoFormula, scope: tuple[str, ...]) -> Dfa:
        """The minimal automaton of a formula; right on words in which each variable has one mark."""
        match formula:
            case SymbolAt(symbol, variable):
                at = _axis(scope, variable)
                return self._marked(scope, lambda s, bits, marks: (s == symbol) if marks[at] else None)
            case NumericalAt(predicate, variable):
                number = self._finer.predicates.index(predicate)
                if not variable:
                    return self._first(scope, number, predicate.holds(0, 0))
                at = _axis(scope, variable)
                return self._marked(scope, lambda s, bits, marks: bits[number] if marks[at] else None)
            case Before(left, right) | SamePosition(left, right):
                one, other = _axis(scope, left), _axis(scope, right)
                same = isinstance(formula, SamePosition)
                return self._ordered(scope, one, other, same)
            case Negated(one_part):
                return self.automaton(one_part, scope).complement().minimal()
            case AllOf(parts) | AnyOf(parts):
                return self._joined(parts, scope, isinstance(formula, AllOf))
            case SomePosition(variable, one_part):
                return self._some(self.automaton(one_part, (*scope, variable)), len(scope))

    def _joined(self, parts: Sequence[FoFormula], scope: tuple[str, ...], every: bool) -> Dfa:
        names = self._names(len(scope))
        total = Dfa(names, ((0,) * len(names),), 0, frozenset({0} if every else ()))
        for part in parts:
            other = self.automaton(part, scope)
            self._require(total.size * other.size)
            self._spend(total.size * other.size * len(names))
            total = total.combined(other, (lambda p, q: p and q) if every else (lambda p, q: p or q))
        return total

    def _marked(
        self,
        scope: tuple[str, ...],
        says: Callable[[str, tuple[bool, ...], tuple[bool, ...]], bool | None],
    ) -> Dfa:
        """The automaton of what one letter says: states are not yet, yes, no; None is a letter that says nothing."""
        first = tuple({None: 0, True: 1, False: 2}[says(*letter)] for letter in self._letters(len(scope)))
        return Dfa(self._names(len(scope)), (first, (1,) * len(first), (2,) * len(first)), 0, frozenset({1})).minimal()

    def _first(self, scope: tuple[str, ...], number: int, empty: bool) -> Dfa:
        """The automaton of a predicate of the length alone, which every letter says."""
        first = tuple(1 if bits[number] else 2 for _, bits, _ in self._letters(len(scope)))
        accepting = frozenset({0, 1} if empty else {1})
        return Dfa(self._names(len(scope)), (first, (1,) * len(first), (2,) * len(first)), 0, accepting).minimal()

    def _ordered(self, scope: tuple[str, ...], one: int, other: int, same: bool) -> Dfa:
        """The automaton of two variables: states are none yet, the first was seen, yes, no."""
        rows: list[tuple[int, ...]] = []
        for seen in (False, True):
            row = []
            for _, _, marks in self._letters(len(scope)):
                if not (marks[one] or marks[other]):
                    row.append(int(seen))
                elif marks[one] and marks[other]:
                    row.append(2 if same else 3)
                elif same or (marks[other] and not seen):
                    row.append(3)
                else:
                    row.append(2 if marks[other] else 1)
            rows.append(tuple(row))
        rows += [(2,) * len(rows[0]), (3,) * len(rows[0])]
        return Dfa(self._names(len(scope)), tuple(rows), 0, frozenset({2})).minimal()

    def _some(self, inner: Dfa, rank: int) -> Dfa:
        """The automaton of "at some position": the last variable's mark stands at one letter, whichever.

        A state is that of the automaton before the mark, and the set of those after it.
        """
        width = len(self._names(rank))
        begin = (inner.start, frozenset[int]())
        numbers, queue, delta = {begin: 0}, [begin], []
        for before, after in queue:  # the queue grows while it is read
            self._spend(width * (1 + len(after) // 16))
            row = []
            for letter in range(width):
                plain, marked = 2 * letter, 2 * letter + 1
                reached = frozenset(inner.delta[q][plain] for q in after) | {inner.delta[before][marked]}
                state = (inner.delta[before][plain], reached)
                if state not in numbers:
                    self._require(len(numbers) + 1)
                    numbers[state] = len(numbers)
                    queue.append(state)
                row.append(numbers[state])
            delta.append(tuple(row))
        accepting = frozenset(at for (_, after), at in numbers.items() if after & inner.accepting)
        return Dfa(self._names(rank), tuple(delta), 0, accepting).minimal()

    def _require(self, states: int) -> None:
        if states > self._budget:
            what = f"the automaton of the formula has more than {self._budget:,} states before it is made minimal"
            raise CapaxError("too-large", what, hint="a smaller formula, or a larger --budget")

    def _spend(self, steps: int) -> None:
        self._steps += steps
        if self._steps > STEPS * self._budget:
            what = f"the automaton of the formula takes more than {STEPS * self._budget:,} steps to make"
            raise CapaxError("too-large", what, hint="fewer quantifiers inside each other, or a larger --budget")


def _axis(scope: tuple[str, ...], variable: str) -> int:
    """Which of the marks is a variable's: the innermost of its name."""
    return len(scope) - 1 - scope[::-1].index(variable)
