"""Predicates of a position i and the length n of the word, as text: `isprime(i + 1)`, `2 * i < n`, `i in [1, 4, 9]`.

Positions are 0, 1, ..., n - 1. Numbers are whole, with `+ - * // %` and brackets; they are compared by `= != < <= > >=`
(`==` is `=`), and comparisons joined by `and or not` (`& | !`). `isprime(x)`, `issquare(x)`, `ispower(x, b)` (x is
b^0, b^1, ...) and `x in [1, 2, 3]` are true or false; `min`, `max`, `abs` and `bit(x, k)` (the k-th binary digit) are
numbers. A division by 0 is an error. Nothing else can be written, so that a text from anywhere is safe to read.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from math import isqrt
from typing import Final

from capax.errors import CapaxError, Source
from capax.notation.tokens import Lexeme, TokenReader

MOST_DIGITS: Final = 12
LARGEST_PRIME: Final = 3_000_000_000_000_000_000_000_000
"""Below this the test for primes is exact (Sorenson and Webster 2015)."""
BASES: Final = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41)
HINT: Final = "as in isprime(i + 1), 2 * i < n or i % 3 = 1"


@dataclass(frozen=True, slots=True)
class NumericalTerm:
    """A number or truth value: an operation on parts, or a whole number, or a variable (`i`, `n`)."""

    op: str
    parts: tuple["NumericalTerm", ...] = ()
    number: int = 0

    def __str__(self) -> str:
        texts = [str(part) for part in self.parts]
        match self.op:
            case "number":
                return str(self.number)
            case "i" | "n":
                return self.op
            case "in":
                return f"{texts[0]} in [{', '.join(texts[1:])}]"
            case "not":
                return f"not {texts[0]}"
            case "neg":
                return f"-{texts[0]}"
            case name if name in FUNCTIONS:
                return f"{name}({', '.join(texts)})"
            case sign:
                return f"({texts[0]} {sign} {texts[1]})"


@dataclass(frozen=True, slots=True)
class PositionPredicate:
    """What is true or false at a position of a word, from the position and the word's length alone."""

    term: NumericalTerm
    variable: str = field(default="i", compare=False)
    """The name of the position where the predicate was written, for messages; "" if it is about the length alone."""
    text: str = field(init=False, compare=False)
    """The predicate in canonical form, with the variables i and n."""

    def __post_init__(self) -> None:
        text = str(self.term)
        whole = text.startswith("(") and _closes(text) == len(text) - 1
        object.__setattr__(self, "text", text[1:-1] if whole else text)

    def named(self, variable: str) -> str:
        """The predicate with another name for the position."""
        return re.sub(r"\bi\b", variable, self.text) if variable else self.text

    @property
    def uses_length(self) -> bool:
        """Whether it depends on the length."""
        return _uses(self.term, "n")

    def holds(self, i: int, n: int) -> bool:
        """Whether it is true at position i of words of length n."""
        return bool(value(self.term, i, n, self.variable))

    def row(self, n: int) -> list[bool]:
        """Whether it is true at each position of words of length n."""
        return list(_row(self, n))


@lru_cache(maxsize=512)
def _row(predicate: PositionPredicate, n: int) -> tuple[bool, ...]:
    return tuple(predicate.holds(i, n) for i in range(n))


def _closes(text: str) -> int:
    """Where the bracket that a text begins with is closed."""
    depth = 0
    for at, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if not depth:
            return at
    return -1


def _uses(term: NumericalTerm, name: str) -> bool:
    return term.op == name or any(_uses(part, name) for part in term.parts)


