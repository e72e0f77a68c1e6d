"""RASP in Python: operators, selectors, tables, and what is refused."""

import operator
from collections.abc import Callable
from enum import StrEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax import (
    CapaxError,
    Program,
    SOp,
    aggregate,
    best,
    full_s,
    indicator,
    indices,
    key,
    length,
    library,
    query,
    select,
    selector_width,
    tokens,
    tokens_asis,
    tokens_bool,
    tokens_float,
    tokens_int,
    tokens_str,
    where,
)
from capax.rasp.ir.nodes import COMPARISONS, And, Const, Map, Not, Or, Table

COMPARE = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}
ARITHMETIC = [operator.add, operator.sub, operator.mul, operator.truediv, operator.mod, operator.pow]
BINARY = [*ARITHMETIC, *COMPARE.values()]
NUMBERS = st.sampled_from([-4, -3, -2, -1, 1, 2, 3, 4, 0.5, -1.5, 2.0])
"""No zero, so that every operator has a value on every pair that it is given."""


def error(build: Callable[[], Any]) -> CapaxError:
    """The error that an expression raises."""
    with pytest.raises(CapaxError) as raised:
        build()
    return raised.value


def exact(values: Any) -> str:
    """Values with their types and signs."""
    return repr(list(values))


# operators


@pytest.mark.parametrize("op", BINARY, ids=lambda op: op.__name__)
@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), NUMBERS)
def test_binary_operators_are_elementwise(op: Callable[[Any, Any], Any], word: list[int], number: float) -> None:
    """With a constant on either side, and between two s-ops, each position has Python's value."""
    assert exact(op(tokens_int, number)(word)) == exact([op(v, number) for v in word])
    assert exact(op(number, tokens_int)(word)) == exact([op(number, v) for v in word])
    assert exact(op(tokens_int, indices + 1)(word)) == exact([op(v, i + 1) for i, v in enumerate(word)])


@given(st.lists(st.sampled_from([-2.5, -1.0, 0.0, 0.5, 1.5]), min_size=1, max_size=4))
def test_unary_operators_are_elementwise(word: list[float]) -> None:
    """Signs, rounding (halves to even) and negation; a number is false when it is 0."""
    assert exact((-tokens_float)(word)) == exact([-v for v in word])
    assert exact((+tokens_float)(word)) == exact([+v for v in word])
    assert exact(round(tokens_float)(word)) == exact([round(v) for v in word])
    assert exact((~tokens_float)(word)) == exact([not v for v in word])


@given(st.lists(st.booleans(), min_size=1, max_size=4), st.sampled_from([True, False, 0, 3]))
def test_logic_is_elementwise(word: list[bool], value: int) -> None:
    """&, | and ~ are and, or and not, and give booleans."""
    other = indices > 0
    assert exact((tokens_bool & value)(word)) == exact([v and bool(value) for v in word])
    assert exact((value & tokens_bool)(word)) == exact([v and bool(value) for v in word])
    assert exact((tokens_bool | value)(word)) == exact([v or bool(value) for v in word])
    assert exact((value | tokens_bool)(word)) == exact([v or bool(value) for v in word])
    assert exact((tokens_bool & other | ~tokens_bool)(word)) == exact(
        [(v and i > 0) or not v for i, v in enumerate(word)]
    )


def test_operators_of_strings() -> None:
    """Strings are joined, repeated and compared as in Python."""
    assert ("<" + tokens + ">")("ab") == ["<a>", "<b>"]
    assert (tokens * (indices + 1))("ab") == ["a", "bb"]
    assert (tokens < "b")("abc") == [True, False, False]


def test_the_same_operator_makes_the_same_node() -> None:
    """Reversed forms keep the order; Python turns only comparisons round."""
    assert (1 + indices).node is Map("+", (Const(1), indices.node))
    assert (indices + 1).node is Map("+", (indices.node, Const(1)))
    assert (indices > 1).node is (indices > 1).node
    assert (indices == 1).node is (indices == 1).node
    assert (indices + 1).node is not (indices + 1.0).node
    assert (indices + 1).node is not (indices + True).node


