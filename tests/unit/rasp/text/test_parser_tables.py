"""The parser's tables that come with capax: fresh, and the same parser as the grammar's."""

from importlib.resources import files

import pytest

from capax.errors import Source
from capax.rasp import library
from capax.rasp.text import parser
from capax.rasp.text import parser_tables as tables
from capax.rasp.text.builder import SyntaxBuilder

KEPT = files("capax.rasp.text").joinpath("grammar.json").read_text(encoding="utf-8")
GRAMMAR = parser.full_grammar()


def test_they_parse_as_the_grammar_does(monkeypatch: pytest.MonkeyPatch) -> None:
    sources = [library.module_source(module) for module in library.modules()]
    sources.append(Source("bad", "x = (1 +;\ny = 2\nz = {1: [2]};"))
    kept = [parser.parse(source) for source in sources]
    made = parser.build_parser(GRAMMAR)
    monkeypatch.setattr(parser, "_lark", lambda escapes: made)
    for source, one in zip(sources, kept, strict=True):
        other = parser.parse(source)
        assert one.statements == other.statements
        assert [error.render() for error in one.errors] == [error.render() for error in other.errors]


def test_tables_of_another_grammar_or_lark_are_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    given = SyntaxBuilder(), parser._KeepBad()
    assert tables.parser_from(KEPT, GRAMMAR, *given) is not None
    assert tables.parser_from(KEPT, GRAMMAR + "\n", *given) is None
    monkeypatch.setattr(tables, "__version__", "0.0")
    assert tables.parser_from(KEPT, GRAMMAR, *given) is None
