"""raspy's names: a program for raspy runs when `from raspy import ...` becomes `from capax.compat.raspy import ...`.

Its meaning is raspy's: several selected values are summed, not averaged. What raspy gets wrong is right here: `1 + x`
works, `~` is not, and `and` between programs is refused instead of dropping one of them.
"""

import math
import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, NoReturn

from capax.compat.lowering import expression as core
from capax.compat.lowering.functions import CHOOSE, NEGATIVE, OPERATORS, operation
from capax.compat.lowering.interpret import interpret
from capax.errors import CapaxError
from capax.rasp.python.operators import Comparisons, Operators

__all__ = [
    "Key",
    "Query",
    "SOp",
    "Sel",
    "Selector",
    "Seq",
    "aggregate",
    "eq",
    "ge",
    "gt",
    "identity",
    "indices",
    "key",
    "le",
    "lt",
    "ne",
    "neq",
    "query",
    "raw",
    "repeat",
    "select",
    "set_example",
    "tokens",
    "where",
    "wrap",
]


@dataclass(slots=True)
class _Display:
    """The word on which programs show their values when they are printed."""

    example: Any = "hello"


_DISPLAY = _Display()


def set_example(example: Any) -> None:
    """Sets the word on which programs show their values when they are printed."""
    _DISPLAY.example = example


class Seq(list[Any]):
    """The values of a program on a word."""

    @property
    def val(self) -> list[Any]:
        """The values as a plain list."""
        return list(self)

    def toseq(self) -> list[Any]:
        """The values as a plain list."""
        return list(self)


class Sel(list[list[bool]]):
    """A selector on a word, as raspy keeps it: a row for each key, a column for each query."""

    @property
    def val(self) -> list[list[bool]]:
        """The rows as a plain list."""
        return list(self)


def _inverted(value: Any) -> Any:
    return (not value) if isinstance(value, bool) else ~value


eq, ne, lt, le, gt, ge = (OPERATORS[sign] for sign in ("==", "!=", "<", "<=", ">", ">="))
neq = ne
_OPERATIONS: dict[str, Callable[..., Any]] = OPERATORS | {"and": operator.and_, "or": operator.or_}
_ROUND = operation("round", lambda x: round(x))


class _Program:
    """What s-ops and selectors have in common."""

    __hash__ = object.__hash__

    def __init__(self, expression: core.Expression) -> None:
        self.expression = expression

    def to_core(self) -> core.Expression:
        """The program in the words that the dialects have in common."""
        return self.expression

    def __bool__(self) -> NoReturn:
        """Refused: `x and y` would drop one of the two."""
        raise CapaxError(
            "truth-value",
            "a program has a value at every position, and no single truth value",
            hint="use `&`, `|` and `~` for and, or and not",
        )


class SOp(Operators["SOp", Any], _Program):
    """A program that gives one value per position; operators act on every position."""

    @staticmethod
    def zip(f: Callable[..., Any], *ss: "SOp") -> "SOp":
        """A function of the values of several programs at each position."""
        return SOp(core.ApplyExpr(f, tuple(wrap(s).expression for s in ss)))

    def map(self, f: Callable[[Any], Any]) -> "SOp":
        """A function of the value at each position."""
        return SOp.zip(f, self)

    def name(self, name: str) -> "SOp":
        """The same under a name."""
        return SOp(replace(self.expression, name=name))

    def __call__(self, word: Iterable[Any]) -> Seq:
        """The values on a word: a string, or a list of tokens."""
        return Seq(interpret(self.expression, word))

    input = __call__

    def round(self) -> "SOp":
        """The nearest integer at each position."""
        return self.map(_ROUND)

    def has(self, v: Any) -> "SOp":
        """Whether the value at each position is in a collection."""
        return self.map(lambda x: x in v)

    def cos(self) -> "SOp":
        """The cosine at each position."""
        return self.map(math.cos)

    def sin(self) -> "SOp":
        """The sine at each position."""
        return self.map(math.sin)

    def __repr__(self) -> str:
        return repr(self(_DISPLAY.example))

    def _operator(self, op: str, left: Any, right: Any) -> "SOp":
        return SOp.zip(_OPERATIONS[op], wrap(left), wrap(right))

    def __invert__(self) -> "SOp":
        return self.map(_inverted)

    def __neg__(self) -> "SOp":
        return self.map(NEGATIVE)


