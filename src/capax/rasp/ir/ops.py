"""The element-wise operations: one row each, read by every evaluator, printer, editor and compiler.

A row is all that an operation needs. `notation` says how it is written: a function call needs no change of the
grammar, and an infix operator goes to one of the levels of precedence. `array` is the operation on whole arrays;
without it each combination of values is computed once. `expand` writes an operation with others; the compiler, the
type of the answer and the dialects then see only those. An operation without it is compiled by a table of its values,
one entry for each combination of the values of its operands, as long as these are within the compiler's budget.
"""

import itertools
import math
import operator
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final, Literal, TypeAlias, assert_never

from capax.errors import CapaxError
from capax.rasp.ir.nodes import Const, Map, Node, SOpNode
from capax.rasp.ir.strings import string_text
from capax.rasp.ir.types import Atom

MOST_BITS: Final = 1 << 18
"""The largest integer an operation may produce, in bits (about 78,900 digits)."""
MOST_ITEMS: Final = 10_000_000
"""The longest string or list an operation may produce."""


class Precedence(IntEnum):
    """The precedence of infix operators, from loose to tight; the names are the grammar's terminals.

    The comparisons are those of selectors too, and closed.
    """

    LOGIC = 2
    COMPARISON = 3
    SIGN = 4
    PERCENT = 5
    FACTOR = 6
    POWER = 7


@dataclass(frozen=True, slots=True)
class Infix:
    """`a + b`: the symbol between two operands."""

    level: Precedence


@dataclass(frozen=True, slots=True)
class Prefix:
    """`not a`: a sign or word before one operand."""

    sign: str


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """`round(x)`: a function call.

    `home` is where the name belongs: to the language, which a program may shadow (`builtin`) or not (`reserved`), or to
    the standard library, whose function of that name makes the operation (`library`).
    """

    params: tuple[str, ...]
    home: Literal["builtin", "reserved", "library"] = "builtin"


@dataclass(frozen=True, slots=True)
class Choice:
    """`then if condition else otherwise`; the condition is the first operand."""


Notation: TypeAlias = Infix | Prefix | FunctionCall | Choice

ResultType: TypeAlias = Literal["bool", "int", "float", "number", "power", "branch"]
"""The type of the result: `number` is an integer if all operands are integers or booleans, and else a float; `power` is
that, but a float for a negative exponent; `branch` is the type of the operand that is chosen."""


@dataclass(frozen=True, slots=True)
class Op:
    """An element-wise operation: its name, how it is written, its value on atoms, and what else is known of it."""

    symbol: str
    notation: Notation
    apply: Callable[..., Any]
    doc: str = ""
    """One line for `help`, completion and the editor."""
    result: ResultType | None = None
    """The type of the result; None where only the values tell."""
    values: tuple[Atom, ...] | None = None
    """All values that the result can have, where they are few."""
    reads_truth: bool = False
    """Whether operands count only as true or false."""
    divides: bool = False
    """Whether a second operand of zero is an error."""
    sops_only: bool = False
    """Whether the operation is refused for single values in a text."""
    array: Callable[..., Any] | None = None
    """The operation on numpy arrays of integers or of floats (of truth values, with `reads_truth`)."""
    bound: Callable[[Iterable[int | float]], int | float] | None = None
    """A bound on the size of an integer result, from bounds on the sizes of the operands; `sum` for sums. It says where
    64 bits suffice: without it the array form is for floats, and integers go by `apply`."""
    expand: Callable[..., SOpNode] | None = None
    """The operation by other operations, which have the same value and type, and fail on the same values."""

    @property
    def arity(self) -> int:
        """The number of operands."""
        match self.notation:
            case Infix():
                return 2
            case Prefix():
                return 1
            case FunctionCall(params=params):
                return len(params)
            case Choice():
                return 3
            case _:
                assert_never(self.notation)

    @property
    def possible_values(self) -> tuple[Atom, ...] | None:
        """All values that the result can have, where they are few."""
        return (False, True) if self.result == "bool" else self.values

    @property
    def is_call(self) -> bool:
        """Whether it is written as a function call."""
        return isinstance(self.notation, FunctionCall)

    def text(self, args: list[str]) -> str:
        """The operation written out with operands that are texts."""
        match self.notation:
            case Infix():
                return f"{args[0]} {self.symbol} {args[1]}"
            case Prefix(sign=sign):
                return f"{sign} {args[0]}" if sign.isalpha() else f"{sign}{args[0]}"
            case FunctionCall():
                return f"{self.symbol}({', '.join(args)})"
            case Choice():
                return f"{args[1]} if {args[0]} else {args[2]}"
            case _:
                assert_never(self.notation)


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


def _choice(comparison: str) -> Callable[..., SOpNode]:
    """One of two operands by a comparison; of equals the second."""
    return lambda a, b: Map("where", (Map(comparison, (a, b)), a, b))


def _size(x: SOpNode) -> SOpNode:
    return Map("where", (Map("<", (x, Const(0))), Map("neg", (x,)), Map("pos", (x,))))


