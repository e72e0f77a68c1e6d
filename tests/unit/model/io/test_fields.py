"""The fields of a description, one by one: what each kind of field takes and refuses, and the exact words."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from capax.errors import CapaxError
from capax.model.io.fields import MOST_BITS, MOST_DEPTH, Fields, is_text, plain, unplain

Read = Callable[[Fields], Any]


def refused(value: Any, read: Read, path: str = "") -> str:
    """Why a field with a value is refused."""
    with pytest.raises(CapaxError) as caught:
        read(Fields({"key": value}, path, "FILE"))
    assert caught.value.code == "bad-model-file"
    start = "FILE: its description is invalid: "
    assert caught.value.what.startswith(start)
    return caught.value.what.removeprefix(start)


def taken(value: Any, read: Read) -> Any:
    """What a field with a value gives, once; then it is gone."""
    fields = Fields({"key": value}, "", "FILE")
    found = read(fields)
    fields.done()
    with pytest.raises(CapaxError, match="key is missing"):
        fields.take("key")
    return found


TAKES: list[tuple[Read, list[Any], list[Any], str]] = [
    (lambda f: f.text("key"), ["", "é"], [1, None, ["x"], "\ud800"], "is not a string"),
    (lambda f: f.flag("key"), [True, False], [0, 1, None, "true"], "is not a boolean"),
    (lambda f: f.count("key"), [0, 1, (1 << 62) - 1], [-1, 1 << 62, True, 1.0, "1"], "is not an integer of at least 0"),
    (lambda f: f.count("key", 2), [2, 3], [1, 0, False], "is not an integer of at least 2"),
    (
        lambda f: f.number("key"),
        [0, -1, 2.5, (1 << 999) - 1, -1e308],
        [1 << 999, -(1 << 999), math.inf, math.nan, True, None, "1"],
        "is not a finite number",
    ),
    (
        lambda f: list(f.numbers("key")),
        [[], [1, 2.5]],
        [[1, math.inf], [True], ["1"]],
        "is not a list of finite numbers",
    ),
    (lambda f: f.items("key"), [[], [None, 1]], [None, {}, "x", 1], "is not a list"),
    (lambda f: list(f.texts("key")), [[], ["a", ""]], [["a", 1], ["\udc00"], [None]], "is not a list of strings"),
    (
        lambda f: list(f.tokens("key")),
        [[], ["a", 1, 1.5, True]],
        [[None], [["a"]], [{}]],
        "is not a list of strings, numbers and booleans",
    ),
]


@pytest.mark.parametrize(("read", "good", "bad", "what"), TAKES, ids=[case[3] for case in TAKES])
def test_kinds_of_fields(read: Read, good: list[Any], bad: list[Any], what: str) -> None:
    for value in good:
        found = taken(value, read)
        assert found == value
        assert type(found) is type(value)
    for value in bad:
        assert refused(value, read) == f"key {what}"
        assert refused(value, read, "a.b") == f"a.b.key {what}"


def test_infinite_tokens() -> None:
    """Are objects in JSON; what is no number is no token."""
    read: Read = lambda f: f.tokens("key")  # noqa: E731
    assert taken([{"$float": "inf"}, {"$float": "-inf"}], read) == (math.inf, -math.inf)
    assert refused([{"$float": "nan"}], read) == "key is not a list of strings, numbers and booleans"


def test_a_choice_is_one_of_the_listed_strings() -> None:
    read: Read = lambda f: f.choice("key", ("one", "two"))  # noqa: E731
    assert taken("two", read) == "two"
    for value in ("three", None, 1, ["one"], "on"):
        assert refused(value, read) == f"key is {value!r:.40} and not one of one, two"
    assert refused("x" * 99, read) == f"key is {'x' * 99!r:.40} and not one of one, two"


def test_optional_fields() -> None:
    """Null is None and is taken; what is missing is an error all the same."""
    assert taken(None, lambda f: f.optional("key", f.text)) is None
    assert taken("x", lambda f: f.optional("key", f.text)) == "x"
    assert refused(1, lambda f: f.optional("key", f.text)) == "key is not a string"
    with pytest.raises(CapaxError, match="other is missing"):
        Fields({"key": 1}, "", "FILE").optional("other", Fields({}, "", "FILE").take)


def test_objects_inside() -> None:
    """They know where they stand."""
    inner = Fields({"a": {"b": [{"c": 1}, {"c": 2}]}}, "", "FILE").child("a")
    assert inner.path == "a"
    assert [f.path for f in Fields({"b": [{}, {}]}, "a", "FILE").children("b")] == ["a.b.0", "a.b.1"]
    assert [f.path for f in Fields({"b": [{}]}, "", "FILE").children("b")] == ["b.0"]
    assert [f.count("c") for f in inner.children("b")] == [1, 2]
    assert refused(1, lambda f: f.child("key")) == "key is not an object"
    assert refused([{}, 1], lambda f: f.children("key")) == "key.1 is not an object"
    assert refused({}, lambda f: f.children("key"), "x") == "x.key is not a list"


def test_fields_refuse_what_nobody_takes() -> None:
    """What is no object, and fields that nobody has taken."""
    with pytest.raises(CapaxError) as caught:
        Fields([], "", "FILE")
    assert caught.value.what == "FILE: its description is invalid: the whole is not an object"
    fields = Fields({"a": 1, "b" * 99: 2}, "x", "FILE")
    fields.take("a")
    with pytest.raises(CapaxError) as caught:
        fields.done()
    assert caught.value.what == f"FILE: its description is invalid: x.{'b' * 80} is not a field of this version"


def test_a_lone_surrogate_is_not_a_text() -> None:
    assert is_text("é𝄞")
    assert not is_text("\ud834")
    assert not is_text(3)


# plain data


def bad(what: str) -> Exception:
    """The error of what cannot be written."""
    return ValueError(what)


def nested(depth: int) -> Any:
    """Lists in lists."""
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


def back(value: Any) -> Any:
    """The value that JSON data stand for."""
    return unplain(value, Fields({}, "", "FILE"), "key")


def test_plain_data() -> None:
    """What is written is read back, with its types."""
    for value in (
        None,
        True,
        0,
        -5,
        2.5,
        "x",
        [],
        {},
        [1, [2.0]],
        {"a": {"b": [None]}},
        {"$": 1, "$$x": 2, "$float": 3},
    ):
        made = plain(value, "it", bad)
        assert back(made) == value
    assert plain((1, 2), "it", bad) == [1, 2]
    assert plain({"$x": 1, "y": 2}, "it", bad) == {"$$x": 1, "y": 2}
    for number, name in ((math.inf, "inf"), (-math.inf, "-inf"), (math.nan, "nan")):
        assert plain([number], "it", bad) == [{"$float": name}]
        assert str(back({"$float": name})) == name
    for scalar, kind in ((np.float32(0.5), float), (np.int64(3), int), (np.bool_(True), bool)):
        assert type(plain(scalar, "it", bad)) is kind


@pytest.mark.parametrize(
    ("value", "what"),
    [
        (1 << MOST_BITS, "it has an integer of more than 10,000 bits"),
        (-(1 << MOST_BITS), "it has an integer of more than 10,000 bits"),
        ({1: 2}, "it has a key that is not a string"),
        ({1, 2}, "it holds a set, which is not plain data"),
        ([object()], "it holds a object, which is not plain data"),
        (nested(MOST_DEPTH + 1), "it is nested more than 60 deep"),
    ],
)
def test_what_is_not_written(value: Any, what: str) -> None:
    with pytest.raises(ValueError, match=f"^{what}$"):
        plain(value, "it", bad)


@pytest.mark.parametrize(
    ("value", "what"),
    [
        (1 << MOST_BITS, "key has a number that is too large"),
        ([math.inf], "key has a number that is too large"),
        (math.nan, "key has a number that is too large"),
        ("\ud800", "key has an invalid character"),
        ({"\udc00": 1}, "key has an invalid character"),
        ({"$float": "1"}, "key has an invalid number"),
        ({"$float": 1}, "key has an invalid number"),
        ({"$x": 1}, "key has a key that begins with a single $"),
        ({"$float": "inf", "a": 1}, "key has a key that begins with a single $"),
        ({"a": {"$": 1}}, "key has a key that begins with a single $"),
        (nested(MOST_DEPTH + 1), "key is nested more than 60 deep"),
    ],
)
def test_what_is_not_read(value: Any, what: str) -> None:
    with pytest.raises(CapaxError) as caught:
        back(value)
    assert caught.value.what == f"FILE: its description is invalid: {what}"


def test_plain_data_at_the_bounds() -> None:
    assert (MOST_BITS, MOST_DEPTH) == (10_000, 60)
    for value in ((1 << MOST_BITS) - 1, 1 - (1 << MOST_BITS), nested(MOST_DEPTH)):
        assert back(plain(value, "it", bad)) == value
    deep: Any = 1
    for _ in range(MOST_DEPTH):
        deep = {"a": deep}
    assert back(plain(deep, "it", bad)) == deep
    with pytest.raises(ValueError, match="60 deep"):
        plain({"a": deep}, "it", bad)
    with pytest.raises(CapaxError, match="60 deep"):
        back({"a": deep})