# inputs and the other functions


def test_readings_of_the_input() -> None:
    """The word as strings, integers, floats, booleans or as it is."""
    assert tokens.node is tokens_str.node
    assert exact(tokens([1, 2])) == exact(["1", "2"])
    assert exact(tokens_int("12")) == exact([1, 2])
    assert exact(tokens_float("12")) == exact([1.0, 2.0])
    assert exact(tokens_bool([0, 2])) == exact([False, True])
    assert exact(tokens_asis([0, 2])) == exact([0, 2])
    assert length("abc") == [3, 3, 3]
    assert full_s("ab") == [[True, True], [True, True]]


def test_functions() -> None:
    """where, indicator, aggregate with a default, selector_width and best."""
    assert where(tokens == "a", indices, -1)("aba") == [0, -1, 2]
    assert where(True, 1, 2)("ab") == [1, 1]
    assert exact(indicator(tokens == "a")("ab")) == exact([1, 0])
    before = select(indices, indices, "<")
    assert aggregate(before, indices)("abc") == [0, 0, 0.5]
    assert aggregate(select(indices, indices - 1, "=="), tokens, "-")("abc") == ["-", "a", "b"]
    assert selector_width(before)("abc") == [0, 1, 2]
    assert aggregate(best(full_s, tokens_int), indices)("3191") == [2, 2, 2, 2]
    assert aggregate(best(full_s, 1), indices)("abc") == [2, 2, 2]


@pytest.mark.parametrize(
    ("build", "code"),
    [
        (lambda: select(tokens, tokens, "="), "bad-option"),
        (lambda: select(full_s, tokens, "=="), "expected-sop"),
        (lambda: select([], tokens, "=="), "expected-sop"),
        (lambda: select([[1], [2]], tokens, "=="), "expected-sop"),
        (lambda: aggregate(tokens, full_s), "expected-selector"),
        (lambda: aggregate(full_s, full_s), "expected-sop"),
        (lambda: aggregate(full_s, tokens, indices), "expected-atom"),
        (lambda: aggregate(full_s, tokens, None), "expected-atom"),
        (lambda: selector_width(tokens), "expected-selector"),
        (lambda: best(tokens, indices), "expected-selector"),
        (lambda: best(full_s, full_s), "expected-sop"),
        (lambda: where(full_s, 1, 2), "expected-sop"),
        (lambda: indicator(3), "expected-sop"),
        (lambda: tokens + None, "expected-sop"),
        (lambda: tokens == ("a", "b"), "expected-sop"),
        (lambda: tokens & full_s, "expected-sop"),
        (lambda: full_s & tokens, "expected-selector"),
        (lambda: full_s | True, "expected-selector"),
    ],
)
def test_wrong_kinds_are_refused(build: Callable[[], Any], code: str) -> None:
    """An s-op, a selector and an atom do not stand for each other."""
    assert error(build).code == code


# selectors


@pytest.mark.parametrize("op", COMPARISONS)
def test_key_and_query(op: str) -> None:
    """`key(x) op query(y)` is `select(x, y, op)`, and so is the comparison read from the other side."""
    compare, turned = COMPARE[op], {"<": ">", ">": "<", "<=": ">=", ">=": "<="}.get(op, op)
    x, y = indices + 1, indices * 2
    assert compare(key(x), query(y)).node is select(x, y, op).node
    assert COMPARE[turned](query(y), key(x)).node is select(x, y, op).node
    assert compare(key(x), 3).node is select(x, 3, op).node
    assert compare(3, query(y)).node is select(3, y, op).node
    assert COMPARE[turned](query(y), 3).node is select(3, y, op).node
    assert compare(key(3), query(y)).node is select(3, y, op).node


