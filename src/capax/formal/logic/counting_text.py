"""Formulas of counting logic as text: `#[a] >= 2*#[b] + 1 & !c`.

Connectives are `! & | ->`; `#[a]` (or `#<[a]`) is how often a held up to here; sums of counts are compared by
`< <= > >= = !=`; symbols are small letters, digits or quoted. `P a` (once) is `#[a] >= 1`, and `H a` (always) is
`#[!a] = 0`. What `counting_printed` prints of a formula without local and periodic atoms is read back.
"""

from typing import Final, assert_never

from capax.errors import CapaxError
from capax.formal.logic.connectives import AllOf, AnyOf, Negated
from capax.formal.logic.counting import (
    All,
    AtLeast,
    Counting,
    LetterBefore,
    Negation,
    Residue,
    Symbol,
    both,
    either,
    negated,
)
from capax.formal.logic.ltlc.formula import CountsAtLeast, LtlcFormula, NumericalHere, SymbolHere, Temporal
from capax.formal.logic.ltlc.text import parse_ltlc

HINT: Final = "letters, ! & | ->, P and H, and comparisons of counts up to here: #[a] >= 2*#[b] + 1"


def parse_counting(text: str) -> Counting:
    """The formula that a text stands for.

    >>> counting_printed(parse_counting("#[a] > #[b] & !(P b)"))
    "(#['a'] - #['b'] >= 1) & (#['b'] <= 0)"
    """
    return _counting(parse_ltlc(text))


def _counting(formula: LtlcFormula) -> Counting:
    """A formula of the larger logic, where only what counting logic has may occur; the parser bounds its depth."""
    match formula:
        case SymbolHere(symbol):
            return Symbol(symbol)
        case Negated(one):
            return negated(_counting(one))
        case AllOf(parts):
            return both(_counting(part) for part in parts)
        case AnyOf(parts):
            return either(_counting(part) for part in parts)
        case CountsAtLeast(terms, least):
            if any(count.side == ">" for _, count in terms):
                raise CapaxError("bad-formula", "C-RASP counts up to here only, and #> counts from here on", hint=HINT)
            return AtLeast(tuple((times, _counting(count.one)) for times, count in terms), least)
        case Temporal("P", parts):
            return AtLeast(((1, _counting(parts[0])),), 1)
        case Temporal("H", parts):
            return AtLeast(((-1, negated(_counting(parts[0]))),), 0)
        case Temporal(operator):
            raise CapaxError("bad-formula", f"C-RASP has no operator {operator}", hint=HINT)
        case NumericalHere():
            raise CapaxError("bad-formula", "C-RASP has no predicates of positions", hint=HINT)
        case _:
            assert_never(formula)


def counting_printed(formula: Counting) -> str:
    """A formula as text; its length may be exponential in the number of different parts."""
    match formula:
        case Symbol(symbol):
            return f"'{symbol}'"
        case LetterBefore(symbol, distance):
            return f"'{symbol}'[-{distance}]"
        case Residue(modulus, remainder):
            return f"pos % {modulus} == {remainder}"
        case Negation(All(())):
            return "false"
        case Negation(All(parts)):
            return " | ".join(_bracketed(negated(part)) for part in parts)
        case Negation(AtLeast(terms, least)):
            return _compared(terms, least - 1, "<=")
        case Negation(one):
            return f"!{_bracketed(one)}"
        case All(parts):
            return " & ".join(map(_bracketed, parts)) or "true"
        case AtLeast(terms, least):
            return _compared(terms, least, ">=")
        case _:
            assert_never(formula)


def _bracketed(formula: Counting) -> str:
    text = counting_printed(formula)
    inner = formula.one if isinstance(formula, Negation) else formula
    return text if isinstance(inner, Symbol | LetterBefore) or text in ("true", "false") else f"({text})"


def _compared(terms: tuple[tuple[int, Counting], ...], bound: int, sign: str) -> str:
    """A comparison, turned round if all counts are taken away."""
    if terms and all(times < 0 for times, _ in terms):
        terms, bound = tuple((-times, one) for times, one in terms), -bound
        sign = "<=" if sign == ">=" else ">="
    total = ""
    for times, one in sorted(terms, key=lambda term: term[0] < 0):  # what is added first; else in order
        joint = " - " if times < 0 else " + "
        total += joint + (f"{abs(times)}*" if abs(times) != 1 else "") + f"#[{counting_printed(one)}]"
    return f"{total.removeprefix(' + ') or '0'} {sign} {bound}"
