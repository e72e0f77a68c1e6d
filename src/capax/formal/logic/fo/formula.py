"""First-order formulas about the positions of a word, with numerical predicates of one position: FO[Mon].

Variables stand for positions 0, ..., n - 1. Besides `a(x)` (the symbol a stands at x), `x < y` and `x = y` a formula
may use any predicate of a single position and the length of the word, such as `{isprime(x + 1)}` or `{2 * x < n}`.

Cite: Barcelo, Kozachinskiy, Lin and Podolskii (2024), Logical languages accepted by transformer encoders with hard
attention, where such predicates may depend on the length; Barrington et al. (2005) for the name Mon.
"""

from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

from capax.errors import CapaxError
from capax.formal.automata.dfa import Word, check_formula_symbols, check_symbols
from capax.formal.logic.connectives import AllOf, AnyOf, Negated
from capax.notation.numerical import PositionPredicate

MOST_CELLS: Final = 20_000_000
"""The most assignments of positions to variables that are looked at for one word."""


@dataclass(frozen=True, slots=True)
class SymbolAt:
    """The symbol stands at the position."""

    symbol: str
    variable: str


@dataclass(frozen=True, slots=True)
class Before:
    """One position is before another."""

    left: str
    right: str


@dataclass(frozen=True, slots=True)
class SamePosition:
    """Two variables stand for one position."""

    left: str
    right: str


@dataclass(frozen=True, slots=True)
class NumericalAt:
    """A predicate holds at the position; of a predicate of the length alone, the variable is empty."""

    predicate: PositionPredicate
    variable: str


@dataclass(frozen=True, slots=True)
class SomePosition:
    """There is a position at which the formula holds."""

    variable: str
    one: "FoFormula"


FoFormula: TypeAlias = (
    SymbolAt
    | Before
    | SamePosition
    | NumericalAt
    | SomePosition
    | Negated["FoFormula"]
    | AllOf["FoFormula"]
    | AnyOf["FoFormula"]
)


def fo_parts(formula: FoFormula) -> "tuple[FoFormula, ...]":
    """What a formula is made of directly."""
    match formula:
        case SomePosition(_, one) | Negated(one):
            return (one,)
        case AllOf(parts) | AnyOf(parts):
            return parts
        case _:
            return ()


def fo_subformulas(formula: FoFormula) -> "list[FoFormula]":
    """A formula and all parts, as often as they stand in it."""
    every, stack = [], [formula]
    while stack:
        every.append(stack.pop())
        stack += fo_parts(every[-1])
    return every


def fo_predicates(formula: FoFormula) -> tuple[PositionPredicate, ...]:
    """The numerical predicates of a formula, each once."""
    nodes = [node for node in fo_subformulas(formula) if isinstance(node, NumericalAt)]
    return tuple(dict.fromkeys(node.predicate for node in reversed(nodes)))


def quantifier_depth(formula: FoFormula) -> int:
    """The most quantifiers inside each other."""
    inner = max((quantifier_depth(part) for part in fo_parts(formula)), default=0)
    return inner + isinstance(formula, SomePosition)


@dataclass(frozen=True, slots=True)
class FoLanguage:
    """The words over an alphabet of which a sentence holds."""

    formula: FoFormula
    alphabet: tuple[str, ...]

    def __post_init__(self) -> None:
        symbols = (part.symbol for part in fo_subformulas(self.formula) if isinstance(part, SymbolAt))
        check_formula_symbols(symbols, self.alphabet)

    def accepts(self, word: Word) -> bool:
        """Whether the sentence holds of a word."""
        self.require_symbols(word)
        return holds_fast(self.formula, word)

    def require_symbols(self, word: Word) -> None:
        """An error for a symbol that is not in the alphabet."""
        check_symbols(word, self.alphabet)


def fo_holds(formula: FoFormula, word: Word, at: dict[str, int] | None = None) -> bool:
    """Whether a formula holds of a word, with positions for its free variables: the definition, by trying positions."""
    positions = at or {}
    match formula:
        case SymbolAt(symbol, variable):
            return word[positions[variable]] == symbol
        case Before(left, right):
            return positions[left] < positions[right]
        case SamePosition(left, right):
            return positions[left] == positions[right]
        case NumericalAt(predicate, variable):
            return predicate.holds(positions[variable] if variable else 0, len(word))
        case SomePosition(variable, one):
            return any(fo_holds(one, word, {**positions, variable: i}) for i in range(len(word)))
        case Negated(one):
            return not fo_holds(one, word, positions)
        case AllOf(parts):
            return all(fo_holds(part, word, positions) for part in parts)
        case AnyOf(parts):
            return any(fo_holds(part, word, positions) for part in parts)


def holds_fast(formula: FoFormula, word: Word) -> bool:
    """The same by arrays: the truth of each part for all positions of the variables around it at once."""
    depth = quantifier_depth(formula)
    if len(word) ** depth > MOST_CELLS:
        what = f"{depth} variables over {len(word):,} positions are more than {MOST_CELLS:,} cases"
        raise CapaxError("too-large", what, hint="a shorter word, or fewer quantifiers inside each other")
    return bool(_table(formula, list(word), ()))


def _table(
    formula: FoFormula, word: list[str], scope: tuple[str, ...]
) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """The truth of a formula, an axis of positions for each variable of the scope (of length 1 where it is unused)."""
    n, rank = len(word), len(scope)

    def along(variable: str, row: list[bool]) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
        axis = rank - 1 - scope[::-1].index(variable)
        return np.array(row, np.bool_).reshape([n if k == axis else 1 for k in range(rank)])

    def positions(variable: str) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
        axis = rank - 1 - scope[::-1].index(variable)
        return np.arange(n).reshape([n if k == axis else 1 for k in range(rank)])

    match formula:
        case SymbolAt(symbol, variable):
            return along(variable, [symbol == here for here in word])
        case Before(left, right):
            return np.asarray(positions(left) < positions(right))
        case SamePosition(left, right):
            return np.asarray(positions(left) == positions(right))
        case NumericalAt(predicate, variable):
            if variable:
                return along(variable, predicate.row(n))
            return np.full([1] * rank, predicate.holds(0, n))
        case SomePosition(variable, one):
            inner = _table(one, word, (*scope, variable))
            return np.asarray(inner.any(axis=-1)) if n else np.zeros([1] * rank, np.bool_)
        case Negated(one):
            return ~_table(one, word, scope)
        case AllOf(parts) | AnyOf(parts):
            join = np.logical_and if isinstance(formula, AllOf) else np.logical_or
            total = np.full([1] * rank, isinstance(formula, AllOf))
            for part in parts:
                total = join(total, _table(part, word, scope))
            return total
