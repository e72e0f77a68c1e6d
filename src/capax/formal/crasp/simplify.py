"""Formulas made shorter: each part of a conjunction uses what the others say, and what is the same is taken out.

Every rule keeps the meaning at each position, before the first letter and at an end marker. Only the last one does not:
that some letter stands at a position is left out inside counts, where no marker is counted.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import gcd
from typing import Final, TypeAlias

from capax.formal.logic.counting import (
    FALSE,
    TRUE,
    All,
    AtLeast,
    Counting,
    LetterBefore,
    Negation,
    Residue,
    Symbol,
    both,
    counting_depth,
    counting_subformulas,
    either,
    negated,
)

Terms: TypeAlias = tuple[tuple[int, Counting], ...]
TURNS: Final = 4
"""A conjunction is gone through at most so many times."""
LARGEST: Final = 4_000
"""A formula with more parts is left as it is."""


def simplified(formula: Counting, alphabet: Sequence[str], *, marker: bool) -> Counting:
    """A formula with the same meaning on all words over an alphabet, and no more parts or layers.

    `marker` says whether it may be read at an end marker.

    >>> from capax.formal.logic.counting_text import counting_printed, parse_counting
    >>> counting_printed(simplified(parse_counting("a & (!a | #[b] >= 2) & #[b] >= 1"), "ab", marker=False))
    "'a' & (#['b'] >= 2)"
    """
    ordered = counting_subformulas(formula)
    if len(ordered) > LARGEST:
        return formula
    letters = None if marker else frozenset(alphabet)
    new: dict[Counting, Counting] = {}
    for node in ordered:
        match node:
            case Negation(one):
                new[node] = negated(new[one])
            case All(parts):
                new[node] = _conjunction(new[one] for one in parts)
            case AtLeast(terms, least):
                new[node] = _comparison([(times, _counted(new[one], letters)) for times, one in terms], least)
            case _:
                new[node] = node
    shorter = new[formula]
    before, after = ((counting_depth(one), len(counting_subformulas(one))) for one in (formula, shorter))
    return shorter if after[0] <= before[0] and after[1] <= before[1] else formula


def _comparison(terms: Iterable[tuple[int, Counting]], least: int) -> Counting:
    """A comparison without parts that are never counted, and with coefficients without a common divisor."""
    added: dict[Counting, int] = {}
    for times, one in terms:
        if one != FALSE:
            added[one] = added.get(one, 0) + times
    kept = [(times, one) for one, times in added.items() if times]
    common = gcd(*(times for times, _ in kept)) or 1
    bound = -(-least // common)
    if bound <= 0 and all(times > 0 for times, _ in kept):
        return TRUE
    if bound > 0 and all(times < 0 for times, _ in kept):
        return FALSE
    return AtLeast(tuple((times // common, one) for times, one in kept), bound)


def _counted(part: Counting, letters: frozenset[str] | None) -> Counting:
    """A part of a sum, without the condition that some letter stands there."""
    if letters is None:
        return part
    kept = [one for one in _parts(part) if _some_letter(one) != letters]
    return part if len(kept) == len(_parts(part)) else both(kept)


def _some_letter(part: Counting) -> frozenset[str] | None:
    """The letters of which a formula says that one of them stands here."""
    if isinstance(part, Symbol):
        return frozenset([part.symbol])
    if not (isinstance(part, Negation) and isinstance(part.one, All)):
        return None
    symbols = {one.one.symbol for one in part.one.parts if isinstance(one, Negation) and isinstance(one.one, Symbol)}
    return frozenset(symbols) if len(symbols) == len(part.one.parts) else None


def _parts(formula: Counting) -> tuple[Counting, ...]:
    return formula.parts if isinstance(formula, All) else (formula,)


def _conjunction(parts: Iterable[Counting]) -> Counting:
    """All of several hold, each said once."""
    formula = both(parts)
    for _ in range(TURNS):
        before = formula
        if not isinstance(before, All) or before == TRUE:
            return formula
        facts = _Facts.of(before.parts)
        if facts is None:
            return FALSE
        formula = both([*facts.plain, *_taken_out([facts.used(one) for one in facts.others])])
        if formula == before:
            break
    return formula


def _taken_out(parts: Sequence[Counting]) -> list[Counting]:
    """Not (a and P), and not (b and P): not ((a or b) and P), for letters a and b."""
    rest: dict[frozenset[Counting], list[Counting]] = {}
    other: list[Counting] = []
    for part in parts:
        inner = _parts(part.one) if isinstance(part, Negation) else ()
        symbols = [one for one in inner if isinstance(one, Symbol)]
        if len(symbols) == 1 and len(inner) > 1:
            rest.setdefault(frozenset(inner) - {symbols[0]}, []).append(part)
        else:
            other.append(part)
    for same, some in rest.items():
        if len(some) == 1:
            other += some
            continue
        inners = [_parts(part.one) for part in some if isinstance(part, Negation)]
        letters = either(one for inner in inners for one in inner if isinstance(one, Symbol))
        other.append(negated(both([letters, *(one for one in inners[0] if one in same)])))
    return other


@dataclass(frozen=True, slots=True)
class _Facts:
    """What the parts of a conjunction say: the letter, the truth of atoms, and bounds of sums.

    `plain` are the parts that say it, each once; `others` are the rest.
    """

    letter: Symbol | None
    truth: Mapping[Counting, bool]
    bounds: Mapping[Terms, tuple[int | None, int | None]]
    others: tuple[Counting, ...]
    plain: list[Counting] = field(default_factory=list)

    @staticmethod
    def of(parts: Sequence[Counting]) -> "_Facts | None":
        """The facts; None if they contradict each other."""
        truth: dict[Counting, bool] = {}
        bounds: dict[Terms, tuple[int | None, int | None]] = {}
        others: list[Counting] = []
        for part in parts:
            atom, holds = (part.one, False) if isinstance(part, Negation) else (part, True)
            if isinstance(atom, AtLeast):
                terms, low, high = _bound(atom, holds)
                old = bounds.get(terms, (None, None))
                bounds[terms] = _tighter(old[0], low, max), _tighter(old[1], high, min)
            elif isinstance(atom, All):
                others.append(part)
            elif truth.setdefault(atom, holds) != holds:
                return None
        symbols = [atom for atom, holds in truth.items() if holds and isinstance(atom, Symbol)]
        if len(symbols) > 1 or any(None not in pair and pair[0] > pair[1] for pair in bounds.values()):  # type: ignore[operator]
            return None
        facts = _Facts(symbols[0] if symbols else None, truth, bounds, tuple(others))
        facts.plain.extend(facts._said())
        return facts

    def _said(self) -> list[Counting]:
        """The facts as parts of a conjunction, without those that the letter says."""
        said: list[Counting] = [] if self.letter is None else [self.letter]
        for atom, holds in self.truth.items():
            if atom != self.letter and not (self.letter is not None and isinstance(atom, Symbol)):
                said.append(atom if holds else Negation(atom))
        for terms, (low, high) in self.bounds.items():
            if low is not None and not (high is None and self._here(terms, low)):
                said.append(AtLeast(terms, low))
            if high is not None:
                said.append(AtLeast(tuple((-times, one) for times, one in terms), -high))
        return said

    def _here(self, terms: Terms, low: int) -> bool:
        """Whether a count is at least one since what is counted holds here, by the letter."""
        return self.letter is not None and low <= 1 and len(terms) == 1 and terms[0] == (1, self.letter)

    def used(self, part: Counting) -> Counting:
        """A part, with what the facts say of its atoms."""
        if isinstance(part, Negation):
            return negated(self.used(part.one))
        if isinstance(part, All):
            return both(self.used(one) for one in part.parts)
        known = self._known(part)
        return part if known is None else TRUE if known else FALSE

    def _known(self, atom: "Symbol | LetterBefore | Residue | AtLeast") -> bool | None:
        if isinstance(atom, AtLeast):
            terms, low, high = _bound(atom, True)
            least, most = self.bounds.get(terms, (None, None))
            if low is not None:
                holds = (least is not None and least >= low) or self._here(terms, low)
                return True if holds else False if most is not None and most < low else None
            assert high is not None
            return True if most is not None and most <= high else False if least is not None and least > high else None
        if self.letter is not None and isinstance(atom, Symbol):
            return atom == self.letter
        return self.truth.get(atom)


def _bound(atom: AtLeast, holds: bool) -> tuple[Terms, int | None, int | None]:
    """A comparison as a sum, of which the first term is added, with its least or its greatest value."""
    low, high = (atom.least, None) if holds else (None, atom.least - 1)
    if not atom.terms or atom.terms[0][0] > 0:
        return atom.terms, low, high
    turned = tuple((-times, one) for times, one in atom.terms)
    return turned, None if high is None else -high, None if low is None else -low


def _tighter(old: int | None, new: int | None, pick: Callable[[int, int], int]) -> int | None:
    return new if old is None else old if new is None else pick(old, new)
