"""Sentences of FO[Mon] as text: `forall x. a(x) -> exists y. x < y & b(y) & {isprime(y + 1)}`.

A quantifier reaches as far to the right as it can. `exists x y. ...` is two of them. Positions are compared by
`< <= > >= = !=`; `first(x)` and `last(x)` say that x is the first or the last position, and `next(x, y)` that y is the
one after x. In braces stands a numerical predicate of one variable and n (see `capax.notation.numerical`).
"""

from typing import Final, cast

from capax.errors import Source
from capax.formal.logic.connectives import AllOf, AnyOf, Negated, joined_text, quoted, read_connectives
from capax.formal.logic.fo.formula import Before, FoFormula, NumericalAt, SamePosition, SomePosition, SymbolAt
from capax.notation.numerical import parse_predicate, read_predicate
from capax.notation.tokens import TokenReader

QUANTIFIERS: Final = ("exists", "forall")
COMPARED: Final = ("<", "<=", ">", ">=", "=", "==", "!=")
HINT: Final = "atoms are a(x), x < y, x = y, {isprime(x)}, true and false; a quantifier is `exists x.` or `forall x.`"
WORDS: Final = ("true", "false", "and", "or", "not", *QUANTIFIERS, "n")


def parse_fo(text: str) -> FoFormula:
    """The sentence that a text stands for.

    >>> printed_fo(parse_fo("exists x. a(x) & {x % 2 = 1}"))
    'exists x. a(x) & {(x % 2) = 1}'
    """
    words = TokenReader(Source("formula", text))
    formula = _formula(words, ())
    words.finish(HINT)
    return formula


def _formula(words: TokenReader, scope: tuple[str, ...]) -> FoFormula:
    return cast(FoFormula, read_connectives(words, lambda: _unary(words, scope)))


def _unary(words: TokenReader, scope: tuple[str, ...]) -> FoFormula:
    words.deeper()
    formula = _read_unary(words, scope)
    words.shallower()
    return formula


def _read_unary(words: TokenReader, scope: tuple[str, ...]) -> FoFormula:
    if words.taken("!", "~", "not") is not None:
        return Negated(_unary(words, scope))
    if words.taken("(") is not None:
        inner = _formula(words, scope)
        words.expect(")", "a bracket is still open")
        return inner
    if words.taken("{") is not None:
        return _numerical(words, scope)
    quantifier = words.taken(*QUANTIFIERS)
    if quantifier is not None:
        return _quantified(words, scope, quantifier.text)
    if words.taken("true") is not None:
        return AllOf(())
    if words.taken("false") is not None:
        return AnyOf(())
    if words.here.kind in ("name", "number", "quoted") and words.ahead().text == "(":
        return _called(words, scope)
    left = _variable(words, scope)
    sign = words.taken(*COMPARED)
    if sign is None:
        words.unexpected(HINT)
    return _compared(sign.text, left, _variable(words, scope))


def _quantified(words: TokenReader, scope: tuple[str, ...], quantifier: str) -> FoFormula:
    """The formula after a quantifier with one or more variables."""
    variables: list[str] = []
    while words.here.kind == "name":
        name = words.take()
        if name.text in WORDS:
            words.refuse(f"{name.text!r} cannot be a variable", name.span, "variables are x, y, ...")
        variables.append(name.text)
    if not variables:
        words.unexpected("a quantifier has a variable: exists x. ...")
    words.expect(".", "a dot ends the variables: exists x y. ...")
    formula = _formula(words, (*scope, *variables))
    for variable in reversed(variables):
        some = SomePosition(variable, Negated(formula) if quantifier == "forall" else formula)
        formula = Negated(some) if quantifier == "forall" else some
    return formula


def _variable(words: TokenReader, scope: tuple[str, ...]) -> str:
    word = words.take()
    if word.kind != "name" or word.text not in scope:
        known = f"variables here are {', '.join(dict.fromkeys(scope))}" if scope else "a quantifier comes first"
        end = word.kind == "end"
        words.refuse("the formula ends too early" if end else f"{word.text!r:.40} is not a variable", word.span, known)
    return word.text


def _called(words: TokenReader, scope: tuple[str, ...]) -> FoFormula:
    """A symbol at a position, or one of the names for first, last and next."""
    name = words.take()
    words.expect("(", HINT)
    variable = _variable(words, scope)
    if name.text == "next" and words.taken(",") is not None:
        other = _variable(words, scope)
        words.expect(")", "next(x, y) has two variables")
        middle = "between" + "_" * sum(name.startswith("between") for name in scope)
        between = AllOf((Before(variable, middle), Before(middle, other)))
        return AllOf((Before(variable, other), Negated(SomePosition(middle, between))))
    words.expect(")", HINT)
    if name.text == "first":
        return NumericalAt(parse_predicate("i = 0"), variable)
    if name.text == "last":
        return NumericalAt(parse_predicate("i = n - 1"), variable)
    return SymbolAt(name.symbol, variable)


def _compared(sign: str, left: str, right: str) -> FoFormula:
    match sign:
        case "<":
            return Before(left, right)
        case ">":
            return Before(right, left)
        case "<=":
            return Negated(Before(right, left))
        case ">=":
            return Negated(Before(left, right))
        case "!=":
            return Negated(SamePosition(left, right))
        case _:
            return SamePosition(left, right)


def _numerical(words: TokenReader, scope: tuple[str, ...]) -> FoFormula:
    """A predicate in braces: of the one variable that occurs in it."""
    names: dict[str, None] = {}
    at = 0
    while words.ahead(at).text != "}" and words.ahead(at).kind != "end":
        if words.ahead(at).text in scope:
            names[words.ahead(at).text] = None
        at += 1
    if len(names) > 1:
        what = f"a numerical predicate is about one position, and this is about {' and '.join(names)}"
        words.refuse(what, words.here.span.to(words.ahead(at - 1).span), "positions are compared outside braces: x < y")
    variable = next(iter(names), "")
    return NumericalAt(read_predicate(words, variable, "}"), variable)


def printed_fo(formula: FoFormula) -> str:
    """A sentence as text that `parse_fo` reads as the same sentence."""
    match formula:
        case SymbolAt(symbol, variable):
            return f"{quoted(symbol) if symbol not in ('first', 'last', 'next') else repr(symbol)}({variable})"
        case Before(left, right):
            return f"{left} < {right}"
        case SamePosition(left, right):
            return f"{left} = {right}"
        case NumericalAt(predicate, variable):
            return f"{{{predicate.named(variable)}}}"
        case SomePosition(variable, one):
            return f"exists {variable}. {printed_fo(one)}"
        case Negated(SomePosition(variable, Negated(one))):
            return f"forall {variable}. {printed_fo(one)}"
        case Negated(one):
            return f"!{_tight(one)}"
        case AllOf(parts):
            return joined_text(parts, "&", _tight)
        case AnyOf(parts):
            return joined_text(parts, "|", _tight)


def _is_quantified(formula: FoFormula) -> bool:
    match formula:
        case SomePosition() | Negated(SomePosition(_, Negated())):
            return True
        case _:
            return False


def _tight(formula: FoFormula) -> str:
    loose = _is_quantified(formula) or (isinstance(formula, AllOf | AnyOf) and len(formula.parts) > 0)
    return f"({printed_fo(formula)})" if loose else printed_fo(formula)
