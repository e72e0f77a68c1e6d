"""Files that are written from the op table: `pytest tests/golden/test_generated.py --update-golden` after a new row."""

from collections.abc import Callable
from pathlib import Path

from capax.app.highlight import editor_grammar
from capax.rasp.text.parser import fresh_tables

ROOT = Path(__file__).parents[2]
TABLES = ROOT / "src/capax/rasp/text/grammar.json"
EDITORS = ROOT / "editors/rasp.tmLanguage.json"


def test_the_parser_tables(golden: Callable[[Path, str], None]) -> None:
    """After a change of the grammar, or with another lark, they are made anew."""
    golden(TABLES, fresh_tables())
    assert fresh_tables() == TABLES.read_text(encoding="utf-8")


def test_the_grammar_for_editors(golden: Callable[[Path, str], None]) -> None:
    golden(EDITORS, editor_grammar())
    assert editor_grammar() == EDITORS.read_text(encoding="utf-8")
