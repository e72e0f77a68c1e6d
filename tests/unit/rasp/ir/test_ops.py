"""The rows of the op table: their values are Python's, on atoms and on whole batches, and each compiles."""

import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given, reject
from hypothesis import strategies as st

import capax
from capax import tokens_asis
from capax.errors import CapaxError
from capax.rasp.ir.build import elementwise
from capax.rasp.ir.nodes import Const, Map, SOpNode
from capax.rasp.ir.ops import OPS, Choice, FunctionCall, Infix, Op, Precedence, apply_op, contradiction
from capax.rasp.python.program import Program

PYTHON: dict[str, Callable[..., Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "neg": operator.neg,
    "pos": operator.pos,
    "round": round,
    "abs": abs,
    "max": lambda a, b: max(b, a),
    "min": lambda a, b: min(b, a),
    "sign": lambda x: 0 if x == 0 else 1 if x > 0 else -1,
    "indicator": lambda x: int(bool(x)),
}
"""The operations on numbers as Python has them."""

TEXTS = {
    "+": "x + y",
    "-": "x - y",
    "*": "x * y",
    "/": "x / y",
    "//": "x // y",
    "%": "x % y",
    "neg": "-x",
    "pos": "+x",
    "round": "round(x)",
    "abs": "abs(x)",
    "max": "max(x, y)",
    "min": "min(x, y)",
    "sign": "sign(x)",
    "indicator": "indicator(x)",
}
"""How they are written with the operands x and y."""

DIGITS = "0123456789"
"""With x from -4 to 5 and y from -4 to -2, x is negative, 0 and positive, and less than, equal to and above y."""

NUMBERS = st.one_of(
    st.integers(-5, 5),
    st.integers(-(2**70), 2**70),
    st.booleans(),
    st.floats(-1e9, 1e9),
    st.sampled_from([0.0, -0.0, 0.5, -2.5, 2.0**53, 1e300]),
)


def outcome(function: Callable[..., Any], *args: Any) -> tuple[type, str]:
    """The value with its type, or the error."""
    try:
        value = function(*args)
    except (CapaxError, ZeroDivisionError, OverflowError) as error:
        return CapaxError, type(error).__name__ if isinstance(error, CapaxError) else "CapaxError"
    return type(value), repr(value)


@pytest.mark.parametrize("op", PYTHON)
@given(x=NUMBERS, y=NUMBERS)
@example(x=-7, y=2)
@example(x=7.5, y=-2)
@example(x=-0.0, y=0)
def test_values_are_those_of_python(op: str, x: Any, y: Any) -> None:
    args = (x, y)[: OPS[op].arity]
    assert outcome(apply_op, op, *args) == outcome(PYTHON[op], *args)


@pytest.mark.parametrize("op", PYTHON)
@given(rows=st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=5))
@example(rows=[(7, 2), (-7, 2), (7, -2), (0, 3)])
@example(rows=[(7.5, 2.0), (-7.5, 2.0), (-0.0, 1.0)])
@example(rows=[(7.5, 2), (True, 2.0), (-3, 2)])
def test_batches_agree_with_single_values(op: str, rows: list[tuple[Any, Any]]) -> None:
    """The second operand is a constant, so that every word has one pair."""
    args = [(x, y)[: OPS[op].arity] for x, y in rows]
    for (x, *rest), expected in [(a, outcome(apply_op, op, *a)) for a in args]:
        (value,) = elementwise(op, tokens_asis, *rest).batch([[x]], errors="keep")
        assert outcome(_single, value) == expected


def _single(value: Any) -> Any:
    if isinstance(value, CapaxError):
        raise value
    return value[0]


def test_every_function_has_its_lines() -> None:
    """An operation that is a function call is compared with Python and compiled, by its lines above."""
    calls = {symbol for symbol, op in OPS.items() if op.is_call}
    assert calls <= PYTHON.keys(), "PYTHON has a line for each function of the op table"
    assert calls <= TEXTS.keys(), "TEXTS has a line for each function of the op table"


@pytest.mark.parametrize("op", TEXTS)
def test_texts_and_compiled_models(op: str) -> None:
    """Every digit at every position: the program, its batches and its model compute what Python does."""
    program = Program.from_text(f"x = tokens_int - 4; y = indices - 4; {TEXTS[op]}")
    assert program.node.parts[0] == op
    assert Program.from_text(program.to_text()).node is program.node
    compiled = capax.compile(program, alphabet=DIGITS, max_length=3)
    words = [digit * 3 for digit in DIGITS]
    expected = [[PYTHON[op](*(int(digit) - 4, i - 4)[: OPS[op].arity]) for i in range(3)] for digit in DIGITS]
    assert [list(program(word)) for word in words] == expected
    assert program.batch(words) == expected
    assert compiled.model.batch(words) == expected


@pytest.mark.parametrize("op", OPS)
@given(args=st.tuples(NUMBERS, NUMBERS, NUMBERS))
def test_results_are_of_the_type_that_the_row_says(op: str, args: tuple[Any, ...]) -> None:
    row = OPS[op]
    args = args[: row.arity]
    try:
        value = apply_op(op, *args)
    except CapaxError:
        reject()
    integers = all(isinstance(a, int) for a in args)
    types: dict[str | None, set[type]] = {
        None: {bool, int, float},
        "bool": {bool},
        "int": {int},
        "float": {float},
        "number": {int} if integers else {float},
        "power": {int} if integers and args[-1] >= 0 else {float, complex},
        "branch": {type(a) for a in args[1:]},
    }
    assert type(value) in types[row.result]
    assert row.possible_values is None or value in row.possible_values


def _capped(x: SOpNode, most: int) -> SOpNode:
    """The size of a number, right up to `most`."""
    size = Map("abs", (x,))
    return Map("where", (Map("<=", (size, Const(most))), size, Const(most)))


@pytest.mark.parametrize(
    ("row", "says"),
    [
        (Op("half", FunctionCall(("x",)), lambda x: x / 2, result="int"), "half(False) is 0.0"),
        (Op("one", FunctionCall(("x",)), lambda x: 1 if x < 1 else 2, values=(1,)), "one(True) is 2"),
        (Op("&", Infix(Precedence.LOGIC), lambda a, b: a and b, result="bool"), "True & 0 is 0"),
        (Op("pick", Choice(), lambda a, b, c: b, result="branch"), "says result='branch'"),
        (replace(OPS["abs"], expand=lambda x: Map("pos", (x,))), "expands abs(-3) to -3, but its value is 3"),
        (replace(OPS["abs"], expand=lambda x: x), "expands abs(False) to False, but its value is 0"),
        (replace(OPS["max"], expand=OPS["min"].expand), "expands max(False, True) to False"),
        (replace(OPS["sign"], expand=lambda x: Map("//", (x, Map("abs", (x,))))), "expands sign(False) to an error"),
        (replace(OPS["abs"], expand=lambda x: _capped(x, 2)), "expands abs(9) to 2, but its value is 9"),
    ],
)
def test_a_row_that_contradicts_its_value_or_expansion_is_seen(row: Op, says: str) -> None:
    assert says in (contradiction(row) or "")
    assert all(contradiction(op) is None for op in OPS.values())
