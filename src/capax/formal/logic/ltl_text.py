"""Formulas of past temporal logic as text: reading and printing."""

from functools import cache
from importlib.resources import files
from typing import Any, assert_never

from lark import Lark, Token, Transformer, UnexpectedInput, UnexpectedToken
from lark.exceptions import UnexpectedEOF

from capax.errors import CapaxError, Source, Span
from capax.formal.logic.ltl import (
    AndFormula,
    Constant,
    Formula,
    Historically,
    Letter,
    NotFormula,
    Once,
    OrFormula,
    Since,
    Yesterday,
    parts,
)

LONGEST, DEEPEST = 2000, 100
"""Longer texts and deeper formulas are refused: formulas are compared as wholes, level by level."""
WORDS = ("true", "false", "and", "or", "not")


class _FormulaBuilder(Transformer[Token, Formula]):
    """Makes formulas of what the grammar finds."""

    def letter(self, parts: list[Any]) -> Formula:
        return Letter(str(parts[0]))

    def quoted(self, parts: list[Any]) -> Formula:
        return Letter(str(parts[0])[1:-1])

    def true(self, _: list[Any]) -> Formula:
        return Constant(True)

    def false(self, _: list[Any]) -> Formula:
        return Constant(False)

    def not_(self, parts: list[Any]) -> Formula:
        return NotFormula(parts[0])

    def and_(self, parts: list[Any]) -> Formula:
        return AndFormula(*parts)

    def or_(self, parts: list[Any]) -> Formula:
        return OrFormula(*parts)

    def implies(self, parts: list[Any]) -> Formula:
        return OrFormula(NotFormula(parts[0]), parts[1])

    def since(self, parts: list[Any]) -> Formula:
        return Since(*parts)

    def yesterday(self, parts: list[Any]) -> Formula:
        return Yesterday(parts[0])

    def once(self, parts: list[Any]) -> Formula:
        return Once(parts[0])

    def historically(self, parts: list[Any]) -> Formula:
        return Historically(parts[0])


@cache
def _lark() -> Lark:
    grammar = files("capax.formal.logic").joinpath("ltl.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", transformer=_FormulaBuilder(), maybe_placeholders=False)


def parse_ltl(text: str) -> Formula:
    """The formula that a text stands for.

    >>> printed(parse_ltl("b & (a S (a & !Y true))"))
    'b & (a S (a & !Y true))'
    """
    if len(text) > LONGEST:
        raise CapaxError("too-large", f"a formula has at most {LONGEST:,} characters, and this has {len(text):,}")
    source = Source("formula", text)
    try:
        formula: Formula = _lark().parse(text)  # type: ignore[assignment]
    except UnexpectedEOF:
        raise _unfinished(source) from None
    except UnexpectedInput as error:
        if isinstance(error, UnexpectedToken) and error.token.type == "$END":
            raise _unfinished(source) from None
        at = error.pos_in_stream or 0
        wide = len(error.token) if isinstance(error, UnexpectedToken) else 1
        what = f"{text[at : at + wide]!r:.60} cannot stand here"
        hint = "operators are ! & | -> S Y P H; letters are small or digits; others are quoted, as in '('"
        raise CapaxError("bad-formula", what, Span(source, at, at + wide), hint) from None
    if _is_deep(formula):
        raise CapaxError("too-large", f"more than {DEEPEST} operators of the formula stand inside each other")
    return formula


def _is_deep(formula: Formula) -> bool:
    level = [formula]
    for _ in range(DEEPEST):
        level = [part for one in level for part in parts(one)]
    return bool(level)


def _unfinished(source: Source) -> CapaxError:
    end = len(source.text)
    return CapaxError("bad-formula", "the formula ends too early", Span(source, end, end), "something is still to come")


def printed(formula: Formula) -> str:
    """A formula as text that `parse_ltl` reads as the same formula."""
    match formula:
        case Letter(symbol):
            return _symbol(symbol)
        case Constant(value):
            return "true" if value else "false"
        case NotFormula(one):
            return f"!{_tight(one)}"
        case Yesterday(one):
            return f"Y {_tight(one)}"
        case Once(one):
            return f"P {_tight(one)}"
        case Historically(one):
            return f"H {_tight(one)}"
        case AndFormula(left, right):
            return f"{_inside(left, AndFormula)} & {_inside(right)}"
        case OrFormula(left, right):
            return f"{_inside(left, OrFormula)} | {_inside(right)}"
        case Since(left, right):
            return f"{_tight(left)} S {_tight(right)}"
        case _:
            assert_never(formula)


def _inside(formula: Formula, free: type | None = None) -> str:
    """A part of `&` or `|`: in brackets if it joins two, unless it is of the type that groups to the left."""
    plain = not isinstance(formula, (AndFormula, OrFormula, Since)) or (free is not None and isinstance(formula, free))
    return printed(formula) if plain else f"({printed(formula)})"


def _tight(formula: Formula) -> str:
    """A part of an operator that binds tightest."""
    return f"({printed(formula)})" if isinstance(formula, (AndFormula, OrFormula, Since)) else printed(formula)


def _symbol(symbol: str) -> str:
    plain = symbol.isascii() and symbol.replace("_", "a").isalnum() and not symbol[0].isupper()
    if plain and symbol not in WORDS:
        return symbol
    return f'"{symbol}"' if "'" in symbol else f"'{symbol}'"
