"""The element-wise operations: one row each, used by every evaluator, printer and compiler."""

import math
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from capax.errors import CapaxError
from capax.rasp.ir.strings import string_text

MOST_BITS: Final = 1 << 18
"""The largest integer an operation may produce, in bits (about 78,900 digits)."""
MOST_ITEMS: Final = 10_000_000
"""The longest string or list an operation may produce."""


@dataclass(frozen=True, slots=True)
class Op:
    """An element-wise operation: its symbol in the language, its arity and its meaning on atoms."""

    symbol: str
    arity: int
    apply: Callable[..., Any]


def _power(base: Any, exponent: Any) -> Any:
    if isinstance(base, int) and isinstance(exponent, int) and exponent > 0 and abs(base) > 1:
        _bound_bits(math.log2(abs(base)) * exponent)
    return base**exponent


def _times(left: Any, right: Any) -> Any:
    for items, count in ((left, right), (right, left)):
        if isinstance(items, (str, list)) and isinstance(count, int):
            _bound_items(len(items) * max(count, 0))
    if isinstance(left, int) and isinstance(right, int):
        _bound_bits(left.bit_length() + right.bit_length())
    return left * right


def _plus(left: Any, right: Any) -> Any:
    if isinstance(left, (str, list)) and isinstance(right, (str, list)):
        _bound_items(len(left) + len(right))
    return left + right


def _remainder(left: Any, right: Any) -> Any:
    if isinstance(left, str) and re.search(r"%[^a-zA-Z%]*(\d{7}|\*)", left):
        _bound_items(MOST_ITEMS + 1)
    return left % right


def _bound_bits(bits: float) -> None:
    if bits > MOST_BITS:
        raise CapaxError(
            "number-too-large",
            f"the result would need about {bits:,.0f} bits; the limit is {MOST_BITS:,}",
            hint="keep integers below about 78,000 digits",
            python="integer too large",
        )


def _bound_items(count: int) -> None:
    if count > MOST_ITEMS:
        raise CapaxError(
            "too-large",
            f"the result would have more than {MOST_ITEMS:,} elements",
            hint="build something smaller",
            python="result too large",
        )


OPS: Final[dict[str, Op]] = {
    op.symbol: op
    for op in (
        Op("+", 2, _plus),
        Op("-", 2, operator.sub),
        Op("*", 2, _times),
        Op("/", 2, operator.truediv),
        Op("%", 2, _remainder),
        Op("^", 2, _power),
        Op("==", 2, operator.eq),
        Op("!=", 2, operator.ne),
        Op("<", 2, operator.lt),
        Op(">", 2, operator.gt),
        Op("<=", 2, operator.le),
        Op(">=", 2, operator.ge),
        Op("and", 2, lambda a, b: bool(a) and bool(b)),
        Op("or", 2, lambda a, b: bool(a) or bool(b)),
        Op("not", 1, operator.not_),
        Op("neg", 1, operator.neg),
        Op("pos", 1, operator.pos),
        Op("round", 1, round),
        Op("indicator", 1, lambda a: 1 if a else 0),
        Op("where", 3, lambda condition, then, otherwise: then if condition else otherwise),
    )
}
"""The op table. Prefix minus and plus are `neg` and `pos`; `where` is `then if condition else otherwise`."""


def apply_op(symbol: str, *args: Any) -> Any:
    """The value of an operation on Python values; failures become errors in the user's terms."""
    try:
        return OPS[symbol].apply(*args)
    except ZeroDivisionError as error:
        raise CapaxError(
            "division-by-zero",
            f"division by zero: {_shown(symbol, args)}",
            hint="guard the divisor, for instance `x / (d if d > 0 else 1)`",
            python=str(error),
        ) from None
    except OverflowError as error:
        raise CapaxError(
            "number-too-large",
            f"the result of {_shown(symbol, args)} does not fit",
            hint="keep the numbers smaller",
            python=str(error),
        ) from None
    except (TypeError, ValueError) as error:
        raise CapaxError(
            "type-mismatch",
            f"cannot compute {_shown(symbol, args)}: {_types(args)}",
            hint="both sides must have types that the operator joins" if len(args) > 1 else "give it a number",
            python=str(error),
        ) from None


def _shown(symbol: str, args: tuple[Any, ...]) -> str:
    shown = [_short(a) for a in args]
    if symbol == "where":
        return f"{shown[1]} if {shown[0]} else {shown[2]}"
    if len(args) == 2:
        return f"{shown[0]} {symbol} {shown[1]}"
    prefix = {"neg": "-", "pos": "+", "not": "not "}.get(symbol, "")
    return f"{prefix}{shown[0]}" if prefix else f"{symbol}({shown[0]})"


def _short(value: Any) -> str:
    if isinstance(value, int) and value.bit_length() > 200:
        return f"an integer of {value.bit_length():,} bits"
    text = string_text(value) if isinstance(value, str) else str(value)
    return text if len(text) <= 40 else text[:37] + "..."


def _types(args: tuple[Any, ...]) -> str:
    names = {str: "a string", bool: "a boolean", int: "an integer", float: "a float", list: "a list"}
    return " and ".join(names.get(type(a), f"a {type(a).__name__}") for a in args)
