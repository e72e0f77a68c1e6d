"""Temporal formulas with counts and numerical predicates: LTL + C[Mon].

A formula holds or not at each position i of a word of length n. All temporal operators are strict: they speak of
earlier (S, Y, P, H) or later (U, X, F, G) positions only, as in `capax.formal.logic.ltl`:

- `a S b`: at some j < i, b holds, and a holds at every k with j < k < i; `a U b`: the same to the right;
- `Y a` and `X a`: a holds at i - 1, at i + 1; `P a`, `F a`: at some earlier, later position; `H a`, `G a`: at all.

`#<[a]` is the number of positions up to and including i at which a holds, `#>[a]` from i on, `#[a]` in the whole word;
sums of counts times whole numbers are compared. A numerical predicate is any function of i and n to true or false. A
word is in the language if the formula holds at its last position; the empty word, which has none, is not.

Cite: Barcelo, Kozachinskiy, Lin and Podolskii (2024), Logical languages accepted by transformer encoders with hard
attention. There a formula is read at the first position; with operators to both sides the two are the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import Final, Literal, TypeAlias

from capax.formal.automata.dfa import Word, check_formula_symbols, check_symbols
from capax.formal.logic.connectives import AllOf, AnyOf, Negated
from capax.notation.numerical import PositionPredicate

PastOp: TypeAlias = Literal["S", "Y", "P", "H"]
FutureOp: TypeAlias = Literal["U", "X", "F", "G"]
MIRROR: Final[dict[str, PastOp]] = {"U": "S", "X": "Y", "F": "P", "G": "H"}
"""Each operator of the future, and that of the past which it mirrors."""
Side: TypeAlias = Literal["<", ">", ""]
"""Which positions are counted: up to here, from here on, all."""


@dataclass(frozen=True, slots=True)
class SymbolHere:
    """The symbol stands here."""

    symbol: str


@dataclass(frozen=True, slots=True)
class NumericalHere:
    """A predicate of the position and the length holds here."""

    predicate: PositionPredicate


@dataclass(frozen=True, slots=True)
class Temporal:
    """An operator of the past or the future on one part, or on two (S, U)."""

    op: PastOp | FutureOp
    parts: "tuple[LtlcFormula, ...]"


@dataclass(frozen=True, slots=True)
class PositionCount:
    """How often a formula holds, on one side of a position or in the whole word."""

    side: Side
    one: "LtlcFormula"


@dataclass(frozen=True, slots=True)
class CountsAtLeast:
    """A sum of counts, each times a whole number, is at least a number."""

    terms: tuple[tuple[int, PositionCount], ...]
    least: int


LtlcFormula: TypeAlias = (
    SymbolHere
    | NumericalHere
    | Temporal
    | CountsAtLeast
    | Negated["LtlcFormula"]
    | AllOf["LtlcFormula"]
    | AnyOf["LtlcFormula"]
)


def ltlc_parts(formula: LtlcFormula) -> "tuple[LtlcFormula, ...]":
    """What a formula is made of directly."""
    match formula:
        case SymbolHere() | NumericalHere():
            return ()
        case Temporal(_, parts) | AllOf(parts) | AnyOf(parts):
            return parts
        case Negated(one):
            return (one,)
        case CountsAtLeast(terms):
            return tuple(count.one for _, count in terms)


@lru_cache(maxsize=64)
def ltlc_subformulas(formula: LtlcFormula) -> "tuple[LtlcFormula, ...]":
    """A formula and all parts, each once, parts before what is made of them."""
    ordered: dict[LtlcFormula, None] = {}
    stack = [formula]
    while stack:
        ahead = [part for part in reversed(ltlc_parts(stack[-1])) if part not in ordered]
        if ahead:
            stack += ahead
        else:
            ordered.setdefault(stack.pop())
    return tuple(ordered)


@dataclass(frozen=True, slots=True)
class LtlcLanguage:
    """The words over an alphabet at whose last position a formula holds."""

    formula: LtlcFormula
    alphabet: tuple[str, ...]

    def __post_init__(self) -> None:
        symbols = (part.symbol for part in ltlc_subformulas(self.formula) if isinstance(part, SymbolHere))
        check_formula_symbols(symbols, self.alphabet)

    def accepts(self, word: Word) -> bool:
        """Whether the formula holds at the last position."""
        check_symbols(word, self.alphabet)
        return bool(word) and ltlc_lines(self.formula, word)[-1]


def ltlc_holds(formula: LtlcFormula, word: Word, i: int) -> bool:
    """Whether a formula holds at a position of a word: the definition."""
    n = len(word)
    match formula:
        case SymbolHere(symbol):
            return word[i] == symbol
        case NumericalHere(predicate):
            return predicate.holds(i, n)
        case Negated(one):
            return not ltlc_holds(one, word, i)
        case AllOf(parts):
            return all(ltlc_holds(part, word, i) for part in parts)
        case AnyOf(parts):
            return any(ltlc_holds(part, word, i) for part in parts)
        case CountsAtLeast(terms, least):
            return sum(times * _count(count, word, i) for times, count in terms) >= least
        case Temporal(op, parts):
            # Walking away from i, in the direction that the operator looks to.
            away = list(range(i + 1, n)) if op in MIRROR else list(range(i - 1, -1, -1))
            return _away(MIRROR.get(op, op), parts, word, away)


def _count(count: PositionCount, word: Word, i: int) -> int:
    first = i if count.side == ">" else 0
    last = i + 1 if count.side == "<" else len(word)
    return sum(ltlc_holds(count.one, word, j) for j in range(first, last))


def _away(op: str, parts: "tuple[LtlcFormula, ...]", word: Word, away: Sequence[int]) -> bool:
    match op:
        case "Y":
            return bool(away) and ltlc_holds(parts[0], word, away[0])
        case "P":
            return any(ltlc_holds(parts[0], word, j) for j in away)
        case "H":
            return all(ltlc_holds(parts[0], word, j) for j in away)
        case _:
            return any(
                ltlc_holds(parts[1], word, j) and all(ltlc_holds(parts[0], word, k) for k in away[:at])
                for at, j in enumerate(away)
            )


def ltlc_lines(formula: LtlcFormula, word: Word) -> list[bool]:
    """Whether a formula holds at each position of a word: every part once, along the word."""
    truth: dict[LtlcFormula, list[bool]] = {}
    for node in ltlc_subformulas(formula):
        truth[node] = _line(node, truth, word)
    return truth[formula]


def _line(node: LtlcFormula, truth: "dict[LtlcFormula, list[bool]]", word: Word) -> list[bool]:
    n = len(word)
    match node:
        case SymbolHere(symbol):
            return [symbol == here for here in word]
        case NumericalHere(predicate):
            return predicate.row(n)
        case Negated(one):
            return [not here for here in truth[one]]
        case AllOf(parts):
            return [all(truth[part][i] for part in parts) for i in range(n)]
        case AnyOf(parts):
            return [any(truth[part][i] for part in parts) for i in range(n)]
        case CountsAtLeast(terms, least):
            counts = [(times, _counts(count.side, truth[count.one])) for times, count in terms]
            return [sum(times * line[i] for times, line in counts) >= least for i in range(n)]
        case Temporal(op, parts):
            lines = [truth[part] for part in parts]
            if op in MIRROR:
                return _past(MIRROR[op], [line[::-1] for line in lines])[::-1]
            return _past(op, lines)


def _counts(side: Side, line: list[bool]) -> list[int]:
    if side == "":
        return [sum(line)] * len(line)
    if side == "<":
        return list(accumulate(map(int, line)))
    return list(accumulate(map(int, line[::-1])))[::-1]


def _past(op: str, lines: list[list[bool]]) -> list[bool]:
    """The values of an operator of the past from those of its parts."""
    values, state = [], op == "H"
    for here in zip(*lines, strict=True):
        values.append(state)
        match op:
            case "S":
                state = here[1] or (here[0] and state)
            case "Y":
                state = here[0]
            case "P":
                state = here[0] or state
            case _:
                state = here[0] and state
    return values
