"""The primitives of the language: functions with a word of their own, and those a program may shadow."""

from capax.errors import CapaxError, Span
from capax.rasp.ir import build, build_triples
from capax.rasp.ir.build import describe_value
from capax.rasp.ir.build_pads import pad
from capax.rasp.ir.ops import MOST_ITEMS, FunctionCall, Op, calls
from capax.rasp.ir.triple_nodes import LiftSide
from capax.rasp.python.program import Program
from capax.rasp.text import operators as operate
from capax.rasp.text.text_values import Builtin, Value


def check_count(name: str, low: int, high: int, got: int, span: Span, hint: str | None = None) -> None:
    """Refuses a number of arguments outside the range."""
    if not low <= got <= high:
        raise wrong_count(f"`{name}`", name, low, high, got, span, hint)


def check_builtin_count(function: Builtin, got: int, span: Span) -> None:
    """Refuses a number of arguments that a function of the language does not take."""
    low, high = len(function.params) - function.optional, len(function.params)
    check_count(function.name, low, high, got, span, f"it is a {function}")


def wrong_count(what: str, name: str, low: int, high: int, got: int, span: Span, hint: str | None = None) -> CapaxError:
    """The error for a wrong number of arguments."""
    expected = f"{low}" if low == high else f"{low} to {high}"
    plural = "" if expected == "1" else "s"
    message = f"{what} takes {expected} argument{plural}, but got {got}"
    return CapaxError("argument-count", message, span, hint, function=name, expected=low, got=got)


def primitive(name: str, args: list[Value], span: Span) -> Value:
    """aggregate, range, zip or len of the arguments, or an operation whose name is reserved."""
    match name:
        case "aggregate":
            check_count("aggregate", 2, 3, len(args), span)
            return _aggregate(tuple(args), span)
        case "range":
            return _range(args, span)
        case "zip":
            return _zip(args, span)
        case "len":
            if len(args) == 1 and isinstance(args[0], list):
                return len(args[0])
            check_count("len", 1, 1, len(args), span)
            hint = "for the length of the input use `length`" if isinstance(args[0], Program) else None
            raise CapaxError("length-of", f"len takes a list, not {describe_value(args[0])}", span, hint, value=args[0])
        case _:
            return operate.operation(name, args, span)


def _range(args: list[Value], span: Span) -> list[int]:
    if not 1 <= len(args) <= 3:
        what = f"range takes 1, 2 or 3 arguments, but got {len(args)}"
        raise CapaxError("range-arguments", what, span, "write range(stop) or range(start, stop, step)", got=len(args))
    if not all(isinstance(a, int) for a in args):
        bad = next(a for a in args if not isinstance(a, int))
        raise CapaxError("range-arguments", f"range takes integers, not {describe_value(bad)}", span, values=args)
    if len(args) == 3 and args[2] == 0:
        what = "the step of range is 0"
        raise CapaxError("range-arguments", what, span, python="range() arg 3 must not be zero")
    numbers = range(*args)
    if numbers and abs(numbers[-1] - numbers[0]) // abs(numbers.step) >= MOST_ITEMS:
        raise CapaxError("too-large", f"range of more than {MOST_ITEMS:,} numbers", span, python="range too large")
    return list(numbers)


def _zip(args: list[Value], span: Span) -> list[Value]:
    if not args:
        raise CapaxError("zip-arguments", "zip needs at least one list", span)
    for i, each in enumerate(args):
        if not isinstance(each, list):
            what = f"argument {i + 1} of zip is {describe_value(each)}, not a list"
            raise CapaxError("zip-arguments", what, span, argument=i + 1, value=each)
    for i, each in enumerate(args):
        if len(each) != len(args[0]):
            what = f"zip needs lists of one length, but list 1 has {len(args[0])} and list {i + 1} has {len(each)}"
            raise CapaxError("zip-arguments", what, span, first=len(args[0]), argument=i + 1, got=len(each))
    return [list(row) for row in zip(*args, strict=True)]


def _bare_select(args: tuple[Value, ...], span: Span) -> Value:
    raise CapaxError(
        "argument-count",
        "select takes a key, a query and a comparison",
        span,
        "write for instance `select(indices, 0, ==)`",
        function="select",
        expected=3,
        got=len(args),
    )


def _aggregate(args: tuple[Value, ...], span: Span) -> Value:
    selector, value, default = (*args, 0)[:3]
    return build.aggregate(selector, value, default, span)


def _builtin(op: Op) -> Builtin:
    """An operation of the op table as a function of the language."""
    assert isinstance(op.notation, FunctionCall)
    return Builtin(op.symbol, op.notation.params, lambda args, span: operate.operation(op.symbol, args, span), op.doc)


def _lift(side: LiftSide, what: str) -> Builtin:
    """A function that makes a selector over triples of an ordinary one."""
    return Builtin(
        f"on_{side}",
        ("selector",),
        lambda args, span: build_triples.lift(side, args[0], span),
        f"The selector over triples that holds where {what}, by an ordinary selector.",
    )


BUILTINS: dict[str, Builtin] = {
    "aggregate": Builtin(
        "aggregate",
        ("selector", "value", "default"),
        _aggregate,
        "For each query the mean of the selected values: one value is taken as it is, none gives the default (0).",
        optional=1,
    ),
    "best": Builtin(
        "best",
        ("selector", "score"),
        lambda args, span: build.best(args[0], args[1], span),
        "For each query only the selected key with the highest score; of equals the rightmost.",
    ),
    "constant": Builtin(
        "constant",
        ("value",),
        lambda args, span: (build.listed if isinstance(args[0], list) else build.constant)(args[0], span),
        "The s-op with one value everywhere, or with those of a list; rarely needed: they stand for it themselves.",
    ),
    "select": Builtin(
        "select",
        ("key", "query", "op"),
        _bare_select,
        "The selector in which query i selects key j when key[j] op query[i]; op is ==, !=, <, >, <= or >=.",
        optional=3,
    ),
    "pad": Builtin(
        "pad",
        ("value", "count", "token"),
        lambda args, span: pad(*args, span=span),
        "The s-op on the word followed by pause tokens: a number of them, length, length ^ 2 or length ^ 3, or a "
        "multiple of one of these. It is declared last, and the pads have no answers.",
        optional=1,
    ),
    "select3": Builtin(
        "select3",
        ("keys1", "keys2", "query", "test"),
        lambda args, span: build_triples.select3(args[0], args[1], args[2], args[3], span),
        "The selector over triples in which query i selects the keys j and k when the sum keys1[j] + keys2[k] + "
        "query[i] passes the test: one comparison of `sum`, or of `sum % M`, with an integer.",
    ),
    "on_first": _lift("first", "the query selects the first key"),
    "on_second": _lift("second", "the query selects the second key"),
    "on_keys": _lift("keys", "the second key, as a query, selects the first key"),
    **{op.symbol: _builtin(op) for op in calls("builtin")},
}
"""The functions of the language that a program may shadow by a variable of its own."""

OVER_TRIPLES = ("select3", "on_first", "on_second", "on_keys")
"""Functions that the reference implementation does not have."""
