"""What the dialects have in common: s-ops and selectors made with Python functions.

Unlike the nodes of capax they are not interned, may hold any Python value (None and tuples among them), and have
no meaning for a compiler until the tokens and lengths are known.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal, TypeAlias

from capax.rasp.ir.graph import postorder

Reduction: TypeAlias = Literal["mean", "sum", "max", "min"]


@dataclass(frozen=True, eq=False, slots=True)
class Expression:
    """The root of all; `name` is what the user calls it."""

    name: str | None = field(default=None, kw_only=True)

    @property
    def operands(self) -> "tuple[Expression, ...]":
        """The expressions that it is made from, in the order of its fields."""
        values = (getattr(self, item.name) for item in fields(self))
        parts = (part for value in values for part in (value if isinstance(value, tuple) else (value,)))
        return tuple(part for part in parts if isinstance(part, Expression))


@dataclass(frozen=True, eq=False, slots=True)
class TokensExpr(Expression):
    """The tokens of the word."""


@dataclass(frozen=True, eq=False, slots=True)
class IndicesExpr(Expression):
    """The positions 0, 1, 2, ..."""


@dataclass(frozen=True, eq=False, slots=True)
class LengthExpr(Expression):
    """The length of the word, at every position, even for a causal run."""


@dataclass(frozen=True, eq=False, slots=True)
class ConstantExpr(Expression):
    """The same value at every position."""

    value: Any


@dataclass(frozen=True, eq=False, slots=True)
class ListedValues(Expression):
    """A value of its own for each position; `exact` refuses words of another length."""

    values: Sequence[Any]
    exact: bool


@dataclass(frozen=True, eq=False, slots=True)
class ApplyExpr(Expression):
    """A function of the values at each position; with `skips_none` it gives None where any of them is None."""

    function: Callable[..., Any]
    args: tuple[Expression, ...]
    skips_none: bool = False


@dataclass(frozen=True, eq=False, slots=True)
class SelectExpr(Expression):
    """Query i selects key j when `predicate(key[j], query[i])`."""

    key: Expression
    query: Expression
    predicate: Callable[[Any, Any], Any]


@dataclass(frozen=True, eq=False, slots=True)
class CombineExpr(Expression):
    """A boolean function of selectors, pair by pair."""

    function: Callable[..., Any]
    parts: tuple[Expression, ...]


@dataclass(frozen=True, eq=False, slots=True)
class SelectorRows(Expression):
    """A selector by its rows, one for each query; `exact` refuses words of another length."""

    rows: Sequence[Sequence[bool]]
    exact: bool


@dataclass(frozen=True, eq=False, slots=True)
class AggregateExpr(Expression):
    """For each query the default if no key is selected, the value of the one key, or the reduction of several."""

    selector: Expression
    value: Expression
    default: Any
    reduction: Reduction = "mean"


@dataclass(frozen=True, eq=False, slots=True)
class WidthExpr(Expression):
    """For each query how many keys are selected."""

    selector: Expression


def in_order(root: Expression) -> list[Expression]:
    """Everything below an expression, operands first."""
    return postorder([root], lambda expression: expression.operands)
