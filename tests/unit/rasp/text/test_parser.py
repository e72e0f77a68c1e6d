"""The parser loses nothing: errors stand in their place and the rest is read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax.errors import CapaxError, Source
from capax.rasp.text.parser import parse
from capax.rasp.text.syntax import Assign


def read(text: str) -> list[str]:
    """The names assigned and the codes of errors, in order."""
    items = parse(Source("t", text)).items
    return [i.code if isinstance(i, CapaxError) else i.names[0] if isinstance(i, Assign) else "-" for i in items]


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("a = 1; b = 2;", ["a", "b"]),
        ("a = 1\nb = 2;\nc = 3;", ["missing-semicolon", "b", "c"]),
        ("a = (1;\nb = 2;", ["syntax", "b"]),
        ("a = 1 1; b = 2;", ["syntax", "b"]),
        ('a = "x;\nb = 2;', ["unclosed", "b"]),
        ("é = 1; b = 2;", ["bad-character", "b"]),
        ("a = 1; b = [1,", ["a", "unclosed"]),
        ("a = 1", ["missing-semicolon"]),
        ("def f(x) { y = ; return y; } b = 2;", ["syntax", "b"]),
        ("def f(x) { return x;\nb = 2;", ["syntax"]),
        ("for = 1; b = 2;", ["keyword", "b"]),
        ("on = 1; b = 2;", ["keyword", "b"]),
        ("a = 1; # c\n# d\nb = # e\n2;", ["a", "b"]),
        ("# nothing", []),
        ("", []),
        ('set example "abc"\na = 1;', ["-", "a"]),
        ('set example "abc"; a = 1;', ["-", "a"]),
        ("exit\na = 1;", ["-", "a"]),
        ("def f() { return 1; }; a = 1;", ["-", "a"]),
        ("select = 1; aggregate = 2; best = 3; tokens = 4;", ["select", "aggregate", "best", "tokens"]),
        ("full = 1; seq = 2; display = 3;", ["full", "seq", "display"]),
    ],
)
def test_statements_and_errors_in_order(text: str, items: list[str]) -> None:
    """What is read from a text, broken ones included."""
    assert read(text) == items


@pytest.mark.parametrize(
    "text", ["", " \n", "# c", "x = 1", "x = (", "def f(x) {", "for x in [1] {\n y = x;", "indices +"]
)
def test_unfinished_texts(text: str) -> None:
    """A prompt goes on reading after these."""
    parsed = parse(Source("t", text))
    assert parsed.unfinished or not parsed.items


@pytest.mark.parametrize(
    "text", ["x = 1;", "exit", "set example [1,\n2]", "x = );", "x = 1\ny = 2;", "def f() { return 1; }"]
)
def test_finished_texts(text: str) -> None:
    """A prompt stops reading after these."""
    parsed = parse(Source("t", text))
    assert parsed.items
    assert not parsed.unfinished


_PIECES = [*'abx1 \n\t"#;(){}[],=<>!+-*/%^:.é', "def ", "for ", "in ", "select(", "return ", " if ", " else ", "exit"]


@given(st.lists(st.sampled_from(_PIECES)).map("".join))
def test_any_text_is_read_to_its_end(text: str) -> None:
    """Hostile text gives statements and errors with places inside it, never a crash."""
    for item in parse(Source("t", text)).items:
        if isinstance(item, CapaxError):
            assert item.where is not None
            assert 0 <= item.where.start <= len(text)
            assert item.render().count("\n") >= 3
        else:
            start, end = item.at
            assert 0 <= start < end <= len(text)
