"""Formulas of LTL + C[Mon] as text: `b & #<[a] >= 2 * #<[b] + 1 & (a S {isprime(i + 1)})`.

From the loosest to the tightest: `->`, `|`, `&`, `S` and `U` (which group to the right), then `! Y X P F H G`. Symbols
are small letters, digits or quoted; in braces stands a numerical predicate of i and n. Counts are `#<[a]` (up to here),
`#>[a]` (from here on) and `#[a]` (the whole word), and sums of them are compared by `< <= > >= = !=`.
"""

from typing import Final, cast

from capax.errors import CapaxError, Source
from capax.formal.logic.connectives import AllOf, AnyOf, Negated, joined_text, quoted, read_connectives
from capax.formal.logic.ltlc.formula import (
    CountsAtLeast,
    LtlcFormula,
    NumericalHere,
    PositionCount,
    Side,
    SymbolHere,
    Temporal,
    ltlc_subformulas,
)
from capax.notation.numerical import read_predicate
from capax.notation.tokens import TokenReader

ONE_PART: Final = ("Y", "X", "P", "F", "H", "G")
TWO_PARTS: Final = ("S", "U")
SIDES: Final[dict[str, Side]] = {"#<": "<", "#>": ">", "#": ""}
COMPARED: Final = ("<", "<=", ">", ">=", "=", "==", "!=")
MOST_DIGITS: Final = 6
MOST_PARTS: Final = 300
HINT: Final = (
    "operators are ! & | -> S U Y X P F H G; counts #<[a], #>[a], #[a]; predicates {isprime(i)}; symbols a, '('"
)


def parse_ltlc(text: str) -> LtlcFormula:
    """The formula that a text stands for.

    >>> printed_ltlc(parse_ltlc("#<[a] > #>[b] & (a S {i % 2 = 1})"))
    '#<[a] - #>[b] >= 1 & (a S {(i % 2) = 1})'
    """
    words = TokenReader(Source("formula", text))
    formula = _formula(words)
    words.finish(HINT)
    if len(ltlc_subformulas(formula)) > MOST_PARTS:
        raise CapaxError("too-large", f"the formula has more than {MOST_PARTS} different parts")
    return formula


def _formula(words: TokenReader) -> LtlcFormula:
    return cast(LtlcFormula, read_connectives(words, lambda: _chained(words)))


def _chained(words: TokenReader) -> LtlcFormula:
    """Parts joined by S and U, which group to the right."""
    words.deeper()
    left = _unary(words)
    sign = words.taken(*TWO_PARTS)
    formula = left if sign is None else Temporal(sign.text, (left, _chained(words)))  # type: ignore[arg-type]
    words.shallower()
    return formula


def _unary(words: TokenReader) -> LtlcFormula:
    words.deeper()
    formula = _read_unary(words)
    words.shallower()
    return formula


def _read_unary(words: TokenReader) -> LtlcFormula:
    if words.taken("!", "~", "not") is not None:
        return Negated(_unary(words))
    operator = words.taken(*ONE_PART)
    if operator is not None:
        return Temporal(operator.text, (_unary(words),))  # type: ignore[arg-type]
    if words.taken("(") is not None:
        inner = _formula(words)
        words.expect(")", "a bracket is still open")
        return inner
    if words.taken("{") is not None:
        return NumericalHere(read_predicate(words, "i", "}"))
    if words.taken("true") is not None:
        return AllOf(())
    if words.taken("false") is not None:
        return AnyOf(())
    if words.here.text in (*SIDES, "-") or (
        words.here.kind == "number" and words.ahead().text in (*COMPARED, "*", "+", "-")
    ):
        return _comparison(words)
    word = words.take()
    if word.kind in ("number", "quoted") or (word.kind == "name" and not word.text[0].isupper()):
        return SymbolHere(word.symbol)
    what = "the formula ends too early" if word.kind == "end" else f"{word.text!r:.60} cannot stand here"
    words.refuse(what, word.span, HINT)


