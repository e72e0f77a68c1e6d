"""The definition, at the ends of what it takes: words, indices, means, ties, and the errors with their positions."""

from fractions import Fraction
from typing import Any

import pytest

from capax.errors import CapaxError
from capax.rasp.ir.nodes import Aggregate, And, Best, Const, Indices, Input, Map, Not, Or, Select, Table, Width
from capax.rasp.meaning.reference import (
    ReferenceEvaluation,
    at_position,
    evaluate,
    look_up,
    mean,
    read_token,
    read_word,
)
from capax.rasp.meaning.sequence import Matrix, Sequence

X, PLACE = Input("asis"), Indices()
PREFIX = Select(PLACE, PLACE, "<=")


def refused(code: str, call: Any, *args: Any) -> CapaxError:
    """The error with a code that a call ends with."""
    with pytest.raises(CapaxError) as caught:
        call(*args)
    assert caught.value.code == code
    return caught.value


@pytest.mark.parametrize("kind", ["list", "string"])
def test_indices_count_from_both_ends(kind: str) -> None:
    """As in Python: from -size to size - 1, and nothing beyond."""
    entries = dict(enumerate("abc"))
    assert [look_up(kind, entries, i) for i in range(-3, 3)] == list("abcabc")
    for beyond in (-5, -4, 3, 4):
        error = refused("index-range", look_up, kind, entries, beyond)
        assert error.what == f"index {beyond} is out of range for a {kind} of length 3"
        assert error.hint == "keep the index between -3 and 2"
    for other in (1.0, "a"):
        refused("index-type", look_up, kind, entries, other)
    assert look_up(kind, entries, True) == "b"


def test_tables() -> None:
    """Members give whether, dictionaries give what; a key that is missing is an error."""
    entries = {"a": 1, 2: "b"}
    assert [look_up("members", entries, v) for v in ("a", 2, 2.0, "c")] == [True, True, True, False]
    assert [look_up("dict", entries, v) for v in ("a", 2)] == [1, "b"]
    assert refused("missing-key", look_up, "dict", entries, "c").data["key"] == "c"


def test_a_list_is_an_s_op_on_words_of_its_length() -> None:
    """One value at each position; words that are shorter or longer are refused, and tables of other kinds are not."""
    three = tuple(enumerate("xyz"))
    assert evaluate(Table("positions", three, PLACE), "abc") == Sequence(list("xyz"), "strings")
    for word, found in (("a", "1 position"), ("ab", "2 positions"), ("abcd", "4 positions")):
        error = refused("word-length", evaluate, Table("positions", three, PLACE), word)
        assert error.what.startswith(f"this list has 3 values, the input has {found}, in")
        assert error.data["size"] == 3
    assert refused("word-length", evaluate, Table("positions", three[:1], PLACE), "ab").what.startswith(
        "this list has 1 value, the input"
    )
    assert evaluate(Table("list", three, PLACE), "ab") == ["x", "y"]
    assert refused("word-length", look_up, "positions", dict(three), 3).what.endswith("the input has position 3")


def test_words() -> None:
    """Strings by character, iterables by element; nothing else, nothing empty, nothing nested."""
    assert read_word("ab") == read_word(("a", "b")) == read_word({"a": 1, "b": 2}) == ["a", "b"]
    assert read_word(iter([1, 2.5, True])) == [1, 2.5, True]
    for wrong in (b"ab", bytearray(b"ab"), 7, None):
        refused("bad-input", read_word, wrong)
    for empty in ("", [], {}):
        refused("empty-input", read_word, empty)
    assert "position 1" in refused("bad-input", read_word, ["a", None, []]).what


@pytest.mark.parametrize(
    ("kind", "token", "value"),
    [("asis", "1", "1"), ("str", 1, "1"), ("int", "12", 12), ("float", "1.5", 1.5), ("bool", "", False)],
)
def test_tokens_are_read_by_kind(kind: str, token: Any, value: Any) -> None:
    """With the value and the type that the kind says."""
    read = read_token(kind, token, 0)
    assert (type(read), read) == (type(value), value)


def test_tokens_that_cannot_be_read() -> None:
    """The error names the token, and where it stands."""
    for kind, token in (("int", "x"), ("float", "x"), ("int", float("inf")), ("int", float("nan"))):
        error = refused("bad-token", read_token, kind, token, 4)
        assert error.data["position"] == 4
        assert "at position 4" in error.what


def test_a_mean_of_none_is_the_default_and_of_one_is_that_value() -> None:
    """Whatever its type; only of several values it is a quotient."""
    before = Aggregate(Select(PLACE, PLACE, "<"), X, "-")
    assert evaluate(before, "ab").values == ("-", "a")
    assert repr(evaluate(Aggregate(Select(PLACE, PLACE, "=="), X, 0), [3, 4]).values) == "(3, 4)"
    assert repr(evaluate(Aggregate(Select(PLACE, Const(0), "=="), X, 0), [True, 4]).values) == "(True, True)"
    assert repr(evaluate(Aggregate(PREFIX, X, 0), [1, 3]).values) == "(1, 2.0)"


