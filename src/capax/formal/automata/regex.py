"""Regular expressions: reading them, and their minimal automata.

A letter stands for itself; `.` is any symbol of the alphabet, `[ab]`, `[a-f]` and `[^ab]` one of several, `[]` none,
`()` the empty word. `x*`, `x+`, `x?`, `x{3}`, `x{2,}` and `x{2,5}` repeat; `xy` is one after the other, `x&y` both,
`x|y` either; `~x` is every word over the alphabet that x is not. `\\` before a sign makes it a letter.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias, assert_never

from capax.errors import CapaxError, Source, Span
from capax.formal.automata.dfa import Dfa
from capax.formal.automata.nfa import Nfa

DEEPEST = 100
"""Brackets inside each other."""
MOST_STATES = 20_000
"""An automaton with more states before it is made minimal is refused."""
SIGNS = r"\.[](){}*+?|&~"


@dataclass(frozen=True, slots=True)
class Symbols:
    """One symbol of several; or, `other`, one of the alphabet that is none of them."""

    symbols: frozenset[str]
    other: bool = False


@dataclass(frozen=True, slots=True)
class Concatenation:
    """One after the other; without parts, the empty word."""

    parts: "tuple[Regex, ...]"


@dataclass(frozen=True, slots=True)
class Union:
    """One of several."""

    parts: "tuple[Regex, ...]"


@dataclass(frozen=True, slots=True)
class Both:
    """All of several."""

    parts: "tuple[Regex, ...]"


@dataclass(frozen=True, slots=True)
class Repeat:
    """So often, `least` to `most` times; without `most`, as often as one likes."""

    one: "Regex"
    least: int
    most: int | None


@dataclass(frozen=True, slots=True)
class Complement:
    """Every other word over the alphabet."""

    one: "Regex"


Regex: TypeAlias = Symbols | Concatenation | Union | Both | Repeat | Complement


def parse_regex(text: str) -> Regex:
    """The expression that a text stands for."""
    return _Parser(text).whole()


def letters(regex: Regex) -> frozenset[str]:
    """The letters that stand in an expression."""
    match regex:
        case Symbols(symbols):
            return symbols
        case Concatenation(parts) | Union(parts) | Both(parts):
            return frozenset().union(*map(letters, parts))
        case Repeat(one) | Complement(one):
            return letters(one)
        case _:
            assert_never(regex)


def regex_dfa(text: str, alphabet: Iterable[str] | None = None, *, budget: int = MOST_STATES) -> Dfa:
    """The minimal automaton of an expression, over the alphabet given, or else over its own letters in order."""
    regex = parse_regex(text)
    mine = letters(regex)
    symbols = tuple(sorted(mine)) if alphabet is None else tuple(alphabet)
    if not symbols:
        raise CapaxError("bad-regex", f"{text!r:.60} has no letters", hint="give the alphabet: --alphabet ab")
    outside = sorted(mine - set(symbols))
    if outside:
        hint = f"the alphabet is {' '.join(symbols[:40])}"
        raise CapaxError("unknown-token", f"the expression has {outside[0]!r}, which is not in the alphabet", hint=hint)
    return _nfa(regex, symbols, budget).dfa(budget).minimal()


def _nfa(regex: Regex, alphabet: tuple[str, ...], budget: int) -> Nfa:
    match regex:
        case Symbols(symbols, other):
            return Nfa.of_symbols(alphabet, [a for a, s in enumerate(alphabet) if (s in symbols) != other])
        case Concatenation(parts):
            return Nfa.chain(alphabet, [_nfa(part, alphabet, budget) for part in parts], budget)
        case Union(parts):
            return Nfa.union(alphabet, [_nfa(part, alphabet, budget) for part in parts])
        case Both(parts):
            first, *rest = (_nfa(part, alphabet, budget).dfa(budget).minimal() for part in parts)
            for other_one in rest:
                if first.size * other_one.size > budget:
                    raise CapaxError("too-large", f"an intersection has more than {budget:,} states")
                first = first.combined(other_one, lambda a, b: a and b)
            return Nfa.of_dfa(first)
        case Complement(one):
            return Nfa.of_dfa(_nfa(one, alphabet, budget).dfa(budget).minimal().complement())
        case Repeat(one, least, most):
            return _nfa(one, alphabet, budget).repeated(least, most, budget)
        case _:
            assert_never(regex)


class _Parser:
    """Reads a text from left to right; each method reads what it is named for."""

    def __init__(self, text: str) -> None:
        self._source = Source("expression", text)
        self._text = text
        self._at = 0
        self._deep = 0

    def whole(self) -> Regex:
        expression = self._union()
        if self._at < len(self._text):
            raise self._wrong("this `)` closes nothing", "write \\) for the letter")
        return expression

    def _union(self) -> Regex:
        self._deep += 1
        if self._deep > DEEPEST:
            raise self._wrong(f"brackets are more than {DEEPEST} deep", "write it flatter")
        parts = self._several("|", self._both)
        self._deep -= 1
        return parts[0] if len(parts) == 1 else Union(parts)

    def _both(self) -> Regex:
        parts = self._several("&", self._chain)
        return parts[0] if len(parts) == 1 else Both(parts)

    def _several(self, sign: str, one: Callable[[], Regex]) -> tuple[Regex, ...]:
        parts = [one()]
        while self._next() == sign:
            self._at += 1
            parts.append(one())
        return tuple(parts)

    def _chain(self) -> Regex:
        factors = []
        while self._next() not in ("", "|", "&", ")"):
            factors.append(self._factor())
        return factors[0] if len(factors) == 1 else Concatenation(tuple(factors))

    def _factor(self) -> Regex:
        flips = 0
        while self._next() == "~":
            self._at += 1
            flips += 1
        if flips and self._next() in ("", "|", "&", ")"):
            raise self._wrong("nothing stands after `~`", "write \\~ for the letter", back=1)
        factor = self._atom()
        times = 0
        while self._next() in ("*", "+", "?", "{"):
            factor = self._repeat(factor)
            times += 1
            if times > DEEPEST:
                raise self._wrong(
                    f"more than {DEEPEST} signs of repetition stand on each other", "one is enough", back=1
                )
        return Complement(factor) if flips % 2 else factor

    def _repeat(self, one: Regex) -> Regex:
        sign = self._take()
        if sign != "{":
            return Repeat(one, *{"*": (0, None), "+": (1, None), "?": (0, 1)}[sign])
        begin = self._at
        end = self._text.find("}", begin)
        least, comma, most = self._text[begin:end].partition(",")
        right = (
            end >= 0 and _is_count(least) and (not most or _is_count(most)) and not (most and int(most) < int(least))
        )
        if not right:
            raise self._wrong("a number of times is written {3}, {2,} or {2,5}", "write \\{ for the letter", back=1)
        self._at = end + 1
        return Repeat(one, int(least), int(least) if not comma else (int(most) if most else None))

    def _atom(self) -> Regex:
        sign = self._take()
        match sign:
            case "(":
                begin = self._at - 1
                inner = self._union()
                if self._next() != ")":
                    raise self._wrong("this `(` is not closed", "write \\( for the letter", at=begin)
                self._at += 1
                return inner
            case "[":
                return self._class()
            case ".":
                return Symbols(frozenset(), other=True)
            case "\\":
                if not self._next():
                    raise self._wrong("nothing stands after `\\`", "write \\\\ for the letter", back=1)
                return Symbols(frozenset(self._take()))
            case "*" | "+" | "?" | "{":
                raise self._wrong(f"`{sign}` has nothing to repeat", f"write \\{sign} for the letter", back=1)
            case "]" | "}":
                raise self._wrong(f"this `{sign}` closes nothing", f"write \\{sign} for the letter", back=1)
            case _:
                return Symbols(frozenset(sign))

    def _class(self) -> Regex:
        begin = self._at - 1
        other = self._next() == "^"
        self._at += other
        symbols: set[str] = set()
        while self._next() not in ("", "]"):
            one = self._escaped()
            if self._next() == "-" and self._text[self._at + 1 : self._at + 2] not in ("", "]"):
                self._at += 1
                last = self._escaped()
                if not ord(one) <= ord(last) < ord(one) + 1000:
                    raise self._wrong("a range goes from a letter to a later one, near it", "write \\- for the letter")
                symbols |= {chr(code) for code in range(ord(one), ord(last) + 1)}
            else:
                symbols.add(one)
        if not self._next():
            raise self._wrong("this `[` is not closed", "write \\[ for the letter", at=begin)
        self._at += 1
        return Symbols(frozenset(symbols), other)

    def _escaped(self) -> str:
        sign = self._take()
        return self._take() if sign == "\\" and self._next() else sign

    def _next(self) -> str:
        return self._text[self._at : self._at + 1]

    def _take(self) -> str:
        self._at += 1
        return self._text[self._at - 1]

    def _wrong(self, what: str, hint: str, *, at: int | None = None, back: int = 0) -> CapaxError:
        start = self._at - back if at is None else at
        return CapaxError("bad-regex", what, Span(self._source, start, start + 1), hint)


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 6