class Selector(_Program):
    """A program that gives one boolean per key and query."""

    def __call__(self, word: Iterable[Any]) -> Sel:
        """The selector on a word: a row for each key, a column for each query."""
        rows = interpret(self.expression, word)
        return Sel([list(column) for column in zip(*rows, strict=True)])

    @staticmethod
    def zip(fn: Callable[..., Any], *aa: "Selector") -> "Selector":
        """A boolean function of several selectors."""
        return Selector(core.CombineExpr(fn, tuple(_expect_selector(a).expression for a in aa)))

    def map(self, fn: Callable[[bool], Any]) -> "Selector":
        """A boolean function of this selector."""
        return Selector.zip(fn, self)

    def value(self, val: Any, default: Any = 0) -> SOp:
        """For each query the value of the one selected key, the sum of several, or the default for none."""
        return aggregate(self, val, default)

    def width(self) -> SOp:
        """For each query how many keys are selected."""
        return SOp(core.WidthExpr(self.expression))

    def __and__(self, other: "Selector") -> "Selector":
        return Selector.zip(lambda a, b: a and b, self, other)

    def __or__(self, other: "Selector") -> "Selector":
        return Selector.zip(lambda a, b: a or b, self, other)

    def __invert__(self) -> "Selector":
        return self.map(lambda a: not a)

    def __repr__(self) -> str:
        word = list(_DISPLAY.example)
        lines = ["    " + " ".join(map(str, word))]
        for token, row in zip(word, self(word), strict=True):
            lines.append(f"{token} | " + " ".join("1" if v else " " for v in row))
        return "\n".join(lines)


def _expect_selector(value: object) -> Selector:
    if isinstance(value, Selector):
        return value
    raise CapaxError(
        "expected-selector", f"a selector is needed here, not {value!r:.60}", hint="write key(x) == query(y)"
    )


def wrap(x: Any) -> SOp:
    """The program itself; for a number or one character the same at every position, for a list its elements."""
    if isinstance(x, SOp):
        return x
    return repeat(x) if isinstance(x, (int, float)) or (isinstance(x, str) and len(x) == 1) else raw(x)


def raw(x: Iterable[Any]) -> SOp:
    """A value of its own for each position."""
    return SOp(core.ListedValues(list(x), exact=False))


def repeat(y: Any) -> SOp:
    """The same value at every position."""
    return SOp(core.ConstantExpr(y))


indices = SOp(core.IndicesExpr())
tokens = identity = SOp(core.TokensExpr())


def select(keylike: Any, querylike: Any, predicate: Callable[[Any, Any], Any]) -> Selector:
    """The pairs of a key and a query for whose values a predicate holds."""
    return Selector(core.SelectExpr(wrap(keylike).expression, wrap(querylike).expression, predicate))


def aggregate(sel: Selector, vallike: Any, default: Any = 0, name: str = "", width: bool = False) -> SOp:
    """For each query the value of the one selected key, the sum of several, or the default for none."""
    expression = core.AggregateExpr(
        _expect_selector(sel).expression, wrap(vallike).expression, default, "sum", name=name or None
    )
    return SOp(expression)


class Query:
    """A program on the side of the queries."""

    __hash__ = object.__hash__

    def __init__(self, sop: Any) -> None:
        self.sop = wrap(sop)

    def __repr__(self) -> str:
        return f"query({self.sop!r})"


class Key(Comparisons[Selector, Any]):
    """A program on the side of the keys; compared with a query it is a selector."""

    def __init__(self, sop: Any) -> None:
        self.sop = wrap(sop)

    def __repr__(self) -> str:
        return f"key({self.sop!r})"

    def _operator(self, op: str, left: Any, right: Any) -> Selector:
        if not isinstance(right, Query):
            raise CapaxError("bad-option", "a key is compared with a query", hint="write key(x) == query(y)")
        return select(self.sop, right.sop, OPERATORS[op])


def key(x: Any) -> Key:
    """A program as the keys of a selector."""
    return Key(x)


def query(x: Any) -> Query:
    """A program as the queries of a selector."""
    return Query(x)


def where(pred: Any, t: Any, f: Any) -> SOp:
    """One value where a condition holds, another elsewhere."""
    return SOp.zip(CHOOSE, wrap(pred), wrap(t), wrap(f))
