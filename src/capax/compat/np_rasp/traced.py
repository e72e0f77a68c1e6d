"""Arrays that are not known yet: np-rasp's functions, called with them, tell what they compute."""

import operator
from collections.abc import Callable
from typing import Any, NoReturn

from capax.compat.lowering import expression as core
from capax.compat.lowering.functions import COMPARISONS, LOGICAL_NOT, NEGATIVE, OPERATORS, Known
from capax.errors import CapaxError
from capax.rasp.ir import build
from capax.rasp.python.operators import Operators
from capax.rasp.python.program import SOp

_KNOWN = {op: known for op, known in OPERATORS.items() if op != "/"}
_BITWISE = {"and": operator.and_, "or": operator.or_}


class TracedSelector:
    """A matrix of booleans that is not known yet."""

    __array_ufunc__ = None

    def __init__(self, expression: core.Expression) -> None:
        self.expression = expression

    def __getitem__(self, position: object) -> NoReturn:
        """Refused: nothing is known of single entries."""
        raise _refused("indexing a selector")


class Traced(Operators["Traced", Any]):
    """A sequence of integers, or of booleans, that is not known yet; operators act as numpy's."""

    __array_ufunc__ = None  # so that numpy leaves operators to this class

    def __init__(self, expression: core.Expression, boolean: bool = False) -> None:
        self.expression = expression
        self.boolean = boolean

    def _operator(self, op: str, left: Any, right: Any) -> Any:
        if op in _BITWISE:
            if not isinstance(left, Traced):
                left, right = right, left
            return applied(_BITWISE[op], left, right, boolean=_boolean(left) and _boolean(right))
        if op not in _KNOWN or (op == "%" and not isinstance(left, Traced)):
            return NotImplemented
        if op in COMPARISONS:
            return applied(_KNOWN[op], left, right, boolean=True)
        if _boolean(left) and _boolean(right):
            raise _refused(f"`{op}` between booleans, which numpy does not treat as numbers,")
        return applied(_KNOWN[op], left, right)

    def __floordiv__(self, other: Any) -> "Traced":
        return applied(operator.floordiv, self, other)

    def __xor__(self, other: Any) -> "Traced":
        return applied(operator.xor, self, other, boolean=self.boolean and _boolean(other))

    __rxor__ = __xor__

    def __invert__(self) -> "Traced":
        return applied(LOGICAL_NOT if self.boolean else operator.invert, self, boolean=self.boolean)

    def __neg__(self) -> "Traced":
        if self.boolean:
            raise _refused("the negative of booleans, which numpy refuses too")
        return applied(NEGATIVE, self)

    def astype(self, kind: Any) -> "Traced":
        """The same as integers or as booleans."""
        if kind in (bool, "bool"):
            return applied(bool, self, boolean=True)
        if kind in (int, "int"):
            return applied(cast(lambda x: x), self)
        raise _refused(f"astype({kind!r})")

    def copy(self) -> "Traced":
        """The same."""
        return self

    def __bool__(self) -> NoReturn:
        """Refused, as for an array of several elements."""
        raise _refused("asking for the truth of a sequence")

    def __len__(self) -> int:
        """Refused: a program is for words of any length."""
        raise _refused("asking for the length of a sequence")

    def __getitem__(self, position: object) -> NoReturn:
        """Refused: nothing is known of single elements."""
        raise _refused("indexing a sequence")

    def __iter__(self) -> NoReturn:
        """Refused: nothing is known of single elements."""
        raise _refused("looping over a sequence")

    def __array__(self, *args: object, **options: object) -> NoReturn:
        """Refused: it is no array yet."""
        raise _refused("handing a sequence to numpy")


def _refused(what: str) -> CapaxError:
    return CapaxError(
        "not-compilable",
        f"{what} cannot become part of a RASP program",
        hint="use operators and the functions of np-rasp (kqv, seq_map, tok_map, where, ...) only",
    )


def _boolean(value: object) -> bool:
    return value.boolean if isinstance(value, Traced) else isinstance(value, bool)


def part(value: Any) -> core.Expression:
    """The expression of a traced sequence, of a number, or of a list of numbers."""
    if isinstance(value, Traced):
        return value.expression
    if hasattr(value, "tolist"):
        value = value.tolist()
    return core.ListedValues(value, exact=True) if isinstance(value, list) else core.ConstantExpr(value)


def applied(function: Callable[..., Any], *args: Any, boolean: bool = False) -> Traced:
    """A function of the values at each position."""
    return Traced(core.ApplyExpr(function, tuple(part(a) for a in args)), boolean)


def cast(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with integers as results; an s-op passes, so that the function can be traced further."""

    def whole(*args: Any) -> Any:
        result = function(*args)
        return result if isinstance(result, SOp) else int(result)

    if isinstance(function, Known):  # a comparison
        symbolic = function.symbolic
        return Known(whole, lambda *args: build.elementwise("indicator", symbolic(*args)))
    return whole


def trace(function: Callable[[Any], Any]) -> core.Expression:
    """What a function of one array computes."""
    if not callable(function):
        raise CapaxError("bad-option", f"not a program: {function!r:.60}", hint="give a function of one array")
    result = function(Traced(core.TokensExpr()))
    if not isinstance(result, Traced):
        raise CapaxError(
            "not-compilable",
            f"the function gave {result!r:.60}, not a sequence made from its argument",
            hint="return what a function of np-rasp gives",
        )
    return result.expression
