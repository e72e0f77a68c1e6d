"""Programs: results, batches, names, texts."""

from typing import Any

import pytest

from capax import (
    CapaxError,
    Matrix,
    Program,
    Selector,
    Sequence,
    SOp,
    aggregate,
    full_s,
    indices,
    length,
    select,
    tokens,
    tokens_int,
)
from capax.rasp.meaning.evaluation import SHORT

FLIP = select(indices, length - 1 - indices, "==").named("flip")
REVERSE = aggregate(FLIP, tokens).named("backwards")


def code_of(*args: Any) -> str:
    """The code of the error that a text or a name in it gives."""
    with pytest.raises(CapaxError) as raised:
        Program.from_text(*args)
    return raised.value.code


# results


def test_results_read_well() -> None:
    """A result prints in both forms, compares with lists and knows its type."""
    found = REVERSE("hello")
    assert isinstance(found, Sequence)
    assert (repr(found), str(found)) == ("['o', 'l', 'l', 'e', 'h']", "[o, l, l, e, h] (strings)")
    assert found == ["o", "l", "l", "e", "h"]
    assert (found.type, indices("ab").type, (indices / 2)("ab").type, (indices == 0)("ab").type) == (
        *("strings", "ints", "floats", "bools"),
    )
    assert isinstance(FLIP("ab"), Matrix)
    assert FLIP("ab") == [[False, True], [True, False]]


@pytest.mark.parametrize("size", [1, SHORT, SHORT + 1, 200])
def test_words_of_all_lengths_give_the_same(size: int) -> None:
    """Short and long words are evaluated in different ways, with the same result."""
    word = ("abc" * size)[:size]
    assert REVERSE(word) == list(reversed(word))
    assert REVERSE(list(word)) == REVERSE(word)
    assert REVERSE(letter for letter in word) == REVERSE(word)


@pytest.mark.parametrize(("word", "code"), [("", "empty-input"), (5, "bad-input"), (["a", None], "bad-input")])
def test_words_are_checked(word: Any, code: str) -> None:
    """A word is a string or a list of tokens, and not empty."""
    with pytest.raises(CapaxError) as raised:
        REVERSE(word)
    assert raised.value.code == code


def test_printed_programs() -> None:
    """A program shows its kind, its name and how it is made."""
    assert str(indices + 1) == "indices + 1"
    assert repr(indices + 1) == "<s-op indices + 1>"
    assert repr(FLIP) == "<selector flip = select(indices, (length - 1) - indices, ==)>"
    assert repr(length) == "<s-op length = length>"


# batches


def test_batch_keeps_the_order() -> None:
    """The values come in the order of the words, of mixed lengths and kinds."""
    words: list[Any] = ["abc", "a", ["x", "yy"], "a", "ba" * 60, [1, 2]]
    found = REVERSE.batch(words)
    assert found == [list(map(str, reversed(word))) for word in words]
    assert found == [REVERSE(word) for word in words]
    assert all(isinstance(each, Sequence) for each in found)
    assert found[-1].type == "strings"


def test_batch_of_anything() -> None:
    """No words, a generator, a string of one-letter words, and a selector."""
    assert REVERSE.batch([]) == []
    assert REVERSE.batch(word for word in ["ab", "c"]) == [["b", "a"], ["c"]]
    assert REVERSE.batch("ab") == [["a"], ["b"]]
    found = FLIP.batch(["a", "ab"])
    assert found == [[[True]], [[False, True], [True, False]]]
    assert all(isinstance(each, Matrix) for each in found)


def test_batch_keeps_errors_in_their_place() -> None:
    """A word that fails gives its error, as it would alone, and the others their values."""
    words: list[Any] = ["12", "1a", "", 5, [None], "3"]
    found = tokens_int.batch(words, errors="keep")
    assert (found[0], found[5]) == ([1, 2], [3])
    assert [each.code for each in found[1:5]] == ["bad-token", "empty-input", "bad-input", "bad-input"]
    with pytest.raises(CapaxError) as alone:
        tokens_int("1a")
    assert found[1].render() == alone.value.render()


def test_batch_raises_the_first_error() -> None:
    """The message tells which word it was, counted from 0."""
    with pytest.raises(CapaxError) as raised:
        tokens_int.batch(["12", "1a", ""])
    assert raised.value.code == "bad-token"
    assert raised.value.what.startswith("word 1: the token")


def test_the_message_of_a_batch_is_in_the_traceback_too() -> None:
    """`str(error)` lacks the "word 1:" that `error.what` has."""
    with pytest.raises(CapaxError, match=r"^word 1: "):
        tokens_int.batch(["12", "1a"])


def test_an_unknown_way_with_errors() -> None:
    """Only raise and keep are known."""
    with pytest.raises(CapaxError, match="keep"):
        indices.batch(["a"], errors="ignore")