def _sign(x: SOpNode) -> SOpNode:
    return Map("-", (Map(">", (x, Const(0))), Map("<", (x, Const(0)))))


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


_LOGIC = "and, or and not act on s-ops position by position, and on selectors pair by pair."


def _comparison(symbol: str, apply: Callable[..., Any]) -> Op:
    return Op(symbol, Infix(Precedence.COMPARISON), apply, result="bool", array=apply)


def _truth(
    symbol: str, notation: Notation, apply: Callable[..., Any], array: Callable[..., Any], doc: str = _LOGIC
) -> Op:
    return Op(symbol, notation, apply, doc, result="bool", reads_truth=True, array=array)


OPS: Final[dict[str, Op]] = {
    op.symbol: op
    for op in (
        Op("+", Infix(Precedence.SIGN), _plus, result="number", array=operator.add, bound=sum),
        Op("-", Infix(Precedence.SIGN), operator.sub, result="number", array=operator.sub, bound=sum),
        Op("*", Infix(Precedence.FACTOR), _times, result="number", array=operator.mul, bound=math.prod),
        Op("/", Infix(Precedence.FACTOR), operator.truediv, result="float", array=operator.truediv, divides=True),
        Op(
            "//",
            Infix(Precedence.FACTOR),
            operator.floordiv,
            result="number",
            array=operator.floordiv,
            bound=sum,
            divides=True,
        ),
        Op("%", Infix(Precedence.PERCENT), _remainder, result="number", array=operator.mod, bound=sum, divides=True),
        Op("^", Infix(Precedence.POWER), _power, result="power"),
        _comparison("==", operator.eq),
        _comparison("!=", operator.ne),
        _comparison("<", operator.lt),
        _comparison(">", operator.gt),
        _comparison("<=", operator.le),
        _comparison(">=", operator.ge),
        _truth("and", Infix(Precedence.LOGIC), lambda a, b: bool(a) and bool(b), operator.and_),
        _truth("or", Infix(Precedence.LOGIC), lambda a, b: bool(a) or bool(b), operator.or_),
        _truth("not", Prefix("not"), operator.not_, operator.invert, "not binds tightest: write not (a == b)."),
        Op("neg", Prefix("-"), operator.neg, result="number", array=operator.neg, bound=sum),
        Op("pos", Prefix("+"), operator.pos, result="number", array=operator.pos, bound=sum),
        Op(
            "round",
            FunctionCall(("x",), "reserved"),
            round,
            "round(x) gives the nearest integer; halves go to the even one.",
            result="int",
            array=lambda x: x.round(),
            bound=sum,
        ),
        Op(
            "abs",
            FunctionCall(("x",)),
            abs,
            "The size of a number, without its sign.",
            result="number",
            array=abs,
            bound=sum,
            expand=_size,
        ),
        Op(
            "sign",
            FunctionCall(("x",)),
            lambda x: (x > 0) - (x < 0),
            "-1, 0 or 1, as a number is negative, 0 or positive.",
            result="int",
            values=(-1, 0, 1),
            expand=_sign,
        ),
        Op(
            "indicator",
            FunctionCall(("s",), "reserved"),
            lambda a: 1 if a else 0,
            "indicator(s) is 1 where the s-op is true and 0 elsewhere.",
            result="int",
            values=(0, 1),
            reads_truth=True,
            sops_only=True,
            array=lambda a: a * 1,
        ),
        Op("max", FunctionCall(("a", "b"), "library"), lambda a, b: a if a > b else b, expand=_choice(">")),
        Op("min", FunctionCall(("a", "b"), "library"), lambda a, b: a if a < b else b, expand=_choice("<")),
        Op("where", Choice(), lambda condition, then, otherwise: then if condition else otherwise, result="branch"),
    )
}
"""The op table. Prefix minus and plus are `neg` and `pos`; `where` is `then if condition else otherwise`."""


_SAMPLES: Final[tuple[Atom, ...]] = (False, True, 0, 1, 2, 9, -3, 0.5, -2.0, 12.5)
"""Booleans are numbers, too: True + True is 2."""
_FAILURES: Final = (ArithmeticError, TypeError, ValueError, CapaxError)


def contradiction(op: Op) -> str | None:
    """Where a row contradicts `apply` on a few booleans and numbers: a type, values or an expansion; or None.

    The tests ask this of every row; here it would take a fifth of the time that `import capax` takes.
    """
    for args in itertools.product(_SAMPLES, repeat=op.arity):
        if (wrong := _wrong_result(op, args)) is not None:
            return wrong
    if op.expand is None:
        return None
    operands = [Const(f"operand {number}") for number in range(op.arity)]
    expansion = op.expand(*operands)
    for args in itertools.product((*_SAMPLES, "a", "b"), repeat=op.arity):
        value = _outcome(op.apply, *args)
        other = _outcome(_expansion_value, expansion, dict(zip(operands, args, strict=True)))
        if value != other:
            return f"the row of {op.symbol!r} expands {_written(op, args)} to {other[1]}, but its value is {value[1]}"
    return None