def test_means_are_correctly_rounded_sums() -> None:
    """Exact for integers of any size; for floats the sum is rounded once."""
    big = 2**60 + 1
    for picked in ([big, 1, 1], [10**30, -(10**30) + 7, 2], [2**53, 1, 2**53, 1]):
        assert mean(picked, Sequence(picked, "ints")) == float(Fraction(sum(picked), len(picked)))
    for numbers in ([0.1] * 10, [1e16, 1.0, -1e16], [2.0**53, 1.0, 1.0]):
        exact = sum(map(Fraction, numbers))
        assert mean(numbers, Sequence(numbers, "floats")) == float(exact) / len(numbers)
    refused("average-of-non-numbers", mean, ["a", "b"], Sequence(["a", "b"], "strings"))
    refused("average-of-non-numbers", mean, [True, False], Sequence([True, False], "booleans"))


def test_a_sum_may_be_large_on_its_way() -> None:
    """Only a sum that is itself too large for a float is an error, and so is one that is no number."""
    huge = 1.7e308
    assert mean([huge, huge, -huge], Sequence([huge], "floats")) == huge / 3
    for wrong in ([huge, huge], [float("inf"), float("-inf")]):
        error = refused("number-too-large", mean, wrong, Sequence(wrong, "floats"))
        assert "does not fit a float" in error.what
    refused("number-too-large", mean, [10**400, 10**400], Sequence([1], "ints"))


@pytest.mark.parametrize(
    ("word", "rows"),
    [
        ([1, 1], ["10", "01"]),
        ([2, 1, 2], ["100", "100", "001"]),
        ([1, 3, 2], ["100", "010", "010"]),
        ([-1, -2], ["10", "10"]),
    ],
)
def test_the_best_key_is_the_last_of_those_with_the_greatest_score(word: list[int], rows: list[str]) -> None:
    """Among the selected keys; a row with none stays empty."""
    found = evaluate(Best(Select(PLACE, PLACE, "<="), X), word)
    assert isinstance(found, Matrix)
    assert ["".join("01"[cell] for cell in row) for row in found] == rows
    nothing = evaluate(Best(Select(PLACE, PLACE, "<"), X), word)
    assert not any(nothing[0])


def test_selectors_and_widths() -> None:
    """A row for each query; `and`, `or` and `not` pair by pair."""
    less, equal = Select(X, X, "<"), Select(X, X, "==")

    def rows(node: Any) -> list[list[bool]]:
        return [list(row) for row in evaluate(node, [1, 2, 1])]

    assert rows(less) == [[False, False, False], [True, False, True], [False, False, False]]
    assert rows(equal) == [[True, False, True], [False, True, False], [True, False, True]]
    assert rows(Or(less, equal)) == rows(Select(X, X, "<="))
    assert rows(And(less, equal)) == [[False] * 3] * 3
    assert rows(And(equal, PREFIX)) == [[True, False, False], [False, True, False], [True, False, True]]
    assert rows(Not(equal)) == [[not cell for cell in row] for row in rows(equal)]
    assert evaluate(Width(equal), [1, 2, 1]).values == (2, 1, 2)
    assert evaluate(Const(7), "ab").values == (7, 7)


def test_an_error_has_the_position_and_the_node() -> None:
    """Once: an inner position stays."""
    divided = Map("/", (Const(1), X))
    error = refused("division-by-zero", evaluate, divided, [1, 2, 0, 0])
    assert error.data["position"] == 2
    assert error.data["node"] is divided
    assert error.what.count("(at position 2)") == 1
    assert error.what.endswith(", in `1 / tokens_asis`")
    assert error.args == (error.what,)
    inner = CapaxError("bad-token", "no", position=5)

    def fail() -> None:
        raise inner

    assert refused("bad-token", at_position, 1, fail).data == {"position": 5}
    assert inner.what == "no"
    missing = refused("missing-key", evaluate, Table("dict", (("a", 1),), X), "ab")
    assert (missing.data["position"], missing.data["key"]) == (1, "b")
    several = refused("average-of-non-numbers", evaluate, Aggregate(PREFIX, X, 0), "abc")
    assert (several.data["position"], several.data["values"]) == (1, ["a", "b", "c"])
    assert refused("type-mismatch", evaluate, Select(X, Const(1), "<"), "ab").data["position"] == 0


def test_the_first_node_that_fails_decides() -> None:
    """In the order of the graph, though a later node fails at an earlier position."""
    first, second = Map("/", (Const(1), Map("-", (X, Const(2))))), Map("/", (Const(1), X))
    error = refused("division-by-zero", evaluate, Map("+", (first, second)), [0, 1, 2])
    assert error.data["node"] is first
    assert error.data["position"] == 2


def test_values_are_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """An evaluation keeps what it has found, of s-ops and of selectors, and still finds the rest."""
    from capax.rasp.meaning import reference

    calls: list[Any] = []

    def counted(op: str, *args: Any) -> Any:
        calls.append((op, args))
        return apply(op, *args)

    apply = reference.apply_op
    monkeypatch.setattr(reference, "apply_op", counted)
    found = ReferenceEvaluation([1, 2])
    total, chosen = Map("+", (X, PLACE)), Select(X, PLACE, "==")
    assert found.value(total) == found.value(total)
    assert len(calls) == 2
    found.value(chosen)
    assert len(calls) == 6
    assert found.value(Map("*", (total, Width(chosen)))).values == (0, 3)
    assert len(calls) == 8