def test_selectors_have_logic() -> None:
    """&, | and ~ of selectors are the language's and, or and not."""
    a, b = select(indices, 0, "=="), select(tokens, tokens, "==")
    assert (a & b).node is And(a.node, b.node)
    assert (a | b).node is Or(a.node, b.node)
    assert (~a).node is Not(a.node)
    assert (~a & b | a)("aa") == [[True, True], [True, True]]
    assert ((key(tokens) == query(tokens)) & (key(indices) < query(indices)))("aa") == [[False, False], [True, False]]


@pytest.mark.parametrize(
    "build",
    [
        lambda: key(tokens) == tokens,
        lambda: key(tokens) == key(tokens),
        lambda: query(tokens) < indices,
        lambda: query(tokens) != query(tokens),
    ],
)
def test_both_sides_must_be_named(build: Callable[[], Any]) -> None:
    """An s-op beside a key or query has to say which side it is on."""
    found = error(build)
    assert found.code == "bad-option"
    assert "key(x) == query(y)" in (found.hint or "")


# what Python would do by itself


@pytest.mark.parametrize(
    ("build", "hint"),
    [
        (lambda: bool(tokens), "`&`, `|` and `~`"),
        (lambda: 1 if tokens == "a" else 2, "where(condition, a, b)"),
        (lambda: (tokens == "a") and (indices > 0), "`&`"),
        (lambda: (tokens == "a") or (indices > 0), "`|`"),
        (lambda: not tokens, "`~`"),
        (lambda: 0 <= indices < 3, "`&`"),
        (lambda: bool(full_s), "`&`, `|` and `~`"),
        (lambda: full_s and full_s, "selectors"),
        (lambda: 0 < key(indices) < query(indices), "selectors"),
        (lambda: list(tokens), "program(word)"),
        (lambda: list(full_s), "program(word)"),
        (lambda: [x for x in indices], "program(word)"),  # noqa: C416
        (lambda: [*tokens], "program(word)"),
        (lambda: max(indices), "program(word)"),
        (lambda: "a" in tokens, "library.contains"),
        (lambda: "a" in full_s, "isin"),
        (lambda: tokens in ["a", "b"], "`&`"),
        (lambda: min(indices, 2), "where(condition, a, b)"),
    ],
)
def test_no_truth_value(build: Callable[[], Any], hint: str) -> None:
    """Where Python wants one boolean or a loop, the error says what to write."""
    found = error(build)
    assert found.code == "truth-value"
    assert hint in (found.hint or "")


def test_what_an_error_suggests_exists() -> None:
    """The hints about `in` can be followed."""
    assert library.contains(tokens, "a")("ab") == [True, True]
    assert tokens.isin(["a", "c"])("abc") == [True, False, True]


def test_programs_can_be_keys() -> None:
    """Hashing goes by identity, since == builds a program."""
    found = {tokens: 1, full_s: 2, key: 3}
    assert found[tokens] == 1
    assert found[full_s] == 2
    assert isinstance(tokens == tokens, SOp)


# tables


def test_map() -> None:
    """A function over a given domain, a dictionary, or the values that the program tells by itself."""
    assert tokens.map(str.upper, domain="abc")("cab") == ["C", "A", "B"]
    assert indices.map(lambda i: i * i, domain=range(5))("abc") == [0, 1, 4]
    assert tokens.map({"a": 1, "b": 2.5})("ab") == [1, 2.5]
    assert (tokens == "a").map(lambda b: "yes" if b else "no")("ab") == ["yes", "no"]
    assert where(indices == 0, 3, 4).map(lambda n: n * 10)("ab") == [30, 40]
    assert (indicator(tokens == "a") + 1).map({1: "one", 2: "two"}.get)("ab") == ["two", "one"]
    assert tokens.map(str.upper, domain="ab").map(str.lower)("ab") == ["a", "b"]
    assert tokens.isin("ab").map(int)("ac") == [1, 0]