def test_an_error_in_a_text_has_its_place() -> None:
    """Alone and in a batch."""
    program = Program.from_text("x = 1 / indices;\ny = x + 1;")
    with pytest.raises(CapaxError) as raised:
        program("ab")
    assert raised.value.where is not None
    assert raised.value.where.location == "text:1:5"
    assert program.batch(["ab"], errors="keep")[0].where.location == "text:1:5"


# names


def test_names_are_seen() -> None:
    """In the program, in its text and in its data; `length` and `full_s` have theirs already."""
    assert REVERSE.name == "backwards"
    assert FLIP.name == "flip"
    assert (indices + 1).name is None
    names = REVERSE.names()
    assert names[REVERSE.node] == "backwards"
    assert names[FLIP.node] == "flip"
    assert names[length.node] == "length"
    assert REVERSE.to_text() == (
        "flip = select(indices, length - 1 - indices, ==);\nbackwards = aggregate(flip, tokens);\n"
    )
    data = REVERSE.to_json()
    assert {"backwards", "flip"} <= set(data["names"].values())
    assert data["nodes"][-1]["node"] == "Aggregate"


def test_names_stay_with_what_was_named() -> None:
    """Naming gives the same node under a name, and leaves the original alone."""
    plain = indices + 1
    place = plain.named("place")
    assert type(place) is SOp
    assert type(full_s.named("all")) is Selector
    assert place.node is plain.node
    assert plain.name is None
    assert (place * 2).names() == {place.node: "place"}
    assert (plain * 2).names() == {}
    assert place.named("other").name == "other"


def test_names_travel() -> None:
    """Through text and through data."""
    for other in (Program.from_text(REVERSE.to_text()), Program.from_json(REVERSE.to_json())):
        assert other.name == "backwards"
        assert other.names() == REVERSE.names()


@pytest.mark.parametrize("name", ["", "a b", "1a", "a-b", "a;b"])
def test_a_name_is_a_name(name: str) -> None:
    """Other strings are refused."""
    with pytest.raises(CapaxError, match="is not a name"):
        indices.named(name)


@pytest.mark.parametrize(
    "name", ["for", "length", "tokens", "best", "aggregate", "sort", "constant", "True", "é", "s1"]
)
def test_any_name_gives_a_text(name: str) -> None:
    """Names that the text cannot use are replaced in it, never mixed up."""
    part = (indices + 1).named(name)
    program = aggregate(select(part, part * part, "=="), length).named(name)
    assert Program.from_text(program.to_text()).node is program.node
    assert Program.from_json(program.to_json()).name == name


# texts


def test_from_text() -> None:
    """The last program, or the one with a name; the last semicolon may be left out."""
    text = "a = indices + 1; b = a * 2"
    assert Program.from_text(text).node is ((indices + 1) * 2).node
    assert Program.from_text(text, "a").node is (indices + 1).node
    assert Program.from_text("full_s").node is full_s.node
    assert Program.from_text("indices", "length").node is length.node
    assert Program.from_text('load "paper_examples"; reverse')("ab") == ["b", "a"]
    assert Program.from_text("def f(x) { return x + 1; } f(indices)").node is (indices + 1).node
    assert isinstance(Program.from_text("select(1, 1, ==)"), Selector)


def test_texts_that_give_no_program() -> None:
    """Each with the code that says why."""
    assert code_of("x = 3;") == "not-a-program"
    assert code_of("def f(x) { return x; }") == "not-a-program"
    assert code_of("x = 3; y = indices;", "x") == "not-a-program"
    assert code_of("x = indices;", "y") == "undefined-name"
    assert code_of("lenght + 1") == "undefined-name"
    assert code_of("indices @ 2") == "bad-character"
    assert code_of('load "nowhere";') == "file-not-found"
    assert code_of("x = (1 + ;") in ("syntax", "unclosed")


def test_a_comment_may_end_a_text() -> None:
    """the missing `;` is added inside the comment."""
    assert Program.from_text("indices  # the positions").node is indices.node


def test_an_empty_text_is_no_program() -> None:
    """the error is about a `;` that nobody wrote."""
    assert code_of("") == "not-a-program"


@pytest.mark.parametrize("value", [10**400, -(10**400)], ids=["positive", "negative"])
def test_large_integers_have_a_text(value: int) -> None:
    """OverflowError, since `copysign` makes a float of the integer."""
    program = indices + value
    assert Program.from_text(program.to_text()).node is program.node


def test_nan_has_no_text() -> None:
    """No text defines it, so no program is made with it."""
    with pytest.raises(CapaxError) as raised:
        (indices * float("nan")).to_text()
    assert raised.value.code == "illegal-value"
