"""Linear conditions on rational numbers, joined by NOT, AND and OR; and "there is a number" taken away.

A condition says that a sum with whole coefficients is 0, at least 0, or above 0. Quantifiers over the rational numbers
are eliminated: the truth of a formula as a function of x changes only where some condition's sum is 0, so that it is
enough to try one number at each such point, one between any two, and one far below and far above all of them.

Cite: Ferrante and Rackoff (1975), A decision procedure for the first order theory of real addition with order.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from math import gcd
from typing import Final, Literal, TypeAlias

from capax.errors import CapaxError
from capax.formal.logic.connectives import AllOf, AnyOf, Negated

Kind: TypeAlias = Literal["=", ">=", ">"]
MOST_CONDITIONS: Final = 20_000
"""Larger formulas are refused while quantifiers are eliminated."""


@dataclass(frozen=True, slots=True)
class LinearSum:
    """A sum of variables times whole numbers, and a constant; variables are in order, none has the coefficient 0."""

    terms: tuple[tuple[str, int], ...]
    constant: int

    @staticmethod
    def of(terms: Mapping[str, int], constant: int = 0) -> "LinearSum":
        """The sum with these coefficients."""
        return LinearSum(tuple(sorted((name, times) for name, times in terms.items() if times)), constant)

    def plus(self, other: "LinearSum", times: int = 1, own: int = 1) -> "LinearSum":
        """This sum times `own` plus another times `times`."""
        total = {name: own * factor for name, factor in self.terms}
        for name, factor in other.terms:
            total[name] = total.get(name, 0) + times * factor
        return LinearSum.of(total, own * self.constant + times * other.constant)

    def coefficient(self, name: str) -> int:
        """The coefficient of a variable."""
        return next((times for own, times in self.terms if own == name), 0)

    def without(self, name: str) -> "LinearSum":
        """The sum without a variable."""
        return LinearSum(tuple(term for term in self.terms if term[0] != name), self.constant)

    def at(self, values: Mapping[str, int]) -> int:
        """The value at whole numbers."""
        return self.constant + sum(times * values[name] for name, times in self.terms)


@dataclass(frozen=True, slots=True)
class LinearCondition:
    """A sum is 0, at least 0, or above 0."""

    sum: LinearSum
    kind: Kind

    @property
    def variables(self) -> frozenset[str]:
        """The variables that occur."""
        return frozenset(name for name, _ in self.sum.terms)


Linear: TypeAlias = "LinearCondition | Negated[Linear] | AllOf[Linear] | AnyOf[Linear]"
TRUE: Final[Linear] = AllOf(())
FALSE: Final[Linear] = AnyOf(())
TESTS: Final[dict[Kind, Callable[[int], bool]]] = {
    "=": lambda x: x == 0,
    ">=": lambda x: x >= 0,
    ">": lambda x: x > 0,
}


def linear_holds(formula: Linear, values: Mapping[str, int]) -> bool:
    """Whether a formula holds at whole numbers for its variables."""
    match formula:
        case LinearCondition(total, kind):
            return TESTS[kind](total.at(values))
        case Negated(one):
            return not linear_holds(one, values)
        case AllOf(parts):
            return all(linear_holds(part, values) for part in parts)
        case AnyOf(parts):
            return any(linear_holds(part, values) for part in parts)


def condition(total: LinearSum, kind: Kind, natural: frozenset[str] = frozenset()) -> Linear:
    """The condition in lowest terms, or true or false where it is; variables of `natural` are 0 or more."""
    divisor = reduce(gcd, [times for _, times in total.terms], total.constant)
    if divisor > 1:
        total = LinearSum(tuple((name, times // divisor) for name, times in total.terms), total.constant // divisor)
    if not total.terms:
        return TRUE if TESTS[kind](total.constant) else FALSE
    if all(name in natural for name, _ in total.terms):
        signs = {times > 0 for _, times in total.terms}
        if signs == {True} and (total.constant > 0 or (total.constant == 0 and kind == ">=")):
            return FALSE if kind == "=" else TRUE
        if signs == {False} and (total.constant < 0 or (total.constant == 0 and kind == ">")):
            return FALSE
    if kind == "=" and total.terms[0][1] < 0:
        total = LinearSum((), 0).plus(total, -1)
    return LinearCondition(total, kind)


def all_of(parts: Iterable[Linear]) -> Linear:
    """The AND of some formulas, flat, each once."""
    return _flat(parts, True)


def any_of(parts: Iterable[Linear]) -> Linear:
    """The OR of some formulas, flat, each once."""
    return _flat(parts, False)


def _flat(parts: Iterable[Linear], every: bool) -> Linear:
    flat: dict[Linear, None] = {}
    for part in parts:
        same = isinstance(part, AllOf) if every else isinstance(part, AnyOf)
        for one in part.parts if same and isinstance(part, AllOf | AnyOf) else (part,):
            if one == (FALSE if every else TRUE):
                return one
            flat[one] = None
    if len(flat) == 1:
        return next(iter(flat))
    return AllOf(tuple(flat)) if every else AnyOf(tuple(flat))


def negated(formula: Linear, natural: frozenset[str] = frozenset()) -> Linear:
    """The opposite of a formula, without NOT."""
    match formula:
        case LinearCondition(total, kind):
            below = LinearSum((), 0).plus(total, -1)
            if kind == "=":
                return any_of((condition(total, ">", natural), condition(below, ">", natural)))
            return condition(below, ">" if kind == ">=" else ">=", natural)
        case Negated(one):
            return positive(one, natural)
        case AllOf(parts):
            return any_of(negated(part, natural) for part in parts)
        case AnyOf(parts):
            return all_of(negated(part, natural) for part in parts)


def positive(formula: Linear, natural: frozenset[str] = frozenset()) -> Linear:
    """The same formula without NOT."""
    match formula:
        case LinearCondition():
            return formula
        case Negated(one):
            return negated(one, natural)
        case AllOf(parts):
            return all_of(positive(part, natural) for part in parts)
        case AnyOf(parts):
            return any_of(positive(part, natural) for part in parts)


def conditions_of(formula: Linear) -> list[LinearCondition]:
    """The conditions of a formula, as often as they occur."""
    every, stack = [], [formula]
    while stack:
        node = stack.pop()
        match node:
            case LinearCondition():
                every.append(node)
            case Negated(one):
                stack.append(one)
            case AllOf(parts) | AnyOf(parts):
                stack += parts
    return every


def substituted(formula: Linear, name: str, total: LinearSum, divisor: int, natural: frozenset[str]) -> Linear:
    """The formula with a sum divided by a positive number in place of a variable."""
    match formula:
        case LinearCondition(own, kind):
            factor = own.coefficient(name)
            if not factor:
                return formula
            return condition(own.without(name).plus(total, factor, divisor), kind, natural)
        case Negated(one):
            return negated(substituted(one, name, total, divisor, natural), natural)
        case AllOf(parts):
            return all_of(substituted(part, name, total, divisor, natural) for part in parts)
        case AnyOf(parts):
            return any_of(substituted(part, name, total, divisor, natural) for part in parts)


def eliminated(name: str, formula: Linear, natural: frozenset[str] = frozenset()) -> Linear:
    """A formula without the variable that says that there is a rational number for it; `formula` has no NOT."""
    match formula:
        case AnyOf(parts):
            return any_of(eliminated(name, part, natural) for part in parts)
        case AllOf(parts):
            rest = [part for part in parts if not _mentions(part, name)]
            own = [part for part in parts if _mentions(part, name)]
            return all_of([*rest, _eliminated(name, own, natural)]) if rest else _eliminated(name, own, natural)
        case _:
            return _eliminated(name, [formula], natural) if _mentions(formula, name) else formula


def _mentions(formula: Linear, name: str) -> bool:
    return any(one.sum.coefficient(name) for one in conditions_of(formula))


def _eliminated(name: str, parts: list[Linear], natural: frozenset[str]) -> Linear:
    """There is a number with which all parts hold, each of which is about it."""
    for at, part in enumerate(parts):
        if isinstance(part, LinearCondition) and part.kind == "=":
            point = _root(part, name)
            return all_of(substituted(one, name, *point, natural) for k, one in enumerate(parts) if k != at)
    formula = all_of(parts)
    if isinstance(formula, AnyOf):
        return eliminated(name, formula, natural)
    about = [one for one in conditions_of(formula) if one.sum.coefficient(name)]
    points = list(dict.fromkeys(_root(one, name) for one in about))
    if len(points) ** 2 * len(conditions_of(formula)) > MOST_CONDITIONS:
        what = f"taking away the number {name} gives more than {MOST_CONDITIONS:,} conditions"
        raise CapaxError("too-large", what, hint="fewer numbers that are not said to equal something")
    cases = [_far(formula, name, 1), _far(formula, name, -1)]
    for at, (total, divisor) in enumerate(points):
        for other, below in points[: at + 1]:
            middle = LinearSum((), 0).plus(total, below).plus(other, divisor)
            cases.append(substituted(formula, name, middle, 2 * divisor * below, natural))
    return any_of(cases)


def _root(one: LinearCondition, name: str) -> tuple[LinearSum, int]:
    """Where a condition's sum is 0: a sum divided by a positive number."""
    factor = one.sum.coefficient(name)
    return LinearSum((), 0).plus(one.sum.without(name), -1 if factor > 0 else 1), abs(factor)


def _far(formula: Linear, name: str, sign: int) -> Linear:
    """The formula with a number above (1) or below (-1) all others."""
    match formula:
        case LinearCondition(total, kind):
            factor = total.coefficient(name)
            if not factor:
                return formula
            return TRUE if kind != "=" and factor * sign > 0 else FALSE
        case AllOf(parts):
            return all_of(_far(part, name, sign) for part in parts)
        case AnyOf(parts):
            return any_of(_far(part, name, sign) for part in parts)
        case _:
            raise AssertionError("the formula has no NOT")