def value(term: NumericalTerm, i: int, n: int, variable: str = "i") -> int:
    """The value of a term at a position of words of a length; of a comparison 0 or 1.

    `variable` is the name of the position in messages.
    """
    match term.op:
        case "number":
            return term.number
        case "i":
            return i
        case "n":
            return n
        case "and" | "or":
            first = value(term.parts[0], i, n, variable)
            decided = not first if term.op == "and" else bool(first)
            return first if decided else value(term.parts[1], i, n, variable)
    numbers = [value(part, i, n, variable) for part in term.parts]
    if term.op in ("//", "%") and not numbers[1]:
        at = f"at position {variable} = {i} of" if variable else "for"
        what = f"{PositionPredicate(term).named(variable)} divides by 0 {at} words of length {n}"
        raise CapaxError("bad-formula", what, hint="a predicate has a value at every position of every length")
    return int(OPERATIONS[term.op](*numbers))


def is_prime(x: int) -> bool:
    """Whether a number is prime: the strong test with fixed bases, exact below `LARGEST_PRIME`."""
    if x > LARGEST_PRIME:
        raise CapaxError("too-large", f"isprime is asked about a number of {len(str(x))} digits")
    if x < 2 or any(x % base == 0 for base in BASES):
        return x in BASES
    odd = x - 1
    twos = (odd & -odd).bit_length() - 1
    odd >>= twos
    return all(_passes(pow(base, odd, x), x, twos) for base in BASES)


def _passes(power: int, x: int, twos: int) -> bool:
    if power in (1, x - 1):
        return True
    for _ in range(twos - 1):
        power = power * power % x
        if power == x - 1:
            return True
    return False


def is_power(x: int, base: int) -> bool:
    """Whether a number is 1, the base, its square, ..."""
    if base < 2:
        return x in (1, base)
    while x > 1 and x % base == 0:
        x //= base
    return x == 1


FUNCTIONS: Final[dict[str, tuple[int, bool, Callable[..., int]]]] = {
    "isprime": (1, True, is_prime),
    "issquare": (1, True, lambda x: x >= 0 and isqrt(x) ** 2 == x),
    "ispower": (2, True, is_power),
    "min": (2, False, min),
    "max": (2, False, max),
    "abs": (1, False, abs),
    "bit": (2, False, lambda x, k: abs(x) >> k & 1 if 0 <= k < 10_000 else 0),
}
"""For each function its number of arguments, whether it is true or false, and its value."""
OPERATIONS: Final[dict[str, Callable[..., int]]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "=": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "neg": lambda a: -a,
    "not": lambda a: not a,
    "in": lambda a, *of: a in of,
    **{name: function for name, (_, _, function) in FUNCTIONS.items()},
}
COMPARISONS: Final = ("=", "==", "!=", "<", "<=", ">", ">=")
TRUTHS: Final = {"=", "!=", "<", "<=", ">", ">=", "not", "in", "and", "or"} | {
    name for name, (_, truth, _) in FUNCTIONS.items() if truth
}
"""The operations whose value is true or false."""


def parse_predicate(text: str, variable: str = "i") -> PositionPredicate:
    """The predicate that a text stands for; `variable` is the name of the position in it.

    >>> parse_predicate("isprime(x + 1) and 2*x < n", "x").text
    'isprime((i + 1)) and ((2 * i) < n)'
    """
    return read_predicate(TokenReader(Source("predicate", text)), variable, "")


def read_predicate(words: TokenReader, variable: str, closing: str) -> PositionPredicate:
    """The predicate that the next words stand for, up to a closing sign, which is read; "" for the end of the text."""
    first = words.here.span
    term = _joined(words, variable, ("or", "|"))
    if term.op not in TRUTHS:
        words.refuse("this is a number, and not true or false", first.to(words.here.span), HINT)
    if closing:
        words.expect(closing, f"a predicate ends with {closing}")
    else:
        words.finish(HINT)
    return PositionPredicate(term, variable)


def _joined(words: TokenReader, variable: str, signs: tuple[str, ...]) -> NumericalTerm:
    """Parts joined by `or`, each of parts joined by `and`."""

    def read() -> NumericalTerm:
        return _joined(words, variable, ("and", "&")) if signs[0] == "or" else _negated(words, variable)

    term = read()
    while words.taken(*signs) is not None:
        other = read()
        for one in (term, other):
            if one.op not in TRUTHS:
                words.refuse(f"`{signs[0]}` joins what is true or false, not numbers", words.here.span, HINT)
        term = NumericalTerm(signs[0], (term, other))
    return term