def _wrong_result(op: Op, args: tuple[Any, ...]) -> str | None:
    """What a row says of the type or the values of its result, if these operands give another."""
    try:
        value = op.apply(*args)
    except _FAILURES:
        return None
    expected = _result_type(op, args)
    listed = op.possible_values is None or value in op.possible_values
    if isinstance(value, complex) or (listed and expected in (None, type(value))):
        return None
    says = f"result={op.result!r}" if listed else f"values={op.values}"
    return f"the row of {op.symbol!r} says {says}, but {_written(op, args)} is {value!r}"


def _outcome(function: Callable[..., Any], *args: Any) -> tuple[type | None, Any]:
    """The value with its type, or that there is none."""
    try:
        value = function(*args)
    except _FAILURES:
        return None, "an error"
    return type(value), value


def _expansion_value(node: SOpNode, operands: dict[Const, Any]) -> Any:
    """The value of an expansion at some values of its operands, by the functions of the table."""
    if isinstance(node, Const) and node in operands:
        return operands[node]
    if isinstance(node, Const):
        return node.value
    assert isinstance(node, Map), f"an expansion has operations and constants, and not {type(node).__name__}"
    return OPS[node.op].apply(*(_expansion_value(arg, operands) for arg in node.args))


def _written(op: Op, args: tuple[Any, ...]) -> str:
    return op.text([str(a) for a in args])


def _result_type(op: Op, args: tuple[Any, ...]) -> type | None:
    """The type that a row says the result has for some operands."""
    integers = all(isinstance(a, int) for a in args)
    match op.result:
        case None:
            return None
        case "number":
            return int if integers else float
        case "power":
            return int if integers and args[1] >= 0 else float
        case "branch":
            return type(args[1] if args[0] else args[2])
        case _:
            return {"bool": bool, "int": int, "float": float}[op.result]


def calls(*homes: str) -> list[Op]:
    """The operations that are written as calls and whose names belong to one of the given homes."""
    return [op for op in OPS.values() if isinstance(op.notation, FunctionCall) and op.notation.home in homes]


def infix(*levels: Precedence) -> list[str]:
    """The infix operators of some levels, of all levels if none is given."""
    return [
        s for s, op in OPS.items() if isinstance(op.notation, Infix) and op.notation.level in (levels or Precedence)
    ]


def level_of(symbol: str) -> Precedence | None:
    """The precedence of an infix operator; None for anything else."""
    notation = OPS[symbol].notation if symbol in OPS else None
    return notation.level if isinstance(notation, Infix) else None


def operator_words() -> list[str]:
    """The operators that are words: `and`, `or`, `not`."""
    prefixes = [op.notation.sign for op in OPS.values() if isinstance(op.notation, Prefix)]
    return [word for word in (*infix(), *prefixes) if word.isalpha()]


def operator_signs() -> list[str]:
    """The infix operators that are no words, longest first, as a lexer tries them."""
    return sorted((sign for sign in infix() if not sign.isalpha()), key=len, reverse=True)


def expanded(node: Map) -> SOpNode | None:
    """The operation of a node written with other operations, if its row says how."""
    expand = OPS[node.op].expand
    return None if expand is None else expand(*node.args)


def write_out(node: Node) -> Node:
    """An operation by others, where the op table says how."""
    return (expanded(node) if isinstance(node, Map) else None) or node


def apply_op(symbol: str, *args: Any) -> Any:
    """The value of an operation on Python values; failures become errors in the user's terms."""
    try:
        return OPS[symbol].apply(*args)
    except ZeroDivisionError as error:
        raise CapaxError(
            "division-by-zero",
            f"division by zero: {_text(symbol, args)}",
            hint="guard the divisor, for instance `x / (d if d > 0 else 1)`",
            python=str(error),
        ) from None
    except OverflowError as error:
        raise CapaxError(
            "number-too-large",
            f"the result of {_text(symbol, args)} does not fit",
            hint="keep the numbers smaller",
            python=str(error),
        ) from None
    except (TypeError, ValueError) as error:
        raise CapaxError(
            "type-mismatch",
            f"cannot compute {_text(symbol, args)}: {_types(args)}",
            hint="use operands of types that go together" if len(args) > 1 else "give it a number",
            python=str(error),
        ) from None


def _text(symbol: str, args: tuple[Any, ...]) -> str:
    return OPS[symbol].text([_short(a) for a in args])


def _short(value: Any) -> str:
    if isinstance(value, int) and value.bit_length() > 200:
        return f"an integer of {value.bit_length():,} bits"
    text = string_text(value) if isinstance(value, str) else str(value)
    return text if len(text) <= 40 else text[:37] + "..."


def _types(args: tuple[Any, ...]) -> str:
    names = {str: "a string", bool: "a boolean", int: "an integer", float: "a float", list: "a list"}
    return " and ".join(names.get(type(a), f"a {type(a).__name__}") for a in args)