def test_a_map_is_a_table() -> None:
    """The function is called once per value, when the program is built."""
    calls: list[str] = []
    made = tokens.map(lambda t: (calls.append(t), t + t)[1], domain="aab")
    assert calls == ["a", "b"]
    assert made.node is Table("dict", (("a", "aa"), ("b", "bb")), tokens.node)
    assert made.node is tokens.map({"a": "aa", "b": "bb"}).node
    assert made("ba") == ["bb", "aa"]
    assert len(calls) == 2


@pytest.mark.parametrize(
    ("build", "code"),
    [
        (lambda: tokens.map(str.upper), "bad-option"),
        (lambda: selector_width(full_s).map(str), "bad-option"),
        (lambda: tokens.map(lambda t: None, domain="a"), "illegal-value"),
        (lambda: tokens.map({"a": [1]}), "illegal-value"),
        (lambda: indices.map(str, domain=range(2_000_000)), "too-large"),
        (lambda: tokens.map(str.upper, domain="a")("b"), "missing-key"),
        (lambda: tokens.isin([None]), "illegal-value"),
    ],
)
def test_map_and_isin_refuse(build: Callable[[], Any], code: str) -> None:
    """An unknown or too large domain, values that are no atoms, a token outside the domain."""
    assert error(build).code == code


def test_the_hint_of_an_unknown_domain() -> None:
    """It shows how to give one."""
    assert "domain=" in (error(lambda: tokens.map(str.upper)).hint or "")


def test_isin() -> None:
    """Any iterable of atoms; an empty one gives False."""
    assert tokens.isin("ab")("abc") == [True, True, False]
    assert indices.isin({0, 2})("abc") == [True, False, True]
    assert tokens.isin([])("ab") == [False, False]
    assert tokens.isin("aab").node is tokens.isin(["a", "b"]).node


def test_indexing() -> None:
    """The value at one position, everywhere; 0 where there is no such position."""
    assert tokens[0]("abc") == ["a", "a", "a"]
    assert tokens[-1]("abc") == ["c", "c", "c"]
    assert indices[5]("abc") == [0, 0, 0]
    assert tokens[-2].node is Program.from_text("tokens[-2];").node


@pytest.mark.parametrize("place", [indices, "a", 0.5, None, slice(0, 1)])
def test_an_index_is_an_integer(place: Any) -> None:
    """Anything else is refused."""
    assert error(lambda: tokens[place]).code == "index-type"


# faults


class Letter(StrEnum):
    """A string that is of a class of its own."""

    A = "a"


def test_subclasses_of_atoms_have_a_value() -> None:
    """An enumeration or another subclass of str, int or float counts as the plain atom.

    They are made plain when a program is built, since `sequence_type` looks at exact types.
    """
    assert (tokens == Letter.A)("ab") == [True, False]
    assert where(indices == 0, Letter.A, "b")("ab") == ["a", "b"]


@pytest.mark.parametrize("build", [lambda: tokens.isin([["a"]]), lambda: tokens.map(str, domain=[["a"]])])
def test_values_that_cannot_be_hashed(build: Callable[[], Any]) -> None:
    """a bare TypeError, unhashable."""
    assert error(build).code in ("illegal-value", "bad-option", "expected-atom")


def test_a_map_tells_types_apart_or_refuses() -> None:
    """1 and True share a table entry, so the function's value for one is given for the other."""
    mixed = where(tokens == "a", 1, True)
    try:
        made = mixed.map(lambda v: type(v).__name__)
    except CapaxError:
        return
    assert made("ab") == ["int", "bool"]


@pytest.mark.parametrize("build", [lambda: tokens == key(tokens), lambda: key(key(tokens)) == query(tokens)])
def test_messages_hold_no_addresses(build: Callable[[], Any]) -> None:
    """a key or query in the wrong place is shown as `<... object at 0x...>`."""
    found = error(build)
    assert " at 0x" not in found.what


def test_a_hint_in_python_is_python() -> None:
    """the hint is `x if has_focus(sel) else y`, which in Python raises truth-value."""
    assert " if has_focus(sel) else " not in (error(lambda: aggregate(full_s, tokens, indices)).hint or "")
