"""Strings as the language writes them: every string has a literal, and every literal one string."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pygments.token import String

import capax
from capax import tokens, where
from capax.app.commands.verify import verify
from capax.app.highlight import RaspLexer
from capax.errors import Source
from capax.rasp.ir.strings import bad_escape, read_string, string_text
from capax.rasp.python.program import Program
from capax.rasp.text.parser import parse, tokenize
from capax.rasp.text.reformat import format_text
from tests.support.strategies import STRINGS

ROOT = Path(__file__).parents[4]
PATTERNS = json.loads((ROOT / "editors/rasp.tmLanguage.json").read_text(encoding="utf-8"))["patterns"]
EDITORS = re.compile(next(p["match"] for p in PATTERNS if p["name"] == "string.quoted.double.rasp"))


@given(STRINGS | st.text(st.characters(exclude_categories=())))
@settings(max_examples=300)
@example('"')
@example("\\")
@example('\\"')
@example("\\n\n\t\r\0\x7f\x85\xa0\u2028")
@example("\ud800\U0001f600\udc00")
def test_a_literal_is_read_back_exactly(value: str) -> None:
    literal = string_text(value)
    assert literal.isprintable()
    assert bad_escape(literal) is None
    assert read_string(literal) == value
    statement = parse(Source("text", f"x = {literal};"))
    assert not statement.errors
    assert statement.statements[0].values[0].value == value  # type: ignore[attr-defined]
    assert format_text(statement) == f"x = {literal};\n"
    assert Program.from_text((tokens == value).to_text()).node is (tokens == value).node


@given(st.text('"\\nu0aU ', max_size=10))
@example('"a\\"b" "c"')
def test_every_reader_ends_a_string_at_the_same_quote(text: str) -> None:
    """The parser, the lexer of documents and the grammar for editors."""
    strings = [str(token) for token in tokenize(text) if token.type == "STRING"]
    assert strings == [value for kind, value in RaspLexer().get_tokens(text) if kind is String.Double]
    assert strings == [found[0] for found in EDITORS.finditer(text)]


@pytest.mark.parametrize(
    ("text", "column", "width"),
    [(r'x = "ab\q";', 8, 2), (r'x = "\u12"; y = 1;', 6, 4), (r'"\U00110000";', 2, 10), (r'load "a\d";', 8, 2)],
)
def test_an_unknown_escape_is_pointed_at(text: str, column: int, width: int) -> None:
    (error,) = parse(Source("text", text)).errors
    assert error.code == "bad-character"
    assert error.where is not None
    assert (error.where.column, error.where.end - error.where.start) == (column, width)
    assert error.hint is not None
    assert r"`\n`" in error.hint


def test_after_an_unknown_escape_the_rest_is_read() -> None:
    parsed = parse(Source("text", 'x = "\\q"; y = 1;\nz = 2;'))
    assert [type(item).__name__ for item in parsed.items] == ["CapaxError", "Assign", "Assign"]


def test_without_escapes_a_backslash_is_a_character() -> None:
    (statement,) = parse(Source("text", r'x = "a\";'), escapes=False).statements
    assert statement.values[0].value == "a\\"  # type: ignore[attr-defined]


def test_a_model_of_a_program_with_a_quote_is_kept_and_agrees(tmp_path: Path) -> None:
    program = where(tokens == '"', 1, where(tokens == "\n", 2, 0))
    compiled = capax.compile(program, alphabet=['"', "\n", "a"], max_length=3)
    assert compiled(['"', "a", "\n"]) == [1, 0, 2]
    file = str(tmp_path / "quote.safetensors")
    compiled.model.save(file)
    assert verify(file, words=20, seed=0).holds