def _comparison(words: TokenReader) -> LtlcFormula:
    """Two sums of counts, compared: everything is brought to the left."""
    terms, constant = _sum(words)
    sign = words.taken(*COMPARED)
    if sign is None:
        words.unexpected("sums of counts are compared: #<[a] >= #<[b] + 1")
    others, other = _sum(words)
    left = [*terms, *((-times, count) for times, count in others)]
    value = other - constant  # left - value is compared with 0
    match sign.text:
        case ">=":
            return _at_least(left, value)
        case ">":
            return _at_least(left, value + 1)
        case "<=":
            return Negated(_at_least(left, value + 1))
        case "<":
            return Negated(_at_least(left, value))
        case "!=":
            return Negated(AllOf((_at_least(left, value), Negated(_at_least(left, value + 1)))))
        case _:
            return AllOf((_at_least(left, value), Negated(_at_least(left, value + 1))))


def _at_least(terms: list[tuple[int, PositionCount]], least: int) -> CountsAtLeast:
    """The comparison with each count once."""
    total: dict[PositionCount, int] = {}
    for times, count in terms:
        total[count] = total.get(count, 0) + times
    return CountsAtLeast(tuple((times, count) for count, times in total.items() if times), least)


def _sum(words: TokenReader) -> tuple[list[tuple[int, PositionCount]], int]:
    terms: list[tuple[int, PositionCount]] = []
    constant, sign = 0, -1 if words.taken("-") is not None else 1
    while True:
        times = 1
        if words.here.kind == "number":
            times = _number(words)
            if words.taken("*") is None:
                constant += sign * times
                times = 0
        if times or words.here.text in SIDES:
            terms.append((sign * times, _read_count(words)))
        more = words.taken("+", "-")
        if more is None:
            return terms, constant
        sign = 1 if more.text == "+" else -1


def _number(words: TokenReader) -> int:
    word = words.take()
    if len(word.text) > MOST_DIGITS:
        words.refuse(f"numbers have at most {MOST_DIGITS} digits", word.span, "a smaller number")
    return int(word.text)


def _read_count(words: TokenReader) -> PositionCount:
    sign = words.taken(*SIDES)
    if sign is None:
        words.unexpected("a count is #<[a], #>[a] or #[a]")
    words.expect("[", "a count is #<[a], #>[a] or #[a]")
    words.deeper()
    inner = _formula(words)
    words.shallower()
    words.expect("]", "a count ends with ]")
    return PositionCount(SIDES[sign.text], inner)


def printed_ltlc(formula: LtlcFormula) -> str:
    """A formula as text that `parse_ltlc` reads as the same formula."""
    match formula:
        case SymbolHere(symbol):
            plain = symbol.isdecimal() or (quoted(symbol) == symbol and not symbol[0].isupper())
            return symbol if plain else f'"{symbol}"' if "'" in symbol else f"'{symbol}'"
        case NumericalHere(predicate):
            return f"{{{predicate.text}}}"
        case Negated(one):
            return f"!{_tight(one)}"
        case AllOf(parts):
            return joined_text(parts, "&", _tight)
        case AnyOf(parts):
            return joined_text(parts, "|", _tight)
        case Temporal(op, (one,)):
            return f"{op} {_tight(one)}"
        case Temporal(op, parts):
            return f"{_tight(parts[0])} {op} {_tight(parts[1])}"
        case CountsAtLeast(terms, least):
            return f"{_printed_sum(terms)} >= {least}"


def _printed_sum(terms: tuple[tuple[int, PositionCount], ...]) -> str:
    text = ""
    for times, count in terms:
        sign = (" - " if times < 0 else " + ") if text else ("-" if times < 0 else "")
        factor = "" if abs(times) == 1 else f"{abs(times)}*"
        text += f"{sign}{factor}#{count.side}[{printed_ltlc(count.one)}]"
    return text or "0"


def _tight(formula: LtlcFormula) -> str:
    match formula:
        case AllOf(()) | AnyOf(()) | CountsAtLeast():
            return printed_ltlc(formula)
        case AllOf() | AnyOf() | Temporal(_, (_, _)):
            return f"({printed_ltlc(formula)})"
        case _:
            return printed_ltlc(formula)
