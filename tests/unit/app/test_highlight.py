"""RASP in colour: the lexer and the grammar for editors know the whole language."""

import json
import re
from pathlib import Path

import pytest
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Error, Keyword, Name, Number, Operator, Punctuation, String, Whitespace

from capax.app.highlight import CONSTANTS, RaspLexer
from capax.app.resolve import resolve

ROOT = Path(__file__).parents[3]
FILES = sorted((ROOT / "src/capax/rasp/library").rglob("*.rasp"))
GRAMMAR = json.loads((ROOT / "editors/rasp.tmLanguage.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_the_library_has_no_unknown_token(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    found = list(RaspLexer(stripnl=False, ensurenl=False).get_tokens(text))
    assert "".join(value for _, value in found) == text
    assert not [value for kind, value in found if kind is Error]


def test_each_kind_of_token() -> None:
    text = 'def f(x) { return 1.5 * x if x >= 2 and not True else "a b"; } # end\nselect(tokens, y, ==) ?'
    found = [(k, v) for k, v in RaspLexer().get_tokens(text) if k is not Whitespace]
    wanted = {
        "def": Keyword,
        "f": Name,
        "1.5": Number.Float,
        "2": Number.Integer,
        "and": Operator.Word,
        "True": Keyword.Constant,
        '"a b"': String.Double,
        "# end": Comment.Single,
        "select": Name.Builtin,
        "tokens": Name.Constant,
        ">=": Operator,
        "{": Punctuation,
        "?": Error,
    }
    assert {v: k for k, v in found if v in wanted} == wanted


@pytest.mark.parametrize("name", CONSTANTS)
def test_what_is_coloured_as_a_constant_is_one(name: str) -> None:
    assert resolve(name).program is not None


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_the_grammar_for_editors_covers_the_library(path: Path) -> None:
    patterns = [re.compile(p["match"], re.MULTILINE) for p in GRAMMAR["patterns"]]
    name = re.compile(r"\s+|[A-Za-z_][A-Za-z_0-9]*")
    text, at = path.read_text(encoding="utf-8"), 0
    while at < len(text):
        found = next((m for p in (*patterns, name) if (m := p.match(text, at)) and m.end() > at), None)
        assert found is not None, text[at : at + 20]
        at = found.end()


def test_pygments_finds_it_by_name() -> None:
    assert isinstance(get_lexer_by_name("rasp"), RaspLexer)