def _negated(words: TokenReader, variable: str) -> NumericalTerm:
    if words.taken("not", "!", "~") is None:
        return _compared(words, variable)
    words.deeper()
    location = words.here.span
    term = _negated(words, variable)
    words.shallower()
    if term.op not in TRUTHS:
        words.refuse("`not` stands before what is true or false, not before a number", location, HINT)
    return NumericalTerm("not", (term,))


def _compared(words: TokenReader, variable: str) -> NumericalTerm:
    term = _sum(words, variable)
    if words.taken("in") is not None:
        words.expect("[", "a table is written i in [1, 4, 9]")
        table = [_sum(words, variable)]
        while words.taken(",") is not None:
            table.append(_sum(words, variable))
        words.expect("]", "a table ends with ]")
        return NumericalTerm("in", (term, *table))
    sign = words.taken(*COMPARISONS)
    if sign is None:
        return term
    other = _sum(words, variable)
    for one in (term, other):
        if one.op in TRUTHS:
            words.refuse("truth values are not compared", sign.span, "join them with and, or, not")
    return NumericalTerm("=" if sign.text == "==" else sign.text, (term, other))


def _sum(words: TokenReader, variable: str) -> NumericalTerm:
    term = _product(words, variable)
    while (sign := words.taken("+", "-")) is not None:
        term = _calculated(words, sign, term, _product(words, variable))
    return term


def _calculated(words: TokenReader, sign: Lexeme, one: NumericalTerm, other: NumericalTerm) -> NumericalTerm:
    """An operation on two numbers."""
    if one.op in TRUTHS or other.op in TRUTHS:
        words.refuse(f"`{sign.text}` stands between numbers, not truth values", sign.span, HINT)
    return NumericalTerm(sign.text, (one, other))


def _product(words: TokenReader, variable: str) -> NumericalTerm:
    term = _factor(words, variable)
    while (sign := words.taken("*", "//", "%")) is not None:
        term = _calculated(words, sign, term, _factor(words, variable))
    return term


def _factor(words: TokenReader, variable: str) -> NumericalTerm:
    """A number, a variable, a function, or something in brackets."""
    words.deeper()
    word = words.take()
    if word.kind == "number" and len(word.text) <= MOST_DIGITS:
        term = NumericalTerm("number", number=int(word.text))
    elif word.text == "-":
        term = NumericalTerm("neg", (_factor(words, variable),))
    elif word.text == "(":
        term = _joined(words, variable, ("or", "|"))
        words.expect(")", "a bracket is still open")
    elif word.text in (variable, "n"):
        term = NumericalTerm("n" if word.text == "n" else "i")
    elif word.kind == "name" and word.text in FUNCTIONS:
        term = _called(words, word.text, variable)
    else:
        position = f"{variable} is the position, " if variable else ""
        known = f"{position}n is the length; functions are {', '.join(FUNCTIONS)}"
        long = "; numbers have at most 12 digits" if word.kind == "number" else ""
        end = word.kind == "end"
        words.refuse(
            "the predicate ends too early" if end else f"{word.text!r:.40} is unknown", word.span, known + long
        )
    words.shallower()
    return term


def _called(words: TokenReader, name: str, variable: str) -> NumericalTerm:
    count = FUNCTIONS[name][0]
    location = words.expect("(", f"{name} has its arguments in brackets").span
    parts = [_sum(words, variable)]
    while words.taken(",") is not None:
        parts.append(_sum(words, variable))
    words.expect(")", "arguments end with )")
    if len(parts) != count:
        words.refuse(f"{name} has {count} argument{'s' * (count != 1)}, not {len(parts)}", location, HINT)
    return NumericalTerm(name, tuple(parts))
