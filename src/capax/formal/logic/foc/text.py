"""Sentences of FOC[MOD; +] as text: `exists x. (exists[x] p. a(p)) & (exists[x] p. b(p) & p % 2 = 0)`.

`exists[t] p. f` says that exactly t positions p satisfy f; `exists x. f` and `forall x. f` are about rational numbers.
A quantifier reaches as far to the right as it can. `#p[f]` stands for the number of positions p that satisfy f, as in
`#p[a(p)] > 2 * #p[b(p)] + 1`; `some p. f` and `every p. f` for one or more, and for all. Sums of numbers are compared
by `< <= > >= = !=`; of a position p, `a(p)` and `p % m = r` can be said. Remainders are those of the indices 0, 1, ...
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Final, cast

from capax.errors import Source
from capax.formal.logic.connectives import AllOf, AnyOf, Negated, joined_text, quoted, read_connectives
from capax.formal.logic.fo.formula import SymbolAt
from capax.formal.logic.foc.formula import Exactly, FocFormula, RemainderAt, SomeNumber
from capax.formal.logic.foc.linear import Kind, Linear, LinearCondition, LinearSum
from capax.formal.logic.foc.normal import FocNormalForm
from capax.notation.tokens import TokenReader

COMPARED: Final = ("<", "<=", ">", ">=", "=", "==", "!=")
MOST_DIGITS: Final = 6
WORDS: Final = ("exists", "forall", "some", "every", "true", "false", "and", "or", "not")
HINT: Final = "atoms are a(p), p % m = r, x + 1 <= #p[a(p)], true, false; quantifiers exists[x] p. and exists x."
CONSTANTS: Final = "in p % m = r the modulus m and the remainder r are constants, as in p % 2 = 1"


@dataclass(frozen=True, slots=True)
class _Scope:
    """The variables around a part."""

    positions: frozenset[str] = frozenset()
    numbers: frozenset[str] = frozenset()
    fresh: Iterator[int] = field(default_factory=count)

    def with_position(self, name: str) -> "_Scope":
        return _Scope(self.positions | {name}, self.numbers - {name}, self.fresh)

    def with_number(self, name: str) -> "_Scope":
        return _Scope(self.positions - {name}, self.numbers | {name}, self.fresh)


def parse_foc(text: str) -> FocFormula:
    """The sentence that a text stands for.

    >>> printed_foc(parse_foc("exists x. (exists[x] p. a(p)) & (exists[x + 1] q. q % 2 = 0)"))
    'exists x. (exists[x] p. a(p)) & (exists[x + 1] q. q % 2 = 0)'
    """
    words = TokenReader(Source("formula", text))
    formula = _formula(words, _Scope())
    words.finish(HINT)
    return formula


def _formula(words: TokenReader, scope: _Scope) -> FocFormula:
    return cast(FocFormula, read_connectives(words, lambda: _unary(words, scope)))


def _unary(words: TokenReader, scope: _Scope) -> FocFormula:
    words.deeper()
    formula = _read_unary(words, scope)
    words.shallower()
    return formula


def _read_unary(words: TokenReader, scope: _Scope) -> FocFormula:
    here, ahead = words.here, words.ahead()
    if words.taken("!", "~", "not") is not None:
        return Negated(_unary(words, scope))
    if words.taken("(") is not None:
        inner = _formula(words, scope)
        words.expect(")", "a bracket is still open")
        return inner
    if words.taken("true") is not None:
        return AllOf(())
    if words.taken("false") is not None:
        return AnyOf(())
    if here.text in ("some", "every") and ahead.kind == "name":
        return _plain_position(words, scope)
    if here.text in ("exists", "forall") and here.kind == "name":
        return _counted(words, scope) if ahead.text == "[" else _numbers(words, scope)
    if here.kind in ("name", "number", "quoted") and ahead.text == "(":
        words.take()
        words.expect("(", HINT)
        variable = _position(words, scope)
        words.expect(")", HINT)
        return SymbolAt(here.symbol, variable)
    if here.text in scope.positions:
        return _remainder(words, scope)
    return _comparison(words, scope)


def _name(words: TokenReader) -> str:
    word = words.take()
    if word.kind != "name" or word.text in WORDS:
        words.refuse(
            f"{word.text!r:.40} cannot be a variable", word.span, "variables are names, as in exists x. or exists[x] p."
        )
    return word.text


def _counted(words: TokenReader, scope: _Scope) -> FocFormula:
    """`exists[t] p. f`."""
    quantifier = words.take()
    if quantifier.text == "forall":
        words.refuse("`forall` has no number of positions", quantifier.span, "every p. f, or exists[x] p. f")
    words.expect("[", HINT)
    total, wrap = _sum(words, scope)
    words.expect("]", "the number of positions ends with ]")
    variable = _name(words)
    words.expect(".", "a dot ends the variable: exists[x] p. ...")
    return wrap(Exactly(total, variable, _formula(words, scope.with_position(variable))))


def _plain_position(words: TokenReader, scope: _Scope) -> FocFormula:
    """`some p. f` and `every p. f`: not none, and none without."""
    some = words.take().text == "some"
    variable = _name(words)
    words.expect(".", "a dot ends the variable: some p. ...")
    inner = _formula(words, scope.with_position(variable))
    none = Exactly(LinearSum((), 0), variable, inner if some else Negated(inner))
    return Negated(none) if some else none


def _numbers(words: TokenReader, scope: _Scope) -> FocFormula:
    """`exists x y. f` and `forall x y. f`."""
    every = words.take().text == "forall"
    names = [_name(words)]
    while words.here.kind == "name":
        names.append(_name(words))
    words.expect(".", "a dot ends the variables: exists x y. ...")
    inner = scope
    for name in names:
        inner = inner.with_number(name)
    formula = _formula(words, inner)
    for name in reversed(names):
        formula = Negated(SomeNumber(name, Negated(formula))) if every else SomeNumber(name, formula)
    return formula


def _position(words: TokenReader, scope: _Scope) -> str:
    word = words.take()
    if word.text not in scope.positions:
        known = (
            f"positions here are {', '.join(sorted(scope.positions))}"
            if scope.positions
            else "exists[x] p. comes first"
        )
        words.refuse(f"{word.text!r:.40} is not a position", word.span, known)
    return word.text


def _remainder(words: TokenReader, scope: _Scope) -> FocFormula:
    """`p % m = r`, or `p % m != r`."""
    variable = _position(words, scope)
    location = words.expect("%", "of a position its symbol and remainder can be said: a(p), p % 2 = 1").span
    modulus = _whole(words, CONSTANTS)
    sign = words.taken("=", "==", "!=")
    if sign is None:
        words.unexpected("a remainder is said by p % m = r")
    remainder = _whole(words, CONSTANTS)
    if not 1 <= modulus <= 60:
        words.refuse("a modulus is from 1 to 60", location, "as in p % 2 = 1")
    atom = RemainderAt(variable, modulus, remainder)
    return Negated(atom) if sign.text == "!=" else atom


def _whole(words: TokenReader, hint: str = HINT) -> int:
    word = words.take()
    if word.kind != "number" or len(word.text) > MOST_DIGITS:
        words.refuse(f"{word.text!r:.40} is not a whole number of at most {MOST_DIGITS} digits", word.span, hint)
    return int(word.text)


_Wrap = Callable[[FocFormula], FocFormula]


def _comparison(words: TokenReader, scope: _Scope) -> FocFormula:
    """Two sums, compared."""
    left, wrap_left = _sum(words, scope)
    sign = words.taken(*COMPARED)
    if sign is None:
        words.unexpected(HINT)
    right, wrap_right = _sum(words, scope)
    above, below = left.plus(right, -1), right.plus(left, -1)
    atom: FocFormula
    match sign.text:
        case "<":
            atom = LinearCondition(below, ">")
        case ">":
            atom = LinearCondition(above, ">")
        case "<=":
            atom = LinearCondition(below, ">=")
        case ">=":
            atom = LinearCondition(above, ">=")
        case "!=":
            atom = Negated(LinearCondition(above, "="))
        case _:
            atom = LinearCondition(above, "=")
    return wrap_left(wrap_right(atom))


def _sum(words: TokenReader, scope: _Scope) -> tuple[LinearSum, _Wrap]:
    """A sum of numbers; for each `#p[f]` in it there is a number that is said to be the count."""
    total = LinearSum((), 0)
    counts: list[tuple[str, str, FocFormula]] = []
    sign = -1 if words.taken("-") is not None else 1
    while True:
        times = 1
        if words.here.kind == "number":
            times = _whole(words)
            if words.taken("*") is None:
                total, times = total.plus(LinearSum((), times), sign), 0
        if times and words.taken("#") is not None:
            variable = _name(words)
            words.expect("[", "a count is #p[a(p)]")
            inner = _formula(words, scope.with_position(variable))
            words.expect("]", "a count ends with ]")
            name = next(name for number in scope.fresh if (name := f"count{number}") not in scope.numbers)
            counts.append((name, variable, inner))
            total = total.plus(LinearSum.of({name: 1}), sign * times)
        elif times:
            total = total.plus(LinearSum.of({_number(words, scope): 1}), sign * times)
        more = words.taken("+", "-")
        if more is None:
            return total, lambda formula: _with_counts(formula, counts)
        sign = 1 if more.text == "+" else -1


def _with_counts(formula: FocFormula, counts: list[tuple[str, str, FocFormula]]) -> FocFormula:
    for name, variable, inner in reversed(counts):
        formula = SomeNumber(name, AllOf((Exactly(LinearSum.of({name: 1}), variable, inner), formula)))
    return formula


def _number(words: TokenReader, scope: _Scope) -> str:
    word = words.take()
    if word.text not in scope.numbers:
        end = word.kind == "end"
        known = f"numbers here are {', '.join(sorted(scope.numbers))}" if scope.numbers else HINT
        if word.text in scope.positions:
            known = "a position is not a number: it can stand in a(p) and p % m = r"
        elif word.kind == "name" and word.text not in WORDS:
            known = f"write `exists {word.text:.40}.` first{f'; {known}' if scope.numbers else ''}"
        words.refuse("the formula ends too early" if end else f"{word.text!r:.40} is not a number", word.span, known)
    return word.text


def printed_sum(total: LinearSum) -> str:
    """A sum as text."""
    text = ""
    for name, times in total.terms:
        sign = (" - " if times < 0 else " + ") if text else ("-" if times < 0 else "")
        text += f"{sign}{'' if abs(times) == 1 else f'{abs(times)}*'}{name}"
    if total.constant or not text:
        sign = (" - " if total.constant < 0 else " + ") if text else ("-" if total.constant < 0 else "")
        text += f"{sign}{abs(total.constant)}"
    return text


def printed_condition(one: LinearCondition) -> str:
    """A condition as text, with the constant to the right."""
    kind: Kind = one.kind
    if not one.sum.terms:
        return f"{one.sum.constant} {kind} 0"
    return f"{printed_sum(LinearSum(one.sum.terms, 0))} {kind} {-one.sum.constant}"


def printed_foc(formula: FocFormula) -> str:
    """A sentence as text that `parse_foc` reads as the same sentence, up to the names of numbers."""
    match formula:
        case SymbolAt(symbol, variable):
            return f"{symbol if symbol.isdecimal() else quoted(symbol)}({variable})"
        case RemainderAt(variable, modulus, remainder):
            return f"{variable} % {modulus} = {remainder}"
        case LinearCondition():
            return printed_condition(formula)
        case Exactly(total, variable, one):
            return f"exists[{printed_sum(total)}] {variable}. {printed_foc(one)}"
        case SomeNumber(variable, one):
            return f"exists {variable}. {printed_foc(one)}"
        case Negated(one):
            return f"!{_tight(one)}"
        case AllOf(parts):
            return joined_text(parts, "&", _tight)
        case AnyOf(parts):
            return joined_text(parts, "|", _tight)


def _tight(formula: FocFormula) -> str:
    plain = isinstance(formula, SymbolAt | RemainderAt | LinearCondition | Negated)
    return printed_foc(formula) if plain or formula in (AllOf(()), AnyOf(())) else f"({printed_foc(formula)})"


def printed_normal(normal: FocNormalForm) -> str:
    """A normal form as a sentence: a number for each type that occurs, and conditions on them."""
    return printed_foc(as_sentence(normal))


def as_sentence(normal: FocNormalForm) -> FocFormula:
    """A normal form as a sentence of the logic."""
    used = {name for one in normal.inequalities for name in one.variables}
    types = [kind for kind in normal.types if normal.name(*kind) in used]
    names = {normal.name(*kind): f"x{at}" for at, kind in enumerate(types)}
    parts: list[FocFormula] = []
    for symbol, remainder in types:
        own: FocFormula = SymbolAt(symbol, "p")
        if normal.modulus > 1:
            own = AllOf((own, RemainderAt("p", normal.modulus, remainder)))
        parts.append(Exactly(LinearSum.of({names[normal.name(symbol, remainder)]: 1}), "p", own))
    formula: FocFormula = (
        AllOf((*parts, _renamed(normal.condition, names))) if parts else _renamed(normal.condition, names)
    )
    for name in reversed(list(names.values())):
        formula = SomeNumber(name, formula)
    return formula


def _renamed(formula: Linear, names: dict[str, str]) -> FocFormula:
    match formula:
        case LinearCondition(total, kind):
            return LinearCondition(
                LinearSum.of({names[name]: times for name, times in total.terms}, total.constant), kind
            )
        case Negated(one):
            return Negated(_renamed(one, names))
        case AllOf(parts):
            return AllOf(tuple(_renamed(part, names) for part in parts))
        case AnyOf(parts):
            return AnyOf(tuple(_renamed(part, names) for part in parts))
