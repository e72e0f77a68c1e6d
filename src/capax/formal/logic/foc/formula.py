"""First-order formulas with counting, FOC[MOD; +]: positions with remainders, and numbers that are added and compared.

There are two sorts of variables. A position p is known by its symbol, `a(p)`, and its remainder, `p % m = r`;
positions are not compared. `exists[t] p. f` says that exactly t positions p satisfy f. Numbers are added, compared and
quantified: `exists x. f`, where x is any rational number.

Cite: Chiang, Cholak and Pillay (2023), Tighter bounds on the expressivity of transformer encoders. That the numbers are
rational is our reading: over whole numbers `exists x. exists[x + x] p. a(p)` would say that the number of a is even,
and no boolean combination of linear conditions on counts, which their normal form is, says that.
"""

from dataclasses import dataclass
from itertools import product
from typing import Final, TypeAlias

from capax.errors import CapaxError
from capax.formal.automata.dfa import Word, check_formula_symbols, check_symbols
from capax.formal.logic.connectives import AllOf, AnyOf, Negated
from capax.formal.logic.fo.formula import SymbolAt
from capax.formal.logic.foc.linear import (
    FALSE,
    TRUE,
    Linear,
    LinearCondition,
    LinearSum,
    all_of,
    any_of,
    condition,
    conditions_of,
    negated,
    positive,
)

MOST_CASES: Final = 12
"""At most so many kinds of positions may count or not count, as conditions on numbers say."""


@dataclass(frozen=True, slots=True)
class RemainderAt:
    """The index of a position, divided by a number, leaves a remainder."""

    variable: str
    modulus: int
    remainder: int


@dataclass(frozen=True, slots=True)
class Exactly:
    """Exactly so many positions satisfy the formula."""

    count: LinearSum
    variable: str
    one: "FocFormula"


@dataclass(frozen=True, slots=True)
class SomeNumber:
    """There is a rational number with which the formula holds."""

    variable: str
    one: "FocFormula"


FocFormula: TypeAlias = (
    SymbolAt
    | RemainderAt
    | Exactly
    | SomeNumber
    | LinearCondition
    | Negated["FocFormula"]
    | AllOf["FocFormula"]
    | AnyOf["FocFormula"]
)


def foc_subformulas(formula: FocFormula) -> "list[FocFormula]":
    """A formula and all parts, as often as they occur."""
    every, stack = [], [formula]
    while stack:
        node = stack.pop()
        every.append(node)
        match node:
            case Exactly(_, _, one) | SomeNumber(_, one) | Negated(one):
                stack.append(one)
            case AllOf(parts) | AnyOf(parts):
                stack += parts
    return every


@dataclass(frozen=True, slots=True)
class FocLanguage:
    """The words over an alphabet of which a sentence holds."""

    formula: FocFormula
    alphabet: tuple[str, ...]

    def __post_init__(self) -> None:
        symbols = (part.symbol for part in foc_subformulas(self.formula) if isinstance(part, SymbolAt))
        check_formula_symbols(symbols, self.alphabet)

    def accepts(self, word: Word) -> bool:
        """Whether the sentence holds of a word: the definition, which is slow (`FocNormalForm` is fast)."""
        check_symbols(word, self.alphabet)
        return foc_holds(self.formula, word)


def foc_holds(formula: FocFormula, word: Word) -> bool:
    """Whether a sentence holds of a word: positions are tried one by one, numbers by Fourier's and Motzkin's method."""
    ground = _ground(formula, word, {})
    assert not any(one.variables for one in conditions_of(ground)), "a sentence has no free variables"
    return ground == TRUE


def _ground(formula: FocFormula, word: Word, at: dict[str, int]) -> Linear:
    """What a formula says of a word about its numbers, with positions for the free variables."""
    match formula:
        case SymbolAt(symbol, variable):
            return TRUE if word[at[variable]] == symbol else FALSE
        case RemainderAt(variable, modulus, remainder):
            return TRUE if at[variable] % modulus == remainder else FALSE
        case LinearCondition(total, kind):
            return condition(total, kind)
        case Negated(one):
            return negated(_ground(one, word, at))
        case AllOf(parts):
            return all_of(_ground(part, word, at) for part in parts)
        case AnyOf(parts):
            return any_of(_ground(part, word, at) for part in parts)
        case Exactly(count, variable, one):
            says = [_ground(one, word, {**at, variable: i}) for i in range(len(word))]
            return counted([(LinearSum((), 1), part) for part in says], count)
        case SomeNumber(variable, one):
            return any_of(_projected(variable, conjunction) for conjunction in _cases(_ground(one, word, at)))


def counted(kinds: list[tuple[LinearSum, Linear]], count: LinearSum, natural: frozenset[str] = frozenset()) -> Linear:
    """The sizes of the kinds of which a condition holds sum to a number: a case for each choice that is undecided."""
    total = LinearSum((), 0)
    undecided = []
    for size, says in kinds:
        if says == TRUE:
            total = total.plus(size)
        elif says != FALSE:
            undecided.append((size, says))
    if len(undecided) > MOST_CASES:
        what = f"{len(undecided)} kinds of positions count or not, as numbers say; at most {MOST_CASES} are tried"
        raise CapaxError("too-large", what, hint="fewer counts inside each other")
    cases = []
    for chosen in product((True, False), repeat=len(undecided)):
        sizes = total
        for (size, _), counts in zip(undecided, chosen, strict=True):
            sizes = sizes.plus(size) if counts else sizes
        parts = [
            says if counts else negated(says, natural) for (_, says), counts in zip(undecided, chosen, strict=True)
        ]
        cases.append(all_of([*parts, condition(sizes.plus(count, -1), "=", natural)]))
    return any_of(cases)


def _cases(formula: Linear) -> list[list[LinearCondition]]:
    """The formula as an OR of ANDs."""
    match positive(formula):
        case LinearCondition() as one:
            return [[one]]
        case AnyOf(parts):
            return [case for part in parts for case in _cases(part)]
        case AllOf(parts):
            return [[one for case in cases for one in case] for cases in product(*(_cases(part) for part in parts))]
        case _:
            raise AssertionError("a formula without NOT")


def _projected(name: str, conjunction: list[LinearCondition]) -> Linear:
    """There is a number with which all conditions hold: each bound from below is at most each from above."""
    lower: list[tuple[LinearSum, int, bool]] = []
    upper: list[tuple[LinearSum, int, bool]] = []
    rest: list[tuple[LinearSum, int, bool]] = []
    for one in conjunction:
        both = [one.sum, LinearSum((), 0).plus(one.sum, -1)] if one.kind == "=" else [one.sum]
        for total in both:
            factor = total.coefficient(name)
            strict = one.kind == ">"
            (rest if not factor else lower if factor > 0 else upper).append((total, abs(factor), strict))
    parts = [condition(total, ">" if strict else ">=") for total, _, strict in rest]
    for low, below, open_below in lower:
        for high, above, open_above in upper:
            joined = low.without(name).plus(high.without(name), below, above)
            parts.append(condition(joined, ">" if open_below or open_above else ">="))
    return all_of(parts)
