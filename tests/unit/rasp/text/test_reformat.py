"""The formatter keeps the meaning and every comment, and is stable."""

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from capax.errors import Source
from capax.rasp import library
from capax.rasp.text import syntax as s
from capax.rasp.text.parser import parse
from capax.rasp.text.reformat import format_text
from capax.rasp.text.syntax_to_text import print_script
from tests.support.strategies import scripts

_GAP = re.compile(r"(?<=[;{}])(?=\s)")


def _format(text: str) -> str:
    return format_text(parse(Source("text", text)))


_SCRIPTS = scripts()
_FILLERS = st.sampled_from(["", "", " # c{}", "\n# c{}", "\n\n\n# c{}\n\n", "\n\n"])


@st.composite
def commented(draw: st.DrawFn) -> str:
    """A script with comments and blank lines strewn in where statements end."""
    text = print_script([x for x in draw(_SCRIPTS) if not isinstance(x, s.COMMANDS)])
    pieces = _GAP.split(text)
    return "".join(p + draw(_FILLERS).format(i) + ("\n" if i < len(pieces) - 1 else "") for i, p in enumerate(pieces))


def _comments(text: str) -> list[str]:
    return sorted(re.findall(r"# c\d+", text))


@given(commented())
def test_meaning_and_comments_stay(text: str) -> None:
    """Formatting changes neither the statements nor the comments."""
    before, after = parse(Source("text", text)), parse(Source("text", _format(text)))
    assume(not before.errors)  # a string can hold one of the places where comments were strewn in
    assert after.statements == before.statements
    assert _comments(_format(text)) == _comments(text)


@given(commented())
def test_formatting_twice_changes_nothing(text: str) -> None:
    """The canonical form is canonical."""
    assume(not parse(Source("text", text)).errors)
    assert _format(_format(text)) == _format(text)


@pytest.mark.parametrize("module", library.modules())
def test_library_is_in_canonical_form(module: str) -> None:
    """The library's own files are formatted."""
    text = library.module_source(module).text
    assert _format(text) == text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x=1;y=2;", "x = 1;\ny = 2;\n"),
        ("x = (1+2)*3 ; # sum", "x = (1 + 2) * 3;  # sum\n"),
        (
            "def f(x){# head\n# own\ny=x;return y;# last\n}",
            "def f(x) {  # head\n    # own\n    y = x;\n    return y;  # last\n}\n",
        ),
        ("x = [1, # one\n 2];", "# one\nx = [1, 2];\n"),
        ("a=1;\n\n\n\nb=2;\n\n", "a = 1;\n\nb = 2;\n"),
        ("for x in [1] { y=x; };", "for x in [1] {\n    y = x;\n}\n"),
        ("# only a comment", "# only a comment\n"),
        ("", ""),
    ],
)
def test_layout(before: str, after: str) -> None:
    """Some layouts, written out."""
    assert _format(before) == after
